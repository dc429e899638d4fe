"""This machine, its devices and their runtimes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DeviceInfo", "RuntimeInfo", "SystemInfo"]


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
class SystemInfo:
    """This machine, the installed libraries, the devices and their runtimes."""

    turnkey_version: str
    python_version: str
    platform: str
    cpu: str
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
    devices: tuple[DeviceInfo, ...]
