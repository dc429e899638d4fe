"""The registry of devices and runtimes, from the folders of this package and from plugins.

The ``__init__`` of a folder has the ``DEVICE`` of a kind of hardware, or the runtimes of an engine:
a class per device that it runs on. The registry is keyed by device and name, so that an engine has
the same name on each. Plugins are registered after the built-in ones, when something is asked for
that is not built in, or everything.
"""

from __future__ import annotations

import copy
import functools
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import ModuleType

import turnkeyml.runtimes
from turnkeyml.errors import UsageError, describe
from turnkeyml.runtimes.contract import SEPARATOR, Device, Runtime
from turnkeyml.runtimes.plugins import InstalledPlugin, installed_plugins, problems

MOST_PARTS = 4
"""That a message lists."""

_devices: dict[str, Device] = {}
_runtimes: dict[tuple[str, str], Runtime] = {}


def register(entry: Device | Runtime) -> None:
    """Add a device, or a runtime of a device, to the registry."""
    if isinstance(entry, Device):
        _devices[entry.name] = entry
    else:
        entry.machines = _devices[entry.device].machines
        _runtimes[entry.device, entry.name] = entry


def all_devices() -> list[Device]:
    """Every registered device, those of plugins included."""
    _load_plugins()
    return list(_devices.values())


def local_devices() -> list[Device]:
    """The devices that this machine may have: all but the CPUs of other machines."""
    return [device for device in all_devices() if _may_be_here(device)]


def all_runtimes(device: str | None = None) -> list[Runtime]:
    """Every runtime, or those of one device; the default runtime comes first."""
    _load_plugins()
    found = [r for r in _runtimes.values() if device is None or _is_on(r, device)]
    return sorted(found, key=lambda r: (r.name != _devices[r.device].default_runtime, r.name))


def available_runtimes(device: str) -> list[Runtime]:
    """The runtimes of a device whose requirements are installed."""
    every = (find_runtime(runtime.name, device) for runtime in all_runtimes(device))
    return [runtime for runtime in every if runtime.is_available]


def default_device() -> Device:
    """The default device: the host."""
    _load()
    host = next((device for device in _devices.values() if device.is_host), None)
    return host or all_devices()[0]


def find_device(name: str) -> Device:
    """The device of that name, with its part and configuration; a usage error if there is none.

    Plugins are only looked for if it is not built in.
    """
    _load()
    found = _device_at(name)
    if found is None:
        _load_plugins()
        found = _device_at(name)
    if found is None:
        here = filter(_may_be_here, _devices.values())
        host_first = sorted(here, key=lambda device: not device.is_host)
        known = ", ".join(n for device in host_first for n in listed_names(device))
        raise UsageError(f"Unknown device {name!r}; choose from: {known}.{_hint()}")
    return found


def find_runtime(name: str, device: str) -> Runtime:
    """The runtime of that name on a device; a usage error lists the known ones if there is none."""
    found = find_device(device)
    if (found.family, name) not in _runtimes:
        _load_plugins()
    runtime = _runtimes.get((found.family, name))
    if runtime is None or not runtime.supports(found.name):
        known = ", ".join(r.name for r in all_runtimes(found.name))
        raise UsageError(
            f"Unknown runtime {name!r} for device {found.name}; choose from: {known}.{_hint()}"
        )
    if runtime.device != found.name:
        runtime = copy.copy(runtime)
        runtime.device = found.name
    return runtime


def listed_names(device: Device) -> list[str]:
    """The names that a message lists; of a device with many parts just the family."""
    return [*device.names()] if len(device.parts) <= MOST_PARTS else [device.family]


def _device_at(name: str) -> Device | None:
    family = _devices.get(name.partition(SEPARATOR)[0])
    return family.at(name) if family is not None else None


def _may_be_here(device: Device) -> bool:
    return not device.machines or device.is_host


def _is_on(runtime: Runtime, device: str) -> bool:
    """Whether a runtime is one of a device; of a family if any of its parts will do."""
    family = device.partition(SEPARATOR)[0]
    return runtime.device == family and (device == family or runtime.supports(device))


def _hint() -> str:
    return " Some plugins have problems; see 'turnkey plugins'." if problems() else ""


@functools.cache
def _load() -> None:
    """Import the folders of the built-in devices and engines, once."""
    name, path = turnkeyml.runtimes.__name__, turnkeyml.runtimes.__path__
    folders = [import_module(f"{name}.{m.name}") for m in pkgutil.iter_modules(path) if m.ispkg]
    for folder in folders:
        if hasattr(folder, "DEVICE"):
            register(folder.DEVICE)
    for folder in folders:
        for runtime in _runtimes_in(folder):
            register(runtime)
    for device in _devices.values():
        _share_runtimes(device)


def _share_runtimes(device: Device) -> None:
    """Register the runtimes that a device shares with another one."""
    for (other, name), runtime in list(_runtimes.items()):
        if other == device.runtimes_of and (device.name, name) not in _runtimes:
            shared = copy.copy(runtime)
            shared.device = device.name
            register(shared)


def _runtimes_in(module: ModuleType) -> list[Runtime]:
    """An instance of each concrete runtime class that a module defines."""
    classes = vars(module).values()
    return [
        kind()
        for kind in classes
        if inspect.isclass(kind)
        and issubclass(kind, Runtime)
        and kind.__module__ == module.__name__
        and not inspect.isabstract(kind)
    ]


@functools.cache
def _load_plugins() -> None:
    """Register the devices and the runtimes of the plugins, once, after the built-in ones."""
    _load()
    for plugin in installed_plugins():
        for device in plugin.content.devices:
            _register_device(device, plugin)
        for kind in plugin.content.runtimes:
            _register_runtime(kind, plugin)
    for plugin in installed_plugins():  # the default runtime may come from another one
        for name in plugin.accepted.get("devices", ()):
            default = _devices[name].default_runtime
            if (name, default) not in _runtimes:
                plugin.refuse(
                    f"has a device {name} whose default runtime {default!r} does not exist"
                )


def _register_device(device: Device, plugin: InstalledPlugin) -> None:
    known = _devices.get(device.name)
    if known is not None and not plugin.extends_devices:
        plugin.refuse(f"claims the device {device.name}, which exists already", "rename it")
        return
    if not _is_name(device.name):
        plugin.refuse(f"has a device {device.name!r}, which is no name", "use letters and digits")
        return
    if known is None:
        register(replace(device, describe=_careful(device)))
    elif device.parts:
        parts = {**device.parts, **known.parts}
        # What the name of the family means must not depend on who adds parts to it.
        meant = known.at(known.name) or known
        register(replace(known, parts=parts, default_name=meant.name))
    if known is None or device.parts:
        plugin.accept("devices", device.name)


def _careful(device: Device) -> Callable[[], str]:
    """The description of a plugin's device; its title if the plugin fails to describe it."""

    def describe_device() -> str:
        try:
            return str(device.describe())
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            return f"{device.title} (unknown: {describe(error)})"

    return describe_device


def _register_runtime(kind: type[Runtime], plugin: InstalledPlugin) -> None:
    try:
        runtime = kind()
        name, device = runtime.name, runtime.device
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        plugin.refuse(f"has a runtime {kind!r} that cannot be made: {describe(error)}")
        return
    if not isinstance(runtime, Runtime) or not _is_name(name):
        plugin.refuse(f"has a runtime {name!r}, which is no name or no Runtime")
    elif device not in _devices:
        plugin.refuse(f"has a runtime {name} for the device {device!r}, which does not exist")
    elif (device, name) in _runtimes:
        plugin.refuse(
            f"claims the runtime {name} of the device {device}, which exists already", "rename it"
        )
    else:
        register(runtime)
        plugin.accept("runtimes", f"{name} on {device}")


def _is_name(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][\w.+-]*", name) is not None
