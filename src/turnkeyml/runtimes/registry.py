"""The registry of devices and runtimes, from the folders of this package and from plugins.

A device is a folder with a ``DEVICE``; a runtime is a file in it with one ``Runtime``. The registry
is keyed by device and name, so that two devices can have a runtime of the same name.
"""

from __future__ import annotations

import functools
import inspect
import pkgutil
from importlib import import_module

import turnkeyml.runtimes
from turnkeyml.errors import UsageError
from turnkeyml.runtimes.contract import Device, Runtime

__all__ = [
    "available_runtimes",
    "default_device",
    "devices",
    "find_device",
    "find_runtime",
    "register",
    "runtimes",
]

_devices: dict[str, Device] = {}
_runtimes: dict[tuple[str, str], Runtime] = {}


def register(entry: Device | Runtime) -> None:
    """Add a device, or a runtime of a device, to the registry."""
    if isinstance(entry, Device):
        _devices[entry.name] = entry
    else:
        _runtimes[entry.device, entry.name] = entry


def devices() -> list[Device]:
    """Every registered device."""
    _load()
    return list(_devices.values())


def runtimes(device: str | None = None) -> list[Runtime]:
    """Every runtime, or those of one device; the default runtime comes first."""
    _load()
    found = [r for r in _runtimes.values() if device in (None, r.device)]
    return sorted(found, key=lambda r: (r.name != _devices[r.device].default_runtime, r.name))


def available_runtimes(device: str) -> list[Runtime]:
    """The runtimes of a device whose requirements are installed."""
    return [runtime for runtime in runtimes(device) if runtime.is_available]


def default_device() -> Device:
    """The default device: the host."""
    return next((device for device in devices() if device.is_host), devices()[0])


def find_device(name: str) -> Device:
    """The device of that name; a usage error lists the known ones if there is none."""
    _load()
    if name not in _devices:
        raise UsageError(f"Unknown device {name!r}; choose from: {', '.join(_devices)}.")
    return _devices[name]


def find_runtime(name: str, device: str) -> Runtime:
    """The runtime of that name on a device; a usage error lists the known ones if there is none."""
    find_device(device)
    if (device, name) not in _runtimes:
        known = ", ".join(r.name for r in runtimes(device))
        raise UsageError(f"Unknown runtime {name!r} for device {device}; choose from: {known}.")
    return _runtimes[device, name]


@functools.cache
def _load() -> None:
    """Import the folders of the built-in devices, once."""
    for folder in pkgutil.iter_modules(turnkeyml.runtimes.__path__):
        if not folder.ispkg:
            continue
        package = import_module(f"{turnkeyml.runtimes.__name__}.{folder.name}")
        register(package.DEVICE)
        for file in pkgutil.iter_modules(package.__path__):
            for runtime in _runtimes_in(f"{package.__name__}.{file.name}"):
                runtime.device = package.DEVICE.name
                register(runtime)


def _runtimes_in(module: str) -> list[Runtime]:
    """An instance of each concrete runtime class that a module defines."""
    classes = vars(import_module(module)).values()
    return [
        kind()
        for kind in classes
        if inspect.isclass(kind)
        and issubclass(kind, Runtime)
        and kind.__module__ == module
        and not inspect.isabstract(kind)
    ]
