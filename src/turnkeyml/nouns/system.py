"""This machine, its devices, their runtimes, and the plugins that are installed."""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.nouns.evaluations import Grade


@dataclass(frozen=True)
class RuntimeInfo:
    """A runtime of a device, and whether it is available."""

    name: str
    title: str
    available: bool
    version: str
    """The version of its library; empty if that is not installed."""
    missing: tuple[str, ...] = ()
    """What is not installed, each with how to get it."""
    obstacle: str = ""
    """Why its device cannot be used although everything is installed, and what to do."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device type and its runtimes."""

    name: str
    title: str
    default: bool
    description: str
    """The product name of the device in this machine."""
    runtimes: tuple[RuntimeInfo, ...] = ()

    @property
    def available(self) -> bool:
        """Whether at least one of its runtimes is available."""
        return any(runtime.available for runtime in self.runtimes)


@dataclass(frozen=True)
class GpuInfo:
    """A GPU of this machine."""

    name: str
    driver: str
    """The version of its driver; empty without one."""
    memory_bytes: int | None


@dataclass(frozen=True)
class NoiseFloor:
    """What this machine does to a loop that always does the same, measured like a model."""

    seconds: float
    """For how long the loop was timed."""
    timer_nanoseconds: float
    """The cost of reading the clock."""
    loop_latency: float
    """The median of the loop in milliseconds."""
    loop_spread: float
    """The width of the middle half of its runs, relative to the median."""
    loop_p99: float | None
    """By how much, relative to it, its 99th percentile is above the median."""
    other_cores: float | None
    """The average number of processors that other programs used meanwhile."""
    stolen_share: float | None
    """The share of our processor time that the hypervisor gave to others."""
    throttled_seconds: float | None
    """That the CPU quota made us wait."""
    processor_distance: float | None
    """How many times as long a processor takes to read what another has just written as to read
    what it has written itself."""
    processors_apart: bool | None
    """Whether a hypervisor runs the processors on different core complexes; None if unknown."""
    memory_speed: float | None
    """Gigabytes that are copied in a second."""
    load_average: float | None
    governor: str | None
    frequency_mhz: float | None
    grade: Grade
    """What a measurement would get now."""
    margin: float | None
    """By how much, relative to it, a median may be wrong; None if nobody can tell."""
    reasons: tuple[str, ...]
    """Why the grade is what it is, in sentences that say what to do."""


@dataclass(frozen=True)
class SystemInfo:
    """This machine, the installed libraries, the devices and their runtimes."""

    turnkey_version: str
    python_version: str
    python: str
    """The path of the interpreter."""
    platform: str
    cpu: str
    architecture: str
    """Of the processor, as the operating system calls it: ``x86_64``, ``aarch64``."""
    processors: int
    """Logical processors that this process may run on."""
    usable_cores: int
    """Physical cores that it may use, within its CPU quota."""
    cpu_quota: float | None
    """The CPU quota of the control groups, in cores; None without a limit."""
    memory_bytes: int | None
    """The memory of the machine."""
    libraries: dict[str, str]
    """Versions by package; empty for one that is not installed."""
    gpus: tuple[GpuInfo, ...]
    devices: tuple[DeviceInfo, ...]
    plugin_problems: tuple[str, ...]
    """A sentence for each problem of a plugin."""
    noise: NoiseFloor | None
    """None if numpy, which it needs, cannot be imported."""


@dataclass(frozen=True)
class PluginInfo:
    """An installed plugin, and what turnkey has accepted of it."""

    name: str
    version: str
    source: str
    """How it was found: its entry point, or the package by its name."""
    location: str
    """The folder that it was imported from; empty if that failed."""
    devices: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    """Each with its device: ``name on device``."""
    sequences: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """A sentence for each."""
