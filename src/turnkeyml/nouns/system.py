"""What is known of this machine and of the runtimes that can be used on it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DeviceInfo", "RuntimeInfo", "SystemInfo"]


@dataclass(frozen=True)
class RuntimeInfo:
    """A runtime of a device, and whether it can be used here."""

    name: str
    title: str
    available: bool
    version: str
    """Of its library; empty where that is not installed."""
    missing: tuple[str, ...] = ()
    """What is not installed here, each with how to get it."""


@dataclass(frozen=True)
class DeviceInfo:
    """A kind of hardware and its runtimes."""

    name: str
    title: str
    default: bool
    description: str
    """The one in this machine, as its maker calls it."""
    runtimes: tuple[RuntimeInfo, ...] = ()

    @property
    def available(self) -> bool:
        """Whether at least one of its runtimes can be used here."""
        return any(runtime.available for runtime in self.runtimes)


@dataclass(frozen=True)
class SystemInfo:
    """This machine, the libraries that are installed, the devices and their runtimes."""

    turnkey_version: str
    python_version: str
    platform: str
    cpu: str
    processors: int
    """Logical processors that this process may run on."""
    usable_cores: int
    """Physical cores that it may use, within its CPU quota."""
    cpu_quota: float | None
    """Cores' worth of time that the control groups grant; None without a limit."""
    memory_bytes: int | None
    """Of the whole machine."""
    libraries: dict[str, str]
    """Versions, by package; empty for one that is not installed."""
    devices: tuple[DeviceInfo, ...]
