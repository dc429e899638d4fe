"""What is known of this machine: its processor, the cores we may use, the memory we have used."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import platform
from pathlib import Path

__all__ = ["cpu_name", "peak_memory_bytes", "reset_peak_memory", "usable_cores"]


@functools.cache
def cpu_name() -> str:
    """The processor, as its maker calls it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    except FileNotFoundError:
        return platform.processor() or platform.machine()  # not Linux: a plainer name
    return platform.processor() or platform.machine()


@functools.cache
def usable_cores() -> int:
    """Physical cores that this process may run on, within its affinity and its CPU quota."""
    try:
        allowed = os.sched_getaffinity(0)
    except AttributeError:
        allowed = set(range(os.cpu_count() or 1))
    cores = {_core_of(cpu) for cpu in allowed}
    quota = _cpu_quota()
    return max(1, min(len(cores), math.ceil(quota) if quota else len(cores)))


def _core_of(cpu: int) -> str:
    """A name for the physical core of a logical one; itself where the kernel does not say."""
    siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return siblings.read_text().strip()
    except OSError:
        return str(cpu)


def _cpu_quota() -> float | None:
    """Cores' worth of time that the control group grants, or None without a limit."""
    try:
        relative = Path("/proc/self/cgroup").read_text().strip().splitlines()[-1].split(":")[-1]
        for group in (f"/sys/fs/cgroup{relative}", "/sys/fs/cgroup"):
            limit = Path(group, "cpu.max")
            if limit.exists():
                quota, period = limit.read_text().split()
                return None if quota == "max" else int(quota) / int(period)
        quota_us = int(Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").read_text())
        period_us = int(Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us").read_text())
        return quota_us / period_us if quota_us > 0 else None
    except (OSError, ValueError, IndexError):
        return None


def reset_peak_memory() -> None:
    """Start a new peak of resident memory, where the kernel allows it."""
    # Without it the peak is that of the whole process, which is still an upper bound.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_bytes() -> int | None:
    """The most resident memory since the last reset, or None where the kernel does not say."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return None
    return None
