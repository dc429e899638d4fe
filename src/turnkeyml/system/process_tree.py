"""Process trees: descendants, memory usage, and out-of-memory kills."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["children", "descendants", "out_of_memory_kills", "started", "tree_bytes"]


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


def tree_bytes(pid: int) -> int:
    """The unshared resident memory of a process and its descendants in bytes."""
    return sum(map(_own_bytes, [pid, *descendants(pid)]))


def _own_bytes(pid: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def started(pid: int) -> int | None:
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


def out_of_memory_kills() -> int:
    """The number of out-of-memory kills since the system booted."""
    try:
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        return 0
    return 0
