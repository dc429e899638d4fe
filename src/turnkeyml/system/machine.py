"""This machine: its CPU, the cores that we may use, clock rate, memory and GPUs.

A GPU is described as its driver or the PCI bus reports it; no library is needed.
"""

from __future__ import annotations

import functools
import math
import os
import platform
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
ARM_CORES = {
    "0xd03": "Cortex-A53",
    "0xd07": "Cortex-A57",
    "0xd08": "Cortex-A72",
    "0xd0b": "Cortex-A76",
    "0xd0c": "Neoverse N1",
    "0xd40": "Neoverse V1",
    "0xd49": "Neoverse N2",
    "0xd4f": "Neoverse V2",
}
"""The cores of Arm, by the numbers that Linux gives instead of their names."""
_UNITS = {"K": 1 << 10, "M": 1 << 20}
SMI = "nvidia-smi"
SMI_SECONDS = 10.0
"""It starts the driver where nothing else has; one that hangs must not hang us."""
DISPLAY_CLASS = "0x03"
VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
"""Whose devices compute; the display of a virtual machine or of a server's console does not."""


@functools.cache
def cpu_name(root: Path = Path("/")) -> str:
    """The model name of the CPU."""
    try:
        lines = (root / "proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        lines = []  # not Linux: a plainer name
    found = {key.strip(): value.strip() for key, _, value in (row.partition(":") for row in lines)}
    core = ARM_CORES.get(found.get("CPU part", ""))
    if core is not None and found.get("CPU implementer") == "0x41":
        return f"Arm {core}"
    return found.get("model name") or platform.processor() or platform.machine()


def allowed_processors() -> set[int]:
    """The logical CPUs that this process may run on (its affinity)."""
    try:
        return os.sched_getaffinity(0)
    except AttributeError:  # not Linux
        return set(range(os.cpu_count() or 1))


@functools.cache
def usable_cores() -> int:
    """The number of physical cores within the affinity and the CPU quota of this process."""
    cores = {_core_of(cpu) for cpu in allowed_processors()}
    quota = cpu_quota()
    return max(1, min(len(cores), math.ceil(quota) if quota else len(cores)))


def _core_of(cpu: int) -> str:
    """An identifier for the physical core of a logical CPU; its own number if unknown."""
    siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return siblings.read_text().strip()
    except OSError:
        return str(cpu)


def cpu_quota(root: Path = Path("/")) -> float | None:
    """The CPU quota of the cgroups in cores, or None without a limit."""
    quotas = [q for group in cpu_groups(root) if (q := _quota_of(group)) is not None]
    return min(quotas, default=None)


def _quota_of(group: Path) -> float | None:
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota = (group / "cpu.cfs_quota_us").read_text()
            period = (group / "cpu.cfs_period_us").read_text()
        return None if quota == "max" or int(quota) <= 0 else int(quota) / int(period)
    except (OSError, ValueError):
        return None


@functools.cache
def cpu_groups(root: Path = Path("/")) -> list[Path]:
    """The cgroups that can limit our CPU time, the innermost first."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    groups = []
    for line in lines:
        _, controllers, path = line.split(":", maxsplit=2)
        if controllers == "":  # the unified hierarchy
            mounts = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
        elif "cpu" in controllers.split(","):
            mounts = [root / "sys/fs/cgroup" / controllers, root / "sys/fs/cgroup/cpu"]
        else:
            continue
        # In a container our cgroup is the root of the mount, whatever its path is outside.
        paths = [path, *(str(parent) for parent in Path(path).parents)]
        groups += [mount / p.lstrip("/") for mount in mounts for p in paths]
    return [group for group in dict.fromkeys(groups) if group.is_dir()]


def governor() -> str | None:
    """The CPU frequency scaling governor, or None if unknown."""
    return _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def frequency_mhz() -> float | None:
    """The current CPU frequency in MHz, or None if unknown."""
    kilohertz = _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
    if kilohertz and kilohertz.isdigit():
        return int(kilohertz) / 1000
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("cpu MHz"):
                return float(line.partition(":")[2])
    except (OSError, ValueError):
        return None
    return None


def last_cache_bytes(root: Path = Path("/")) -> int | None:
    """Bytes of the largest caches of the processors we may use, together; None if unknown."""
    sizes: dict[str, int] = {}
    for number in allowed_processors():
        caches = sorted((root / f"sys/devices/system/cpu/cpu{number}/cache").glob("index*"))
        for cache in caches[-1:]:
            size, shared = _first_line(f"{cache}/size"), _first_line(f"{cache}/shared_cpu_list")
            if size and size[:-1].isdigit() and size[-1] in _UNITS:
                sizes[shared or str(number)] = int(size[:-1]) * _UNITS[size[-1]]
    return sum(sizes.values()) or None


def load_average() -> float | None:
    """The load average over the last minute, or None if unknown."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def _first_line(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def total_memory_bytes() -> int | None:
    """The physical memory of the machine in bytes, or None if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not Linux
        return None


@dataclass(frozen=True)
class GpuInfo:
    """A GPU; what its driver does not tell is empty."""

    name: str
    driver: str = ""
    memory_bytes: int | None = None


def find_gpus(root: Path = ROOT) -> list[GpuInfo]:
    """Every GPU; of one without a driver only the vendor and the number of the model."""
    working = _from_driver()
    others = [gpu for gpu in _from_bus(root) if not (working and gpu.name.startswith("NVIDIA"))]
    return working + others


def _from_driver() -> list[GpuInfo]:
    import shutil
    import subprocess

    program = shutil.which(SMI)
    if program is None:
        return []
    query = "--query-gpu=name,driver_version,memory.total"
    command = [program, query, "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SMI_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return [gpu for line in lines if (gpu := _parsed(line)) is not None]


def _parsed(line: str) -> GpuInfo | None:
    fields = [field.strip() for field in line.split(",")]
    if len(fields) != 3 or not fields[0]:
        return None
    mebibytes = int(fields[2]) if fields[2].isdigit() else None
    return GpuInfo(fields[0], fields[1], None if mebibytes is None else mebibytes << 20)


def _from_bus(root: Path) -> list[GpuInfo]:
    found = []
    for folder in sorted((root / "sys/bus/pci/devices").glob("*")):
        try:
            kind, vendor, model = (
                (folder / name).read_text().strip() for name in ("class", "vendor", "device")
            )
        except OSError:
            continue
        if kind.startswith(DISPLAY_CLASS) and vendor in VENDORS:
            found.append(GpuInfo(f"{VENDORS[vendor]} GPU, PCI device {model.removeprefix('0x')}"))
    return found
