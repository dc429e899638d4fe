"""How much memory a process and everything it started use, and who was killed for it."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["descendants", "out_of_memory_kills", "tree_bytes"]


def descendants(pid: int) -> list[int]:
    """Every process that a process has started, directly or not, the nearest first."""
    found: list[int] = []
    row = [pid]
    while row:
        row = [child for parent in row for child in _children(parent)]
        found += row
    return found


def _children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        texts = [Path(f"/proc/{pid}/task/{task}/children").read_text() for task in tasks]
    except FileNotFoundError:
        return _children_slowly(pid)
    except OSError:
        return []
    return [int(word) for text in texts for word in text.split()]


def _children_slowly(pid: int) -> list[int]:
    """Where the kernel keeps no list; also for a process that has just ended."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def tree_bytes(pid: int) -> int:
    """Memory that is their own; what they share with others, such as libraries, is not counted."""
    return sum(map(_own_bytes, [pid, *descendants(pid)]))


def _own_bytes(pid: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def out_of_memory_kills() -> int:
    """How many processes the system has killed for want of memory since it was started."""
    try:
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:
        return 0
    return 0
