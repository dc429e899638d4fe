"""``system_info``: this machine and the runtimes that are available on it."""

from __future__ import annotations

import platform
import re
from importlib import metadata

import turnkeyml
from turnkeyml.nouns.system import DeviceInfo, RuntimeInfo, SystemInfo
from turnkeyml.runtimes.contract import Device, Runtime
from turnkeyml.runtimes.registry import default_device, devices, runtimes
from turnkeyml.system import machine

__all__ = ["system_info"]


def system_info() -> SystemInfo:
    """This machine, the versions of installed libraries, and which runtimes are available.

    It does not import the libraries.
    """
    return SystemInfo(
        turnkey_version=turnkeyml.__version__,
        python_version=platform.python_version(),
        platform=platform.platform(),
        cpu=machine.cpu_name(),
        processors=len(machine.allowed_processors()),
        usable_cores=machine.usable_cores(),
        cpu_quota=machine.cpu_quota(),
        memory_bytes=machine.total_memory_bytes(),
        libraries={name: _version(name) for name in _libraries()},
        devices=tuple(map(_device, devices())),
    )


def _device(device: Device) -> DeviceInfo:
    return DeviceInfo(
        name=device.name,
        title=device.title,
        default=device == default_device(),
        description=device.describe(),
        runtimes=tuple(map(_runtime, runtimes(device.name))),
    )


def _runtime(runtime: Runtime) -> RuntimeInfo:
    missing = [*map(str, runtime.missing())]
    if not missing and (obstacle := runtime.obstacle()) is not None:
        missing.append(f"a device that is ready ({obstacle})")
    return RuntimeInfo(
        name=runtime.name,
        title=runtime.title,
        available=not missing,
        version=_version(runtime.library),
        missing=tuple(missing),
    )


def _libraries() -> list[str]:
    """The packages that turnkeyml and the runtimes need."""
    try:
        required = metadata.requires("turnkeyml") or []
    except metadata.PackageNotFoundError:  # run from a checkout
        required = []
    needed = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in required if ";" not in line]
    return list(dict.fromkeys([*needed, *(r.library for r in runtimes() if r.library)]))


def _version(library: str) -> str:
    try:
        return metadata.version(library) if library else ""
    except metadata.PackageNotFoundError:
        return ""
