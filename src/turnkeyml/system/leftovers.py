"""What a script left running: threads of this process, and processes that it started.

The counters of the machine cannot tell them from our own work, nor from other programs.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from turnkeyml.system.activity import processor_seconds, running_threads
from turnkeyml.system.process_tree import children, descendants

LOOK_SECONDS = 0.002
SPIN_SECONDS = 0.5
"""Threads that wait for work keep a processor busy for a while; with OpenBLAS for 0.1 s, with the
OpenMP of Intel for 0.2 s. What uses one for longer is at work."""
LEAST_CORES = 0.01
"""Of a processor: what uses less is not counted."""


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
