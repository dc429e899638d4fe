"""How a machine with many cores is measured: time, CPU time of what waits, race against alone.

    python benchmarks/sixteen.py [hello race turns]

hello   hello_world.py twice: how long it takes, how well its median is known, how far the two
        medians are apart
race    a ResNet-18 with every runtime of this machine, in two precisions: how long the race takes,
        why each contestant stopped, and what waiting contestants and their compilers use of the
        processors
turns   whether a contestant has the same median in a race as alone: three contestants take turns.
        The first turn of each begins after others have run, as in a race; then it goes on for
        three more, as if it were alone. What the machine does meanwhile cancels in the ratio of
        neighbors. Takes TURNS_SECONDS (environment); TURNS_FILE keeps every run

Takes about six minutes. ``fidelity.py resnet`` compares with a hand-written loop.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import yaml

from turnkeyml.measure import RECOVERY_SECONDS, Rule, settling_seconds

HERE = Path(__file__).parent
HELLO = HERE.parent / "examples" / "cli" / "scripts" / "hello_world.py"
RESNET = HERE / "scripts" / "resnet18.py"
TURNKEY = [sys.executable, "-m", "turnkeyml"]
SECONDS, TELL_SECONDS = float(os.environ.get("TURNS_SECONDS", "120")), 60.0
"""How long contestants take turns, and how often it is printed what is known so far."""
SAVE = os.environ.get("TURNS_FILE")
"""The file that gets the times of all runs."""
TURN_SECONDS, TURNS_ALONE = 0.128, 3
"""How long a turn is, and how many of them each contestant has alone. Short ones: what the machine
does from second to second is more than what is looked for."""
CURVE_SECONDS = 0.016
"""The steps of time in which runs are looked at after others have run."""
WARM_UP = Rule()
LOOK_SECONDS, COUNT_SECONDS = 0.03, 1.0
"""How often we look at the processes of a command, and how often for new ones."""
SHORT_SECONDS = 0.06
"""A turn in a race takes a tenth of a second: one that is stopped at two looks that are no further
apart was stopped all the time."""


class Watch:
    """Looks at everything that a command starts: who is stopped, and who uses processors."""

    def __init__(self, command: list[str]) -> None:
        begin = time.monotonic()
        self.lines: list[float] = []
        """Seconds at which something was printed through the pipe."""
        self.stopped_seconds = 0.0
        """CPU time that processes used from one look to the next, at both of which they were
        stopped."""
        self.looks = 0
        self.most_stopped = 0
        self._known: dict[int, tuple[str, float]] = {}
        self._children: list[psutil.Process] = []
        self._counted_at = self._looked_at = 0.0
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        reader = threading.Thread(target=self._read, args=(process, begin))
        reader.start()
        while process.poll() is None:
            self._look(psutil.Process(process.pid))
            time.sleep(LOOK_SECONDS)
        reader.join()
        self.seconds = time.monotonic() - begin

    def _read(self, process: subprocess.Popen[str], begin: float) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(time.monotonic() - begin)
            self.last = line

    def _look(self, root: psutil.Process) -> None:
        now = time.monotonic()
        try:
            if now - self._counted_at > COUNT_SECONDS:
                self._children, self._counted_at = root.children(recursive=True), now
            found = {child.pid: _state_of(child.pid) for child in self._children}
        except (psutil.Error, OSError):
            self._counted_at = 0.0  # somebody has ended between two questions
            return
        stopped = [pid for pid, (status, _) in found.items() if status == "T"]
        self.most_stopped = max(self.most_stopped, len(stopped))
        if now - self._looked_at < SHORT_SECONDS:  # too short for a turn in between
            self.looks += 1
            for pid in stopped:
                status, seconds = self._known.get(pid, ("", 0.0))
                if status == "T":
                    self.stopped_seconds += found[pid][1] - seconds
        self._known, self._looked_at = found, now

    @property
    def longest_silence(self) -> float:
        moments = [0.0, *self.lines, self.seconds]
        return max(later - before for before, later in itertools.pairwise(moments))


def _state_of(pid: int) -> tuple[str, float]:
    """The state of a process and its CPU time in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def evaluations(cache: Path) -> list[dict[str, Any]]:
    (stats,) = cache.glob("*/turnkey_stats.yaml")
    found = yaml.safe_load(stats.read_text())["evaluations"]
    return [row for row in found if row.get("performance")]


def describe(row: dict[str, Any]) -> str:
    numbers, conditions = row["performance"], row["conditions"]
    median, low, high = (numbers[n] for n in ("median_latency", "median_low", "median_high"))
    width = f"±{(high - low) / 2 / median:.1%}" if low is not None else "±?"
    kinds = ",".join(flag["kind"] for flag in numbers["flags"]) or "no flags"
    return (
        f"{row['runtime']:>14} {row['precision']}  {median:9.4f} ms {width:>7}  "
        f"{numbers['stopped']:<9} {numbers['wall_seconds']:5.1f} s timed, "
        f"{numbers['paused_seconds']:4.1f} s paused, {conditions['threads']} threads, others "
        f"{conditions['other_cores'] or 0:.2f} processors, stolen "
        f"{conditions['stolen_share'] or 0:.1%}, {kinds}"
    )


def hello(folder: Path) -> None:
    medians = []
    for number in range(2):
        cache = folder / f"hello-{number}"
        watch = Watch([*TURNKEY, str(HELLO), "-d", str(cache)])
        (row,) = evaluations(cache)
        medians.append(row["performance"]["median_latency"])
        print(f"hello_world: {watch.seconds:.1f} s in all, {describe(row)}", flush=True)
    print(f"hello_world: the second median over the first: {medians[1] / medians[0]:.3f}")


def race(folder: Path) -> None:
    cache = folder / "race"
    both = ["--precision", "fp32", "fp16"]
    build(cache)
    watch = Watch([*TURNKEY, "race", str(RESNET), "-d", str(cache), *both])
    print(
        f"race: {watch.seconds:.1f} s in all, {len(watch.lines)} lines through the pipe, the "
        f"longest silence {watch.longest_silence:.1f} s"
    )
    print(
        f"race: up to {watch.most_stopped} contestants stopped at a time; while stopped they used "
        f"{watch.stopped_seconds:.2f} s of CPU time over {watch.looks} looks"
    )
    for row in evaluations(cache):
        print(f"race: {describe(row)}")


@dataclass
class Series:
    """What one contestant does between two others: a turn as in a race, then more, as if alone."""

    first: np.ndarray
    """Nanoseconds of each run from the first after others have run, of those that do not count
    in a race and of those that do."""
    alone: list[np.ndarray]
    """Nanoseconds of each run, for each of the turns that follow."""

    def counted(self, settling: float) -> np.ndarray:
        """The runs of the first turn that count in a race: those after so many seconds."""
        return self.first[np.cumsum(self.first) - self.first >= settling * 1e9]


def turns(folder: Path) -> None:
    with contextlib.ExitStack() as stack:
        meters = contestants(folder / "turns", stack)
        warm = {name: meter.warm_up(WARM_UP) for name, meter in meters.items()}
        for meter in meters.values():
            meter.rest()
        found: dict[str, list[Series]] = {name: [] for name in meters}
        begin = told = time.monotonic()
        while time.monotonic() - begin < SECONDS:
            names = list(meters)
            first = len(found[names[0]]) % len(names)
            for name in names[first:] + names[:first]:
                found[name].append(series(meters[name], warm[name]))
            if time.monotonic() - told > TELL_SECONDS:
                told = time.monotonic()
                tell(found)
    tell(found)
    if SAVE:
        arrays = {
            f"{name} {number} {turn}": times
            for name, known in found.items()
            for number, one in enumerate(known)
            for turn, times in enumerate([one.first, *one.alone])
        }
        np.savez_compressed(SAVE, **arrays)  # type: ignore[arg-type]


def series(meter: Any, warm: Any) -> Series:
    """One series: the first turn begins as in a race, the others as in a measurement alone."""
    block = warm.typical * warm.block
    turn = max(1, int(TURN_SECONDS * 1e9 / block))
    first = meter.take(turn + int(settling_seconds() * 1e9 / block), warm.block, 0).times
    recovery = max(1, int(RECOVERY_SECONDS * 1e9 / warm.typical))
    alone = [meter.take(turn, warm.block, recovery).times for _ in range(TURNS_ALONE)]
    meter.rest()
    return Series(first, alone)


def tell(found: dict[str, list[Series]]) -> None:
    """Print, for each contestant, what is known so far."""
    for name, known in found.items():
        ratios, noise, overall = [], [], []
        for one in known:
            alone = float(np.median(np.concatenate(one.alone)))
            ratios.append(float(np.median(one.counted(settling_seconds()))) / alone)
            noise.append(abs(float(np.median(one.alone[-1]) / np.median(one.alone[0])) - 1))
            overall.append(alone)
        low, high = interval_of_median(ratios)
        print(
            f"turns: {name:<12} alone {statistics.median(overall) / 1e6:8.4f} ms, in a race / "
            f"alone {statistics.median(ratios):.4f} (95% interval {low:.3f} to {high:.3f}, "
            f"{len(ratios)} turns; alone twice in a row {statistics.median(noise):.1%} apart)",
            flush=True,
        )
        print(f"       ms after others have run: {settling_curve(known)}", flush=True)


def settling_curve(known: list[Series]) -> str:
    """How much longer than alone runs take, by the time since others have run."""
    sums: dict[int, list[float]] = {}
    for one in known:
        alone = float(np.median(np.concatenate(one.alone)))
        bins = ((np.cumsum(one.first) - one.first) / 1e9 / CURVE_SECONDS).astype(int)
        for number in np.unique(bins):
            sums.setdefault(int(number), []).append(
                float(np.median(one.first[bins == number])) / alone
            )
    return ", ".join(
        f"{1000 * CURVE_SECONDS * number:.0f}: {statistics.median(ratios):.3f}"
        for number, ratios in sorted(sums.items())
        if len(ratios) > len(known) / 2
    )


def interval_of_median(numbers: list[float]) -> tuple[float, float]:
    """The 95% interval of the median, by the order of the numbers."""
    ranked, count = sorted(numbers), len(numbers)
    rank = max(0, int((count - 1.96 * count**0.5) / 2))
    return ranked[rank], ranked[-1 - rank]


def contestants(cache: Path, stack: contextlib.ExitStack) -> dict[str, Any]:
    """Meters of two files and a live model, as a race has them, by name."""
    import runpy

    from turnkeyml.cache import BuildFolder, read_state
    from turnkeyml.evaluate import InvocationContestants
    from turnkeyml.measure import open_session
    from turnkeyml.nouns import Plan
    from turnkeyml.runtimes import LiveModel, Request, find_runtime

    build(cache)
    (path,) = (p for p in cache.iterdir() if (p / "turnkey_stats.yaml").exists())
    folder = BuildFolder(cache, path.name)
    plan = Plan(str(cache), device="x86", runtimes=("ort",), precisions=("fp32", "fp16"))
    entrants = InvocationContestants(folder, plan, read_state(folder)).of(
        find_runtime("ort", "x86")
    )
    meters = {f"ort {e.precision}": stack.enter_context(e.enter(0)).meter for e in entrants}
    import torch

    model, image = runpy.run_path(str(RESNET))["model"], torch.rand(1, 3, 224, 224)
    import turnkeyml.frameworks.torch.modules  # noqa: F401 - it tells what a tensor is

    request = Request(threads=len(os.sched_getaffinity(0)), live=LiveModel(model, (image,), {}))
    opened = open_session(find_runtime("torch-eager", "x86"), request, {})
    stack.callback(opened.close)
    return {**meters, "torch-eager": opened.meter}


def build(cache: Path) -> None:
    """Build the ResNet-18 in both precisions."""
    subprocess.run(
        [*TURNKEY, str(RESNET), "-d", str(cache), "--precision", "fp32", "fp16", "--build-only"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def main() -> None:
    parts: dict[str, Callable[[Path], None]] = {"hello": hello, "race": race, "turns": turns}
    print(f"{os.cpu_count()} processors, {psutil.cpu_count(logical=False)} cores", flush=True)
    with tempfile.TemporaryDirectory(prefix="turnkey-bench-") as folder:
        for name in sys.argv[1:] or list(parts):
            parts[name](Path(folder))


if __name__ == "__main__":
    main()
