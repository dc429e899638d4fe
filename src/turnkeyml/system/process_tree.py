"""Process trees: descendants, memory usage, and out-of-memory kills."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

MOST_OF_THE_TIME = 0.05
"""The share of the time that may be spent on reading memory exactly."""


def descendants(pid: int) -> list[int]:
    """The PIDs of all descendants of a process, children first."""
    found: list[int] = []
    generation = [pid]
    while generation:
        generation = [child for parent in generation for child in children(parent)]
        found += generation
    return found


def children(pid: int) -> list[int]:
    """The PIDs of the children of a process."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        texts = [Path(f"/proc/{pid}/task/{task}/children").read_text() for task in tasks]
    except FileNotFoundError:
        return _children_by_psutil(pid)
    except OSError:
        return []
    return [int(word) for text in texts for word in text.split()]


def _children_by_psutil(pid: int) -> list[int]:
    """The slower way, for kernels without a list of children; empty for an exited process."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended; an ended one may wait to be reaped."""
    return _state(pid) not in ("", "Z", "X")


def is_stopped(pid: int) -> bool:
    """Whether a signal has stopped a process. One that a debugger has stopped does not count."""
    return _state(pid) == "T"


def _state(pid: int) -> str:
    """The letter that the kernel has for the state of a process; empty if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        return stat.rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def processes_with_variable(name: str, value: str) -> list[int]:
    """The processes whose environment had a variable with this value when they began."""
    wanted = f"{name}={value}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            variables = Path(f"/proc/{entry}/environ").read_bytes().split(b"\0")
        except OSError:  # ended meanwhile, or of another user
            continue
        if wanted in variables:
            found.append(int(entry))
    return found


@dataclass
class TreeMemory:
    """The memory of a process and its descendants, read as exactly as it has to be.

    It counts what only their end would give back: their own pages, shared memory and what of them
    is in swap; not the files that they have mapped. Processes that were forked share pages until
    one of them writes: each page counts once, or as the share of it that is theirs.
    """

    pid: int
    _exact: int = 0
    _exact_again_at: float = 0.0

    def used(self, limit: int | None = None) -> int:
        """The bytes in use; too many are given as long as they do not exceed the limit.

        Without a limit they are never too many.
        """
        family = [self.pid, *descendants(self.pid)]
        at_most = sum(map(_at_most, family))
        if limit is not None and at_most <= limit:
            return at_most
        begin = time.monotonic()
        if begin < self._exact_again_at:
            return min(self._exact, at_most)
        self._exact = min(at_most, sum(map(_share, family)))
        took = time.monotonic() - begin
        self._exact_again_at = begin + took / MOST_OF_THE_TIME
        return self._exact


def _at_most(pid: int) -> int:
    """The bytes of a process as if it shared none with others, which the kernel knows at once."""
    return _sum_of(f"/proc/{pid}/status", ("RssAnon:", "RssShmem:", "VmSwap:"))


def _share(pid: int) -> int:
    """The same with each page divided by the number of its users; takes milliseconds."""
    names = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")
    try:
        return _sum_of(f"/proc/{pid}/smaps_rollup", names, strictly=True)
    except (OSError, ValueError):  # an older kernel, or another user's process
        return _at_most(pid)


def _sum_of(path: str, names: tuple[str, ...], strictly: bool = False) -> int:
    """The sum of some kilobytes in a file of the kernel, in bytes.

    With ``strictly`` a missing file or name is an error, else nothing.
    """
    try:
        lines = Path(path).read_text("utf-8", "replace").splitlines()
    except OSError:
        if strictly:
            raise
        return 0
    found = [int(line.split()[1]) for line in lines if line.startswith(names)]
    if strictly and len(found) < len(names):
        raise ValueError(f"{path} does not have {names}")
    return 1024 * sum(found)


def start_time(pid: int) -> int | None:
    """When a process started, which tells it from a later one with its PID; None if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19])
    except FileNotFoundError:
        return _started_by_psutil(pid)
    except (OSError, ValueError, IndexError):
        return None


def _started_by_psutil(pid: int) -> int | None:
    """The slower way, for systems without ``/proc``."""
    import psutil

    try:
        return int(psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def out_of_memory_kills() -> int | None:
    """The number of out-of-memory kills since the system booted; None if it does not tell."""
    try:
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except (OSError, ValueError):
        return None
    return None
