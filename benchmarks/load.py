"""Benchmark the measurement under load: against theory, against OpenVINO's own tool, and its cost.

    python benchmarks/load.py [generator coverage theory openvino]

``generator`` is what sending 1,000 requests a second costs. ``coverage`` is how often the 95%
intervals have the percentile of theory, on servers that are simulated in virtual time. ``theory``
compares servers that sleep for known times with queueing theory, in real time. ``openvino``
compares the throughput of our closed loop with that of ``benchmark_app -hint throughput`` on the
same file, in turns; the runtime ort is measured along with it.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests.simulated import MD1, MM1, SimulatedServer, deterministic, exponential  # noqa: E402
from turnkeyml.measure import (  # noqa: E402
    LaneServer,
    open_loop,
    percentile,
    percentile_interval,
    poisson_arrivals,
    summary_of,
)
from turnkeyml.nouns import PERCENTILES  # noqa: E402
from turnkeyml.system import punctual  # noqa: E402

RESNET = HERE / "scripts" / "resnet18.py"
BENCHMARK_APP = "openvino.tools.benchmark.main"
RATE = 1_000.0
SECONDS = 20.0
RUNS = 400
"""Simulated ones, for each kind of server and each number of requests."""
ROUNDS = 3
PER_ROUND = 8
"""Seconds of one round of each contestant."""


class SleepingSession:
    """A session whose runs take known times."""

    changes_inputs = asynchronous = False

    def __init__(self, milliseconds: Callable[[], float]) -> None:
        self._milliseconds = milliseconds

    def prepare(self) -> None:
        """Does nothing."""

    def run(self) -> None:
        time.sleep(self._milliseconds() / 1e3)

    def synchronize(self) -> None:
        """Does nothing."""


def generator() -> None:
    """The processor time of the thread that sends, and of all of it, per second."""
    server = LaneServer([SleepingSession(lambda: 0.2) for _ in range(2)])  # type: ignore[list-item]
    arrivals = poisson_arrivals(RATE, int(RATE * SECONDS))
    with punctual():
        before = time.process_time()
        trace = open_loop(server, arrivals)
        whole = (time.process_time() - before) / (trace.wall / 1e9)
    server.close()
    load = summary_of(trace, "rate=1000", 1)
    mark = "ok  " if load.generator_share < 0.05 else "OVER"
    print(f"{mark}  generator at 1,000 requests a second: {load.generator_share:.2%} of a core")
    print(f"      with the queue, two threads that sleep and the clock: {whole:.2%}")
    late = np.percentile(trace.lateness / 1e3, (50, 99, 100))
    print(
        f"      sent late by {late[0]:.0f} us (median), {late[1]:.0f} (p99), {late[2]:.0f} (worst)"
    )


def coverage() -> None:
    """How often the interval has the percentile of theory, and how often its upper end is known."""
    service = 5.0
    for name, kind in {"M/M/1": MM1, "M/D/1": MD1}.items():
        for busy in (0.5, 0.7, 0.9):
            rate = busy / service * 1e3
            expected = kind(rate, service)
            for count in (1_000, 4_000):
                within, known = dict.fromkeys(PERCENTILES, 0), dict.fromkeys(PERCENTILES, 0)
                for seed in range(RUNS):
                    times = (
                        exponential(service, RUNS + seed) if kind is MM1 else deterministic(service)
                    )
                    arrivals = poisson_arrivals(rate, count, seed)
                    trace = open_loop(SimulatedServer(times), arrivals)
                    for percent in PERCENTILES:
                        low, high = percentile_interval(trace, percent)
                        true = expected.percentile(percent)
                        within[percent] += (low or 0.0) <= true <= (high or float("inf"))
                        known[percent] += high is not None
                shares = ", ".join(
                    f"p{percent} {within[percent] / RUNS:.1%} ({known[percent] / RUNS:.0%})"
                    for percent in PERCENTILES
                )
                mark = "ok  " if min(within.values()) >= 0.93 * RUNS else "LOW "
                print(f"{mark}  {name} {busy:.0%} busy, {count:,} requests: {shares}", flush=True)


def theory() -> None:
    """A server that sleeps: its percentiles, and those of theory for the times that it slept."""
    rate, service, count = 120.0, 5.0, 4_800
    draw = np.random.default_rng(5).exponential
    cases = {
        "M/M/1": (MM1, lambda: draw(service)),
        "M/D/1": (MD1, lambda: service),
    }
    for name, (kind, milliseconds) in cases.items():
        with punctual():
            server = LaneServer([SleepingSession(milliseconds)])  # type: ignore[list-item]
            trace = open_loop(server, poisson_arrivals(rate, count))
            server.close()
        measured = count / (trace.sending / 1e9)
        slept = float(trace.service.mean() / 1e6)
        expected = kind(measured, slept)
        busy = measured * slept / 1e3
        print(f"      {name}: {measured:.1f} requests a second of {slept:.3f} ms, {busy:.0%} busy")
        waited = float(trace.queueing.mean() / 1e6)
        print(f"      mean queueing {waited:.2f} ms, theory {expected.mean_queueing:.2f}")
        latencies = trace.latencies / 1e6
        for percent in PERCENTILES:
            low, high = percentile_interval(trace, percent)
            true = expected.percentile(percent)
            within = (low or 0.0) <= true <= (high or float("inf"))
            found = percentile(latencies, percent) or 0.0
            ends = f"{low or 0:.2f} to {high or float('inf'):.2f}"
            mark = "ok  " if within else "OUT "
            print(f"{mark}  p{percent} {found:.2f} ms ({ends}), theory {true:.2f}")


def openvino() -> None:
    """Inferences per second of both, in turns, with as many requests at a time as OpenVINO asks
    for."""
    with tempfile.TemporaryDirectory() as folder:
        turnkey(folder, str(RESNET), "--build-only")
        (model,) = Path(folder).glob("*/onnx/*-opt.onnx")
        clients, found = 0, {"benchmark_app": [], "openvino": [], "ort": []}
        for _ in range(ROUNDS):
            throughput, clients = benchmark_app(model)
            found["benchmark_app"].append(throughput)
            for runtime in ("openvino", "ort"):
                words = ["--concurrency", str(clients), "--budget", str(PER_ROUND)]
                document = turnkey(folder, str(RESNET), "--runtime", runtime, *words)
                evaluation = document["results"][0]["invocations"][0]["evaluations"][0]
                found[runtime].append(evaluation["performance"]["throughput"])
                if evaluation["under_load"]["instances"] != clients:
                    print(f"      {runtime} used {evaluation['under_load']['instances']} instances")
    medians = {name: statistics.median(values) for name, values in found.items()}
    print(f"      {clients} requests at a time; inferences per second, medians of {ROUNDS}:")
    for name, values in found.items():
        ratio = medians[name] / medians["benchmark_app"]
        every = ", ".join(f"{value:.1f}" for value in values)
        print(f"      {name:<14} {medians[name]:8.1f}  {ratio:5.3f} of benchmark_app  ({every})")


def turnkey(cache: str, *words: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", *words, "--cache-dir", cache, "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def benchmark_app(model: Path) -> tuple[float, int]:
    """The throughput that OpenVINO's own tool reports, and its number of infer requests."""
    words = ["-m", str(model), "-d", "CPU", "-hint", "throughput", "-infer_precision", "f32"]
    code = f"from {BENCHMARK_APP} import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "-t", str(PER_ROUND)],
        check=True,
        capture_output=True,
        text=True,
    )
    throughput = re.search(r"Throughput:\s+([\d.]+) FPS", done.stdout)
    requests = re.search(r"OPTIMAL_NUMBER_OF_INFER_REQUESTS: (\d+)", done.stdout)
    assert throughput, done.stdout
    assert requests, done.stdout
    return float(throughput[1]), int(requests[1])


PARTS = {"generator": generator, "coverage": coverage, "theory": theory, "openvino": openvino}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        print(part, flush=True)
        PARTS[part]()
