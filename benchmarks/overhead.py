"""Benchmark the overhead of turnkey over hand-written programs, as ratios.

    python benchmarks/overhead.py [startup analyze run again worker memory]

Compared commands run in turns, so that other load on the machine affects both sides. The
hand-written programs are in ``scripts`` and do only what is necessary. With ``TURNKEY_BEFORE``,
the ``src`` folder of another checkout, ``again`` also runs that one.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import yaml

HERE = Path(__file__).parent
SCRIPTS = HERE / "scripts"
HELLO = HERE.parent / "examples" / "cli" / "scripts" / "hello_world.py"
BERT, LARGE = SCRIPTS / "bert.py", SCRIPTS / "large.py"
TURNKEY = str(Path(sys.executable).with_name("turnkey"))
PYTHON = sys.executable
AS_LONG = ["--iterations", "100"]
"""The number of timed runs of the hand-written programs."""

Command = list[str]


def seconds(command: Command) -> float:
    """The seconds that a command takes."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def of_source(source: str, *words: str) -> Command:
    """The command that runs the turnkey in a ``src`` folder."""
    return ["env", f"PYTHONPATH={source}", PYTHON, "-m", "turnkeyml", *words]


def interleaved(commands: dict[str, Command], rounds: int) -> dict[str, float]:
    """The median seconds of each command, run in turns."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(seconds(command))
    return {name: statistics.median(values) for name, values in times.items()}


def show(what: str, value: float, limit: float, detail: str) -> None:
    mark = "ok  " if value <= limit else "OVER"
    print(f"{mark}  {what:<52} {value:6.2f}  (at most {limit:g})   {detail}", flush=True)


def startup() -> None:
    commands = {
        "bare": [PYTHON, "-c", "pass"],
        "version": [TURNKEY, "version"],
        "--help": [TURNKEY, "--help"],
    }
    times = interleaved(commands, 25)
    for name in ("version", "--help"):
        detail = f"{times[name] * 1e3:.0f} ms, baseline {times['bare'] * 1e3:.0f} ms"
        show(f"turnkey {name} / python -c pass", times[name] / times["bare"], 3, detail)


def analyze() -> None:
    for script, rounds in ((HELLO, 7), (BERT, 5)):
        commands = {
            "bare": [PYTHON, str(script)],
            "analyze": [TURNKEY, str(script), "--analyze-only"],
        }
        times = interleaved(commands, rounds)
        ratio = (times["analyze"] - 0.5) / times["bare"]
        detail = f"{times['analyze']:.2f} s, baseline {times['bare']:.2f} s"
        show(f"({script.stem} --analyze-only - 0.5 s) / bare", ratio, 1.10, detail)


def run(cache: Path) -> None:
    cold: dict[str, list[float]] = {"floor": [], "turnkey": []}
    for number in range(5):
        cold["floor"].append(seconds([PYTHON, str(SCRIPTS / "floor.py")]))
        fresh = str(cache / f"cold-{number}")
        cold["turnkey"].append(seconds([TURNKEY, str(HELLO), "-d", fresh, *AS_LONG]))
    floor, ours = (statistics.median(cold[name]) for name in ("floor", "turnkey"))
    show(
        "hello_world, cold / hand-written",
        ours / floor,
        1.5,
        f"{ours:.2f} s, baseline {floor:.2f} s",
    )
    (build,) = (cache / "cold-0").glob("hello_world_*")
    commands = {
        "bare": [PYTHON, str(HELLO)],
        "measure": [PYTHON, str(SCRIPTS / "loop.py"), str(build)],
        "warm": [TURNKEY, str(HELLO), "-d", str(cache / "cold-0"), *AS_LONG],
    }
    times = interleaved(commands, 7)
    floor = times["bare"] + times["measure"]
    detail = f"{times['warm']:.2f} s, baseline {times['bare']:.2f} + {times['measure']:.2f} s"
    show("hello_world, cached / (bare + measurement)", times["warm"] / floor, 1.25, detail)


def again(cache: Path) -> None:
    """What it takes to measure a build again, beyond what a hand-written program needs for it.

    That one measures as often, and as long as turnkey warms up. Both ways are timed: in turnkey's
    environment and in one that ``--python`` names, which has to be checked first.
    """
    seconds([TURNKEY, str(HELLO), "-d", str(cache / "again"), "--build-only"])
    (build,) = (cache / "again").glob("hello_world_*")
    words = ["cache", "benchmark", "--all", "-d", str(cache / "again"), *AS_LONG]
    elsewhere = [*words, "--python", f"other={PYTHON}"]
    sources = {"now": str(HERE.parent / "src"), "before": os.environ.get("TURNKEY_BEFORE", "")}
    commands = {"by hand": [PYTHON, str(SCRIPTS / "loop.py"), str(build), "--warm-up", "0.2"]}
    for when, source in sources.items():
        if source:
            commands[f"here, {when}"] = of_source(source, *words)
            commands[f"elsewhere, {when}"] = of_source(source, *elsewhere)
    interleaved(commands, 1)  # fills the caches of the disk and of Python
    times = interleaved(commands, 9)
    for name, taken in times.items():
        if name != "by hand":
            detail = f"{taken:.2f} s, baseline {times['by hand']:.2f} s"
            show(
                f"measuring again ({name}) - by hand, in seconds",
                taken - times["by hand"],
                1,
                detail,
            )


def worker(cache: Path) -> None:
    """What a worker needs besides its runtime: both import, load and run the same build.

    Neither warms up first. The worker also verifies what the build computes.
    """
    seconds([TURNKEY, str(HELLO), "-d", str(cache / "worker"), "--build-only"])
    (build,) = (cache / "worker").glob("hello_world_*")
    times: dict[str, list[float]] = {"by hand": [], "worker": []}
    for _ in range(9):
        times["by hand"].append(seconds([PYTHON, str(SCRIPTS / "loop.py"), str(build), "--naive"]))
        times["worker"].append(worker_seconds(build))
    by_hand, ours = (statistics.median(times[name]) for name in ("by hand", "worker"))
    detail = f"{ours:.2f} s, baseline {by_hand:.2f} s"
    show("worker - hand-written loop, in seconds", ours - by_hand, 0.5, detail)


def worker_seconds(build: Path) -> float:
    """The seconds from the start of a worker to its end, with 100 timed runs and no warm-up."""
    from turnkeyml.cache import BuildFolder, read_state
    from turnkeyml.measure import Rule, Worker, WorkerRequest
    from turnkeyml.runtimes import Request, default_device
    from turnkeyml.system import usable_cores

    folder = BuildFolder(build.parent, build.name)
    state = read_state(folder)
    assert state is not None
    device = default_device()
    request = WorkerRequest(
        device.name,
        device.default_runtime,
        Request(usable_cores(), str(build / state.artifacts["onnx"]), precision="fp32"),
        str(build.parent),
        build.name,
        state.reference,
    )
    begin = time.perf_counter()
    module, log = "turnkeyml.measure.worker", build / "worker"
    with contextlib.closing(Worker(module, request, log, request.runtime)) as ready:
        ready.sample(replace(Rule.exactly(100), warmup_seconds=0.0))
    return time.perf_counter() - begin


def memory(cache: Path) -> None:
    bare = peak_memory([PYTHON, str(LARGE)])
    command = [TURNKEY, str(LARGE), "--build-only", "-d", str(cache / "large")]
    ours = peak_memory(command)
    (build,) = (cache / "large").glob("large_*")
    size = yaml.safe_load((build / "turnkey_stats.yaml").read_text())["parameter_bytes"]
    detail = f"{ours / 1e9:.2f} GB, baseline {bare / 1e9:.2f} GB, weights {size / 1e9:.2f} GB"
    show("(peak memory of a build - bare) / weights", (ours - bare) / size, 1.5, detail)


def peak_memory(command: Command) -> int:
    """The peak memory in bytes of a command with its child processes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            family = [process.pid, *(c.pid for c in psutil.Process(process.pid).children(True))]
            peak = max(peak, sum(map(proportional_memory, family)))
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return peak


def proportional_memory(pid: int) -> int:
    """The proportional set size of a process in bytes: shared pages count in part."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def main() -> None:
    parts: dict[str, Callable[..., None]] = {
        "startup": startup,
        "analyze": analyze,
        "run": run,
        "again": again,
        "worker": worker,
        "memory": memory,
    }
    chosen = sys.argv[1:] or list(parts)
    os.environ["TURNKEY_BUILD_MONITOR"] = "False"
    with tempfile.TemporaryDirectory(prefix="turnkey-bench-") as folder:
        for name in chosen:
            needs_cache = name in ("run", "again", "worker", "memory")
            parts[name](*([Path(folder)] if needs_cache else []))


if __name__ == "__main__":
    main()
