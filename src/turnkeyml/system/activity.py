"""What else uses the processors that we measure on, from the kernel's own counters.

The counters of the machine cannot tell what a script left running, its threads and the processes
that it started, from our own work nor from other programs: these are counted by themselves.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from turnkeyml.system import machine
from turnkeyml.system.process_tree import children, descendants

ROOT = Path("/")
LOOK_SECONDS = 0.002
SPIN_SECONDS = 0.5
"""Threads that wait for work keep a processor busy for a while; with OpenBLAS for 0.1 s, with the
OpenMP of Intel for 0.2 s. What uses one for longer is at work."""
LEAST_CORES = 0.01
"""Of a processor: what uses less is not counted."""


@dataclass(frozen=True)
class Reading:
    """Counters at one moment, in seconds except for ``overheated``; None where there is none."""

    moment: float
    own: float
    """Processor time of this process and of those that started it and wait for it."""
    busy: float | None = None
    """Time that the processors we may use spent on anything."""
    stolen: float | None = None
    """Time that the hypervisor gave to others although we wanted it."""
    throttled: float | None = None
    """Time that our control group had to wait because its quota was used up."""
    overheated: int | None = None
    """How often the processor slowed itself down because of heat."""

    def until(self, later: Reading) -> Activity:
        """What happened from here to a later reading."""
        busy = _difference(self.busy, later.busy)
        own = later.own - self.own
        return Activity(
            seconds=later.moment - self.moment,
            other=None if busy is None else busy - own,
            stolen=_difference(self.stolen, later.stolen),
            throttled=_difference(self.throttled, later.throttled),
            overheated=_difference(self.overheated, later.overheated),
        )


@dataclass(frozen=True)
class Activity:
    """What happened on our processors over some time, in seconds; None where it is not known."""

    seconds: float
    other: float | None = None
    """Processor time of other programs; below zero where a tick of the kernel is still to come."""
    stolen: float | None = None
    throttled: float | None = None
    overheated: float | None = None

    @property
    def other_cores(self) -> float | None:
        """How many processors the others kept busy, on average."""
        if self.other is None or not self.seconds:
            return None
        return max(0.0, self.other / self.seconds)

    def __add__(self, more: Activity) -> Activity:
        return Activity(
            self.seconds + more.seconds,
            _sum(self.other, more.other),
            _sum(self.stolen, more.stolen),
            _sum(self.throttled, more.throttled),
            _sum(self.overheated, more.overheated),
        )


def read_activity(root: Path = ROOT) -> Reading:
    """The counters now. ``root`` is where /proc and /sys are."""
    busy, stolen = _processor_seconds(root)
    return Reading(
        moment=time.perf_counter(),
        own=time.process_time() + _waiting_seconds(root),
        busy=busy,
        stolen=stolen,
        throttled=_throttled_seconds(root),
        overheated=_overheated(root),
    )


def _waiting_seconds(root: Path) -> float:
    """Processor time of the processes above this one: whoever started the measurement is ours."""
    return sum(processor_seconds(str(pid), root=root) for pid in _ancestors(os.getpid()))


@functools.cache
def _ancestors(pid: int) -> tuple[int, ...]:
    """Whoever started a process, and whoever started that; the first of all is the system's."""
    found: list[int] = []
    while (fields := _stat(ROOT, found[-1] if found else pid)) and int(fields[1]) > 1:
        found.append(int(fields[1]))
    return tuple(found)


def _processor_seconds(root: Path) -> tuple[float | None, float | None]:
    """Busy and stolen time of the processors we may use."""
    ours = {f"cpu{number}" for number in machine.allowed_processors()}
    try:
        lines = (root / "proc/stat").read_text().splitlines()
        rows = [line.split()[1:] for line in lines if line.split(maxsplit=1)[0] in ours]
    except (OSError, IndexError):
        return None, None
    if not rows:
        return None, None
    tick = os.sysconf("SC_CLK_TCK")
    # user, nice, system, idle, iowait, irq, softirq, steal; guests are counted as user already
    busy = sum(int(row[column]) for row in rows for column in (0, 1, 2, 5, 6))
    stolen = sum(int(row[7]) for row in rows if len(row) > 7)
    return busy / tick, stolen / tick


def _throttled_seconds(root: Path) -> float | None:
    """Of whichever group around us had to wait most: each counts for its own quota."""
    found = []
    for group in machine.cpu_groups(root):
        try:
            lines = (group / "cpu.stat").read_text().splitlines()
        except OSError:
            continue
        counters = dict(line.split() for line in lines)
        if "throttled_usec" in counters:
            found.append(int(counters["throttled_usec"]) / 1e6)
        elif "throttled_time" in counters:
            found.append(int(counters["throttled_time"]) / 1e9)
    return max(found, default=None)


def _overheated(root: Path) -> int | None:
    counts = []
    for number in machine.allowed_processors():
        folder = root / f"sys/devices/system/cpu/cpu{number}/thermal_throttle"
        try:
            counts.append(int((folder / "core_throttle_count").read_text()))
        except (OSError, ValueError):
            continue
    return sum(counts) if counts else None


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def processor_seconds(process: str, *, ended: bool = False, root: Path = ROOT) -> float:
    """Processor time of what /proc has under a name, such as a PID; 0 once it is gone.

    With ``ended``, also that of its children that have ended.
    """
    fields = _stat(root, process)
    used = fields[11:15] if ended else fields[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


def _stat(root: Path, pid: int | str) -> list[str]:
    """What the kernel says of a process, from its state on; nothing where it says nothing."""
    try:
        # A name may contain anything, so that only what follows its last bracket can be split.
        return (root / f"proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def has_running_threads() -> bool:
    """Whether threads of this process other than the caller's use a processor, or wait for one."""
    return next(running_threads(), None) is not None


def running_threads() -> Iterator[int]:
    """The threads of this process, but the caller's, that use a processor or wait for one."""
    own = threading.get_native_id()
    try:
        others = [int(name) for name in os.listdir("/proc/self/task") if int(name) != own]
    except OSError:
        return  # not Linux: nobody knows
    for thread in others:
        if _stat(ROOT, f"self/task/{thread}")[:1] == ["R"]:
            yield thread


@dataclass(frozen=True)
class OwnLoad:
    """What the threads and processes that a script left did over some time."""

    seconds: float
    thread_seconds: float = 0.0
    """Processor time of the threads, and of the processes."""
    process_seconds: float = 0.0
    threads: int = 0
    """How many of them used a processor at all."""
    processes: int = 0

    @property
    def cores(self) -> float:
        """How many processors they kept busy, on average."""
        return (self.thread_seconds + self.process_seconds) / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Usage:
    """Processor seconds at one moment, by the number of the thread or process."""

    moment: float = field(default_factory=time.perf_counter)
    threads: dict[int, float] = field(default_factory=dict)
    processes: dict[int, float] = field(default_factory=dict)

    def until(self, later: Usage) -> OwnLoad | None:
        """What happened from here to a later moment; None if nothing was left."""
        if not self.threads and not self.processes:
            return None
        seconds = later.moment - self.moment
        threads = list(_used(self.threads, later.threads))
        processes = list(_used(self.processes, later.processes))
        return OwnLoad(
            seconds,
            sum(threads),
            sum(processes),
            sum(used > LEAST_CORES * seconds for used in threads),
            sum(used > LEAST_CORES * seconds for used in processes),
        )


@dataclass
class _Left:
    """The threads and the processes of this process that a script left."""

    threads: tuple[int, ...] = ()
    processes: tuple[int, ...] = ()


_left = _Left()


def note_leftovers() -> None:
    """Remember what runs besides us, now that the script has ended."""
    others = [t for t in threading.enumerate() if t is not threading.current_thread()]
    python = {t.native_id for t in others if t.native_id is not None}
    _left.threads = (*python, *_busy_threads(python))
    _left.processes = tuple(children(os.getpid()))


def read_leftovers() -> Usage:
    """What the threads and processes that were noted have used by now."""
    return Usage(
        threads={thread: processor_seconds(f"self/task/{thread}") for thread in _left.threads},
        processes={pid: _tree_seconds(pid) for pid in _left.processes},
    )


def _busy_threads(known: set[int]) -> set[int]:
    """Threads that Python did not start and that are at work although nothing has called them.

    Threads of a pool sleep soon; none are told apart from work where they are set to spin forever.
    """
    busy = set(running_threads()) - known
    begin = time.monotonic()
    while busy and not _pools_spin() and time.monotonic() - begin < SPIN_SECONDS:
        time.sleep(LOOK_SECONDS)
        busy &= set(running_threads())
    return set() if _pools_spin() else busy


def _pools_spin() -> bool:
    """Whether threads of OpenMP keep their processors while they wait."""
    policy, block = (os.environ.get(n, "").lower() for n in ("OMP_WAIT_POLICY", "KMP_BLOCKTIME"))
    return policy == "active" or block == "infinite" or "GOMP_SPINCOUNT" in os.environ


def _tree_seconds(pid: int) -> float:
    """Processor time of a process and its descendants, those that have ended included."""
    return sum(processor_seconds(str(p), ended=True) for p in (pid, *descendants(pid)))


def _used(before: dict[int, float], after: dict[int, float]) -> Iterator[float]:
    """What each has used since; nothing of one that has ended."""
    for number, seconds in before.items():
        yield max(0.0, after.get(number, 0.0) - seconds)
