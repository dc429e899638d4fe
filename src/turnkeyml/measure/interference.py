"""See what disturbs a measurement from outside, and wait until it has passed.

Other programs and the hypervisor take processor time; the kernel's counters show it. Whether a
moment counts is decided by what they did, never by how long the model took: choosing by the result
would make any result possible.

A hypervisor may also move our processors apart. Two processors of a virtual machine may share a
cache now and lie on different core complexes a minute later, and nothing in the guest says so. It
makes a model with several threads slower by a few percent or by half, or faster if it needs the
memory of two caches: no factor corrects that. But it can be seen. A processor reads what another
has just written about 1.5 times as slowly as what it has written itself if they share a cache, and
about 4 times if they do not.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from turnkeyml.system import Activity, Reading, allowed_processors, read_activity

WINDOW_SECONDS = 0.5
"""Over less than this the counters, which come in ticks, tell nothing."""
OTHER_CORES = 0.3
OTHER_SHARE = 0.02
"""Processors, and their share, that other programs may use in a quiet moment, together."""
STOLEN_SHARE = 0.02
THROTTLED_SHARE = 0.02
TICKS = 0.02
"""Seconds that the counters may be wrong by."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 4.0

WORDS = 65_536
"""Of eight bytes: half a megabyte, which the private cache of a processor holds."""
SWEEPS = 6
LEAST_SWEEPS = 4
"""The fastest of so many reads at least: the others may have been interrupted."""
MOST_PAIRS = 16
MOST_SECONDS = 0.02
"""After which no further sweep begins; on a busy machine each waits for its turn."""

ALIKE = 1.6
"""Two distances whose ratio is below this are the same: they vary by a fifth by themselves."""
APART = 2.5
"""A larger distance is one between two core complexes."""

COMPLEX_CORES = 8
"""More processors than this cannot share a core complex."""

PULL_SECONDS = 0.3
"""For how long we pull our processors together before we look again."""
AGAIN, LAST = b"a", b"z"

ROOT = Path("/")
"""Where /proc and /sys are."""

Look = Callable[[], float | None]


@dataclass
class Interference:
    """Says whether what was just measured was disturbed, and waits; for so many seconds in all."""

    most_seconds: float
    processors: int = field(default_factory=lambda: len(allowed_processors()))
    read: Callable[[], Reading] = read_activity
    sleep: Callable[[float], None] = time.sleep
    paused_seconds: float = 0.0
    _next_pause: float = FIRST_PAUSE

    @property
    def is_over(self) -> bool:
        """Whether the time for waiting is used up: from now on everything counts."""
        return self.paused_seconds >= self.most_seconds

    def is_disturbed(self, found: Activity) -> bool:
        """Whether others had so much of the machine that the model's latency is theirs as well."""
        busy = self._is_busy(found)
        stolen = found.stolen or 0.0
        throttled = found.throttled or 0.0
        disturbed = (
            busy
            or stolen > STOLEN_SHARE * self.processors * found.seconds + TICKS
            or throttled > THROTTLED_SHARE * found.seconds
        )
        if not disturbed:
            self._next_pause = FIRST_PAUSE
        return disturbed

    def wait_until_quiet(self) -> None:
        """Pause, and go on pausing while other programs run; each time for longer.

        What the hypervisor takes cannot be seen by whoever sleeps, so that one pause must do.
        """
        busy = True
        while busy and not self.is_over:
            seconds = min(self._next_pause, self.most_seconds - self.paused_seconds)
            before = self.read()
            self.sleep(seconds)
            self.paused_seconds += seconds
            self._next_pause = min(2 * self._next_pause, LONGEST_PAUSE)
            busy = self._is_busy(before.until(self.read()))

    def _is_busy(self, found: Activity) -> bool:
        allowed = OTHER_CORES + OTHER_SHARE * self.processors
        return (found.other or 0.0) > allowed * found.seconds + TICKS


class Distance:
    """Looks how far apart the processors are that this process may use."""

    def __init__(self, processors: Sequence[int] | None = None) -> None:
        found = sorted(allowed_processors()) if processors is None else [*processors]
        step = max(1, len(found) // MOST_PAIRS)
        ring = found[::step]
        self._pairs = list(zip(ring, ring[1:] + ring[:1], strict=True)) if len(ring) > 1 else []
        self._data = np.zeros(WORDS, dtype=np.uint64)

    def look(self) -> float | None:
        """How many times as long a processor takes to read what its neighbour has just written as
        to read what it has written itself, on average; None where that cannot be told."""
        if not self._pairs or not hasattr(os, "sched_setaffinity"):
            return None
        allowed = os.sched_getaffinity(0)
        try:
            sweeps = self._sweeps()
        except OSError:  # a processor that we may not use any more
            return None
        finally:
            os.sched_setaffinity(0, allowed)
        if len(sweeps) < LEAST_SWEEPS:
            return None
        own, *others = np.min(sweeps, axis=0)
        return float(np.mean(others) / max(own, 1.0))

    def _sweeps(self) -> list[list[int]]:
        """For each sweep the nanoseconds of a read of our own, then those between each pair."""
        begin = time.perf_counter()
        found: list[list[int]] = []
        while len(found) < SWEEPS and time.perf_counter() - begin < MOST_SECONDS:
            times = [self._read()]
            for writer, reader in self._pairs:
                os.sched_setaffinity(0, {writer})
                times.append(self._read(reader))
            found.append(times)
        return found

    def _read(self, reader: int | None = None) -> int:
        self._data.fill(1)
        if reader is not None:
            os.sched_setaffinity(0, {reader})
        start = time.perf_counter_ns()
        self._data.max()
        return time.perf_counter_ns() - start


def extremes(distances: Iterable[float]) -> tuple[float, float] | None:
    """The smallest and the largest of some distances, but for a few; None if there are none."""
    found = distances if isinstance(distances, np.ndarray) else np.array(list(distances))
    known = found[(found > 0) & (found < np.inf)]  # NaN is neither
    if not len(known):
        return None
    low, high = np.percentile(known, (5, 95))
    return float(low), float(high)


def may_move(root: Path = ROOT, processors: Iterable[int] | None = None) -> bool:
    """Whether a hypervisor may run our processors on different core complexes, although it says
    that they share a cache. Only the CPUs of one vendor have complexes of a few cores each."""
    ours = set(allowed_processors() if processors is None else processors)
    if not 2 <= len(ours) <= COMPLEX_CORES:
        return False
    try:
        cpu = (root / "proc/cpuinfo").read_text()
        folder = root / f"sys/devices/system/cpu/cpu{min(ours)}/cache/index3"
        shared = _numbers((folder / "shared_cpu_list").read_text())
    except (OSError, ValueError):
        return False
    return "AuthenticAMD" in cpu and " hypervisor" in cpu and ours <= shared


def _numbers(text: str) -> set[int]:
    """The processors of a list such as 0-3,8."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def are_apart(distance: float | None) -> bool:
    """Whether that is the distance of processors that do not share a cache."""
    return distance is not None and distance > APART


def bring_together(
    look: Look, most_seconds: float, pull: Callable[[float], None] | None = None
) -> tuple[float | None, float]:
    """Have a hypervisor bring our processors together that it has moved apart, for so many seconds
    at most; how far apart they are then, and the seconds that it took."""
    pull = pass_a_token_around if pull is None else pull
    begin = time.perf_counter()
    distance, waited = look(), 0.0
    while are_apart(distance) and waited < most_seconds:
        pull(min(PULL_SECONDS, most_seconds - waited))
        distance, waited = look(), time.perf_counter() - begin
    return distance, waited


def pass_a_token_around(seconds: float, processors: Sequence[int] | None = None) -> None:
    """Wake each processor by its neighbour, over and over. A scheduler brings whoever is woken near
    to the one who wakes it: that of the host sees our processors as threads that wake each other.
    Two that compute, as a model has them, drift apart instead."""
    ring = sorted(allowed_processors()) if processors is None else [*processors]
    if len(ring) < 2 or not hasattr(os, "sched_setaffinity"):
        return
    allowed = os.sched_getaffinity(0)
    pipes = [os.pipe() for _ in ring]

    def member(number: int) -> None:
        os.sched_setaffinity(0, {ring[number]})
        token = b""
        while token != LAST:
            token = os.read(pipes[number][0], 1)
            os.write(pipes[(number + 1) % len(ring)][1], token)

    others = [threading.Thread(target=member, args=(i,)) for i in range(1, len(ring))]
    for other in others:
        other.start()
    try:
        os.sched_setaffinity(0, {ring[0]})
        end = time.perf_counter() + seconds
        token = AGAIN
        while token != LAST:
            token = AGAIN if time.perf_counter() < end else LAST
            os.write(pipes[1][1], token)
            os.read(pipes[0][0], 1)
    finally:
        for other in others:
            other.join()
        os.sched_setaffinity(0, allowed)
        for ends in pipes:
            os.close(ends[0])
            os.close(ends[1])
