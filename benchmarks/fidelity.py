"""Are the numbers right, repeatable and honest? Printed as ratios, measured in one run.

    python benchmarks/fidelity.py [loop fresh resnet repeat …]

loop      the median against that of a hand-written loop on the same file, inputs and threads, in
          turns: our worker process for a moment, then the loop's
fresh     timed runs whose inputs change against timed runs on the same inputs, in one session
resnet    the same as loop with one model and 20 pairs of processes: how far apart, on which side?
repeat    ten runs of turnkey, of the hand-written loop, and of a naive loop, taking turns: how far
          apart are the results of each?
verdicts  twelve runs of the same thing while other load comes and goes: how many of the 66 pairs
          does turnkey compare call faster or slower?
rigorous  five runs with --rigorous: of their ten pairs, how often is a slow-down of 3% called?
coverage  does the stated interval contain the true median of made-up streams?
compare   is a slow-down of 3% seen, and are two runs of the same thing left alone?
moved     the same where a hypervisor moves the processors, which costs 6%: between two rigorous
          measurements, during them, or without anybody noticing
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml

from turnkeyml.cache import BuildFolder, add_evaluation, load_state, update_stats
from turnkeyml.measure import (
    DEFAULT_RULE,
    RIGOROUS_RULE,
    FreshInputs,
    ProcessResult,
    Samples,
    SessionInfo,
    SessionMeter,
    SpeedVerdict,
    Worker,
    WorkerRequest,
    draws_from_samples,
    evaluation_of,
    load_samples,
    median_interval,
    ratio_generator,
    ratio_of,
    sample,
    save_evaluation,
    varied_inputs,
    verdict_on,
)
from turnkeyml.report import comparison as report
from turnkeyml.runtimes import Request, Session, find_device, find_runtime
from turnkeyml.system import usable_cores
from turnkeyml.verify import Reference, load_reference

CHANGED = (SpeedVerdict.FASTER, SpeedVerdict.SLOWER)
HERE = Path(__file__).parent
SCRIPTS = HERE / "scripts"
HELLO = HERE.parent / "examples" / "cli" / "scripts" / "hello_world.py"
BERT, RESNET = SCRIPTS / "bert.py", SCRIPTS / "resnet18.py"
TURNKEY = [sys.executable, "-m", "turnkeyml"]
LOOP = [sys.executable, str(SCRIPTS / "loop.py")]
FP32 = ["--sequence", "optimize-fp32"]
PAIRS = 8
"""Two processes that run the same thing differ by about half a percent; so several of each."""


def show(what: str, value: float, limit: float, detail: str, at_least: bool = False) -> None:
    good = value >= limit if at_least else value <= limit
    bound = "at least" if at_least else "at most"
    mark = "ok  " if good else "OVER"
    print(f"{mark}  {what:<58} {value:7.3f}  ({bound} {limit:.3g})   {detail}", flush=True)


def build(script: Path, cache: Path) -> Path:
    command = [*TURNKEY, str(script), "-d", str(cache), "--build-only", *FP32]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (folder,) = cache.glob(f"{script.stem}_*")
    return folder


# ---- against a hand-written loop


class HandWritten:
    """The loop's process, asked for a number of runs at a time."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [*LOOP, str(folder), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()
        self.rest()

    def median(self, runs: int) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write(f"{runs}\n")
        self._process.stdin.flush()
        median = float(self._process.stdout.readline())
        self.rest()
        return median

    def rest(self) -> None:
        """Neither may have a processor while the other is timed."""
        self._process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.close()
        self._process.wait()


def loop(cache: Path) -> None:
    for script, limit, rounds in ((HELLO, 0.03, 15), (RESNET, 0.01, 15), (BERT, 0.01, 10)):
        folder = build(script, cache)
        pairs = [statistics.median(in_turns(folder, rounds, n % 2)) for n in range(PAIRS)]
        ratio = statistics.median(pairs)
        detail = f"{PAIRS} pairs of processes, {rounds} rounds each: "
        detail += " ".join(f"{pair:.3f}" for pair in sorted(pairs))
        show(f"{script.stem}: |median / hand-written loop - 1|", abs(ratio - 1), limit, detail)


def fresh(cache: Path) -> None:
    """What it costs that no run gets the inputs of an earlier one, with each engine."""
    for script, limit in ((HELLO, 0.01), (RESNET, 0.003)):
        folder = build(script, cache)
        state = load_state(folder.name, folder.parent)
        reference = load_reference(BuildFolder(folder.parent, folder.name), state.reference)
        for engine in ("ort", "openvino"):
            request = Request(
                threads=usable_cores(),
                model=str(folder / state.artifacts["onnx"]),
                precision="fp32",
            )
            session = find_runtime(engine, "x86").open(request)
            ratios = fresh_over_same(session, reference)
            detail = f"{len(ratios)} rounds"
            ratio = statistics.median(ratios)
            show(f"{script.stem}, {engine}: fresh inputs / the same - 1", ratio - 1, limit, detail)
            session.close()


def fresh_over_same(session: Session, reference: Reference, rounds: int = 60) -> list[float]:
    """The ratio of the medians in each round, in which both take turns twice."""
    session.feed(reference.inputs)
    meters = {"same": SessionMeter(session), "fresh": SessionMeter(session)}
    size = sum(a.nbytes for a in (*reference.inputs.values(), *reference.outputs.values()))
    varied = varied_inputs(reference)
    meters["fresh"].make_fresh = lambda: FreshInputs(session, reference.inputs, varied, size)
    warm = {name: meter.warm_up(DEFAULT_RULE) for name, meter in meters.items()}["same"]
    samples = max(1, int(0.1e9 / (warm.typical * warm.block)))
    ratios = []
    for _ in range(rounds):
        found: dict[str, list[float]] = {"same": [], "fresh": []}
        for name in ("same", "fresh", "fresh", "same"):
            part = meters[name].take(samples, warm.block, max(1, int(0.01e9 / warm.typical)))
            found[name].append(float(np.median(part.times)))
        ratios.append(sum(found["fresh"]) / sum(found["same"]))
    return ratios


def resnet(cache: Path) -> None:
    folder, pairs = build(RESNET, cache), 20
    found = [statistics.median(in_turns(folder, 10, n % 2)) for n in range(pairs)]
    above = sum(ratio > 1 for ratio in found)
    detail = f"{above} of {pairs} above: " + " ".join(f"{ratio:.3f}" for ratio in sorted(found))
    show("resnet18: |median / loop - 1|", abs(statistics.median(found) - 1), 0.005, detail)
    side = max(above, pairs - above) / pairs
    show("resnet18: share of the pairs on the same side", side, 0.8, f"{pairs} pairs")


def in_turns(folder: Path, rounds: int, ours_first: int) -> list[float]:
    """The ratio of the medians in each round; whoever starts first finds other memory free."""
    state = load_state(folder.name, folder.parent)
    request = WorkerRequest(
        device="x86",
        runtime="ort",
        request=Request(
            threads=usable_cores(),
            model=str(folder / state.artifacts["onnx"]),
            precision=state.precisions[0],
        ),
        cache_dir=str(folder.parent),
        build_name=folder.name,
        reference=state.reference,
    )
    with tempfile.TemporaryDirectory() as name:
        theirs = None if ours_first else HandWritten(folder)
        worker = Worker("turnkeyml.measure.worker", request, Path(name), "ort")
        worker.rest()
        theirs = theirs or HandWritten(folder)
        warm = worker.warm_up(DEFAULT_RULE)
        worker.rest()
        samples = max(1, int(0.2e9 / (warm.typical * warm.block)))
        runs = samples * warm.block
        recovery = max(1, int(0.01e9 / warm.typical))  # as much as the loop allows itself
        ratios = []
        for number in range(rounds):
            found = {}
            for who in ("ours", "theirs") if number % 2 else ("theirs", "ours"):
                if who == "ours":
                    times = worker.take(samples, warm.block, recovery).times / warm.block
                    worker.rest()
                    found[who] = float(np.median(times))
                else:
                    found[who] = theirs.median(runs)
            ratios.append(found["ours"] / found["theirs"])
        worker.close()
        theirs.close()
    return ratios


# ---- ten runs of the same thing


def repeat(cache: Path, times: int = 10) -> None:
    folder = build(RESNET, cache)
    found: dict[str, list[float]] = {"turnkey": [], "loop": [], "naive": []}
    samples: list[np.ndarray] = []
    for number in range(times):
        for who in list(found)[number % 3 :] + list(found)[: number % 3]:
            if who == "turnkey":
                found[who].append(turnkey_median(folder))
                samples.append(load_samples(folder / "x86_benchmark" / "ort" / "samples.npz")[0])
            else:
                flags = ["--naive"] if who == "naive" else []
                done = subprocess.run(
                    [*LOOP, str(folder), *flags], check=True, capture_output=True, text=True
                )
                median, mean = map(float, done.stdout.split())
                found[who].append(mean if who == "naive" else median)
    spreads = {who: (max(v) - min(v)) / statistics.median(v) for who, v in found.items()}
    detail = ", ".join(f"{who} {spread:.1%}" for who, spread in spreads.items())
    ours = spreads["turnkey"]
    show("resnet18, spread of ten medians - the loop's", ours - spreads["loop"], 0.01, detail)
    show("resnet18, spread / that of the naive mean", ours / spreads["naive"], 0.5, detail)
    calls = [verdict(a, b) for a, b in itertools.combinations(samples, 2)]
    wrong = sum(call in CHANGED for call in calls)
    print(
        f"      of the {len(calls)} pairs of these runs, compare calls {wrong} faster or slower; "
        f"{seen_slower(samples)} of {times} are called SLOWER than themselves times 1.03"
    )


def turnkey_median(folder: Path) -> float:
    command = [*TURNKEY, "cache", "benchmark", folder.name, "-d", str(folder.parent)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stats = yaml.safe_load((folder / "turnkey_stats.yaml").read_text())
    return float(stats["evaluations"][0]["performance"]["median_latency"])


def seen_slower(samples: list[np.ndarray]) -> int:
    return sum(verdict(s, 1.03 * s) is SpeedVerdict.SLOWER for s in samples)


def verdict(first: np.ndarray, second: np.ndarray) -> str:
    """What compare says of two runs, each of one process."""
    a = draws_from_samples([first], ratio_generator("a"))
    b = draws_from_samples([second], ratio_generator("b"))
    assert a is not None
    assert b is not None
    return verdict_on(ratio_of(float(np.median(first)), float(np.median(second)), b - a))


# ---- verdicts on real runs


LOAD = """
import random, time
while True:
    end = time.monotonic() + random.uniform(1, 6)
    while time.monotonic() < end:
        pass
    time.sleep(random.uniform(2, 15))
"""
"""A program that burns a processor now and then, until it is killed."""


@contextlib.contextmanager
def load_that_comes_and_goes() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", LOAD])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measured_runs(cache: Path, times: int, *options: str) -> list[Path]:
    """A folder for each of some runs of the same thing, as turnkey compare takes it."""
    folder = build(RESNET, cache)
    found = []
    for number in range(times):
        command = [*TURNKEY, "cache", "benchmark", folder.name, "-d", str(cache), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        target = cache / f"run-{'-'.join(options)}{number}" / folder.name
        shutil.copytree(folder, target, ignore=shutil.ignore_patterns("onnx", "*.npz~"))
        found.append(target.parent)
        row = yaml.safe_load((target / "turnkey_stats.yaml").read_text())["evaluations"][0]
        numbers = row["performance"]
        print(
            f"      {numbers['median_latency']:.3f} ms, {numbers['stopped']}, "
            f"{numbers['wall_seconds']:.0f} s + {numbers['paused_seconds']:.0f} s paused, "
            f"{row['conditions']['other_cores']:.2f} processors busy with others, "
            f"distance {row['conditions']['processor_distance'] or 0:.1f}, "
            f"memory {row['conditions']['memory_speed'] or 0:.1f} GB/s",
            flush=True,
        )
    return found


def called(first: Path, second: Path) -> SpeedVerdict:
    (row,) = report.compare_measurements(str(first), str(second)).rows
    return row.verdict


def verdicts(cache: Path) -> None:
    with load_that_comes_and_goes():
        runs = measured_runs(cache, 12)
    calls = [called(a, b) for a, b in itertools.combinations(runs, 2)]
    wrong = sum(call in CHANGED for call in calls)
    detail = f"{wrong} of {len(calls)} pairs; " + ", ".join(
        f"{calls.count(call)} {call}" for call in sorted(set(calls))
    )
    show("the same thing under load, called faster or slower", wrong / len(calls), 0.05, detail)


def rigorous(cache: Path) -> None:
    runs = measured_runs(cache, 5, "--rigorous")
    pairs = list(itertools.combinations(runs, 2))
    seen = sum(called(a, slowed(b, 1.03)) is SpeedVerdict.SLOWER for a, b in pairs)
    wrong = sum(called(a, b) in CHANGED for a, b in pairs)
    show("rigorous: 3% slower, called SLOWER", seen / len(pairs), 0.8, f"{len(pairs)} pairs", True)
    show("rigorous: the same, called faster or slower", wrong / len(pairs), 0.05, "the same pairs")


def slowed(run: Path, factor: float) -> Path:
    """A copy of a run in which everything took longer."""
    target = run.with_name(f"{run.name}-slowed")
    shutil.copytree(run, target, dirs_exist_ok=True)
    for file in target.rglob("samples.npz"):
        with np.load(file) as arrays:
            found = dict(arrays)
        found["timed"] = (found["timed"].astype(np.int64) * factor).astype(np.int64)
        np.savez(file, **found)
    for file in target.rglob("turnkey_stats.yaml"):
        stats = yaml.safe_load(file.read_text())
        numbers = stats["evaluations"][0]["performance"]
        for name, value in numbers.items():
            if name.endswith("_latency") or name in ("median_low", "median_high"):
                numbers[name] = value if value is None else value * factor
        # To the last digit, as compare takes samples of another median for somebody else's.
        (samples,) = file.parent.rglob("samples.npz")
        numbers["median_latency"] = float(np.median(np.concatenate(load_samples(samples))))
        file.write_text(yaml.safe_dump(stats))
    return target


# ---- made-up streams


class Stream:
    """A session whose runs take as long as a series of numbers says, on a clock of its own."""

    changes_inputs = False
    asynchronous = False

    def __init__(self, latency: Callable[[int], np.ndarray]) -> None:
        self._numbers = self._endless(latency)
        self.now = 0

    @staticmethod
    def _endless(latency: Callable[[int], np.ndarray]) -> Iterator[int]:
        position = 0
        while True:
            yield from latency(position).astype(np.int64).tolist()
            position += CHUNK

    def prepare(self) -> None:
        """Nothing to prepare."""

    def run(self) -> None:
        self.now += next(self._numbers)

    def clock(self) -> int:
        return self.now

    def outputs(self) -> dict[str, np.ndarray]:
        return {}


CHUNK = 1000
TRUE_MEDIAN = 1e7
"""Ten milliseconds."""

Shape = Callable[[np.random.Generator, int], np.ndarray]


def stable(rng: np.random.Generator, position: int) -> np.ndarray:
    return TRUE_MEDIAN * (1 + rng.normal(0, 0.01, CHUNK))


def noisy(rng: np.random.Generator, position: int) -> np.ndarray:
    return TRUE_MEDIAN * np.exp(rng.normal(0, 0.15, CHUNK))


def skewed(rng: np.random.Generator, position: int) -> np.ndarray:
    return TRUE_MEDIAN * (0.9 + rng.exponential(0.1 / np.log(2), CHUNK))


def bimodal(rng: np.random.Generator, position: int) -> np.ndarray:
    """Six in ten around one value, four around another; the median is at 5/6 of the first."""
    first = rng.random(CHUNK) < 0.6
    offset = 0.967421566 * 0.01  # the 5/6 quantile of a normal distribution
    return TRUE_MEDIAN * np.where(first, 1 - offset, 1.2) + TRUE_MEDIAN * rng.normal(0, 0.01, CHUNK)


def drifting(rng: np.random.Generator, position: int) -> np.ndarray:
    """Slower by a tenth over the first thousand runs."""
    place = (position + np.arange(CHUNK)) / 1000
    return TRUE_MEDIAN * (1 + 0.1 * place) * (1 + rng.normal(0, 0.01, CHUNK))


def measured(shape: Shape, seed: int) -> Samples:
    """A stream through the real sampler, by the default rule."""
    rng = np.random.default_rng(seed)
    stream = Stream(lambda position: shape(rng, position))
    (samples,) = sample([SessionMeter(stream, stream.clock)], DEFAULT_RULE)
    assert isinstance(samples, Samples)
    return samples


def coverage(_: Path) -> None:
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    inside, flagged, stationary = 0, 0, 200
    for number, shape in zip(
        range(stationary), itertools.cycle((stable, noisy, skewed, bimodal)), strict=False
    ):
        interval = median_interval(measured(shape, number).latencies)
        inside += interval is not None and interval.low <= TRUE_MEDIAN <= interval.high
    for number in range(50):
        samples = measured(drifting, number)
        record = evaluation_of(
            [ProcessResult(samples, SessionInfo(0.0))], device, runtime, 1, DEFAULT_RULE
        )
        assert record.performance is not None
        kinds = {flag.kind for flag in record.performance.flags}
        flagged += "drift" in kinds
    show("95% intervals that contain the median", inside / stationary, 0.93, "200 streams", True)
    show("drifting streams that are flagged", flagged / 50, 1.0, "50 streams", True)


def compare(_: Path) -> None:
    shapes = (stable, noisy, skewed, bimodal)
    pairs = 200
    wrong = seen = 0
    for number, shape in zip(range(pairs), itertools.cycle(shapes), strict=False):
        first, second = (measured(shape, 10_000 + 2 * number + i).latencies for i in (0, 1))
        wrong += verdict(first, second) in CHANGED
        seen += verdict(first, 1.03 * second) is SpeedVerdict.SLOWER
    show("the same thing twice, called faster or slower", wrong / pairs, 0.05, f"{pairs} pairs")
    show("3% slower, called SLOWER", seen / pairs, 0.9, f"{pairs} pairs", True)


NEAR, FAR = 1.5, 3.9
"""How far apart processors are that share a cache, and that do not."""
Placement = Callable[[np.random.Generator, int], np.ndarray]
"""For the side of that number: whether the processors are apart in each of ten rounds."""


def stays(rng: np.random.Generator, side: int) -> np.ndarray:
    return np.zeros(10, dtype=bool)


def between_sides(rng: np.random.Generator, side: int) -> np.ndarray:
    return np.full(10, side == 1)


def meanwhile(rng: np.random.Generator, side: int) -> np.ndarray:
    """At some time in each process."""
    return (np.arange(10) < rng.integers(3, 8)) == bool(rng.integers(2))


def made_up(cache: Path, side: int, place: Placement, rng: np.random.Generator, seen: bool) -> Path:
    """A cache with a rigorous measurement of ten milliseconds that was never made."""
    folder = cache / f"side{side}"
    shutil.rmtree(folder, ignore_errors=True)
    build = BuildFolder(folder, "net_aaaaaaaa")
    update_stats(build, build_name=build.name, model_hash="aaaa0000", hash="aaaaaaaa")
    sittings = []
    for _ in range(5):
        apart = place(rng, side)
        factors = np.repeat(np.where(apart, 1.06, 1.0), 30) * np.exp(rng.normal(0, 0.004))
        timed = (TRUE_MEDIAN * factors * rng.normal(1, 0.006, len(factors))).astype(np.int64)
        distance = np.where(apart & seen, FAR, NEAR) * rng.normal(1, 0.06, 10)
        samples = Samples(
            timed=timed,
            block=1,
            slices=(30,) * 10,
            walls=tuple(int(part.sum()) for part in np.split(timed, 10)),
            warmup=timed[:10],
            steady=True,
            stopped="precise",
            timer=50.0,
            empty_call=50.0,
            distances=tuple(distance.tolist()),
            memory_speeds=tuple(rng.normal(20, 0.4, 2).tolist()),
        )
        sittings.append(ProcessResult(samples, SessionInfo(0.1)))
    where = build.benchmark("x86", "ort")
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    evaluation = evaluation_of(sittings, device, runtime, 2, RIGOROUS_RULE)
    name = (where / "samples.npz").relative_to(build.path).as_posix()
    evaluation = replace(evaluation, samples_file=name, build_name=build.name, precision="fp32")
    save_evaluation(where, sittings, evaluation)
    add_evaluation(build, evaluation)
    return folder


def moved(cache: Path) -> None:
    pairs = 60
    for name, place, is_seen in (
        ("stays", stays, True),
        ("moved between", between_sides, True),
        ("moved meanwhile", meanwhile, True),
        ("moved meanwhile, not seen", meanwhile, False),
    ):
        wrong = seen = 0
        rng = np.random.default_rng(0)
        for _ in range(pairs):
            first, second = (made_up(cache, side, place, rng, is_seen) for side in (0, 1))
            wrong += called(first, second) in CHANGED
            seen += called(first, slowed(second, 1.03)) is SpeedVerdict.SLOWER
        show(f"{name}: the same, called faster or slower", wrong / pairs, 0.05, f"{pairs} pairs")
        least = 0.8 if place is not between_sides and is_seen else 0.0
        show(f"{name}: 3% slower, called SLOWER", seen / pairs, least, f"{pairs} pairs", True)


def main() -> None:
    parts: dict[str, Callable[[Path], None]] = {
        "loop": loop,
        "fresh": fresh,
        "resnet": resnet,
        "repeat": repeat,
        "verdicts": verdicts,
        "rigorous": rigorous,
        "coverage": coverage,
        "compare": compare,
        "moved": moved,
    }
    os.environ["TURNKEY_BUILD_MONITOR"] = "False"
    with tempfile.TemporaryDirectory(prefix="turnkey-bench-") as folder:
        for name in sys.argv[1:] or list(parts):
            parts[name](Path(folder))


if __name__ == "__main__":
    main()
