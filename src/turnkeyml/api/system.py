"""``system_info``, ``list_plugins`` and ``list_models``: what is here to measure with."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterable
from importlib import metadata
from typing import TYPE_CHECKING

import turnkeyml
from turnkeyml.build import sequence_names
from turnkeyml.discover import parse_filter, shipped_models
from turnkeyml.errors import UsageError
from turnkeyml.nouns import DeviceInfo, GpuInfo, NoiseFloor, PluginInfo, RuntimeInfo, SystemInfo
from turnkeyml.options import ModelsOptions, takes
from turnkeyml.runtimes import (
    Device,
    Runtime,
    all_devices,
    all_runtimes,
    default_device,
    installed_plugins,
)
from turnkeyml.system import (
    allowed_processors,
    cpu_name,
    cpu_quota,
    find_gpus,
    total_memory_bytes,
    usable_cores,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


def system_info() -> SystemInfo:
    """This machine, the versions of installed libraries, which runtimes are available, and the
    noise floor, which takes two seconds to measure.

    It does not import the libraries.
    """
    return SystemInfo(
        turnkey_version=turnkeyml.__version__,
        python_version=platform.python_version(),
        python=sys.executable,
        platform=platform.platform(),
        cpu=cpu_name(),
        architecture=platform.machine(),
        processors=len(allowed_processors()),
        usable_cores=usable_cores(),
        cpu_quota=cpu_quota(),
        memory_bytes=total_memory_bytes(),
        libraries={name: _version(name) for name in _libraries()},
        gpus=tuple(GpuInfo(gpu.name, gpu.driver, gpu.memory_bytes) for gpu in find_gpus()),
        devices=tuple(map(_device, sorted(all_devices(), key=_rank))),
        plugin_problems=tuple(p for plugin in list_plugins() for p in plugin.problems),
        noise=_noise(),
    )


def _noise() -> NoiseFloor | None:
    """The noise floor; None without numpy, so that the rest is told of a broken environment too."""
    try:
        from turnkeyml.measure import noise_floor
    except ImportError:
        return None
    return noise_floor()


def _rank(device: Device) -> int:
    """The default device first, those of other machines last."""
    return 0 if device == default_device() else 2 if device.machines else 1


def _device(device: Device) -> DeviceInfo:
    return DeviceInfo(
        name=device.name,
        title=device.title,
        default=device == default_device(),
        description=device.describe() if device.is_host or not device.machines else "",
        runtimes=tuple(map(_runtime, all_runtimes(device.name))),
    )


def _runtime(runtime: Runtime) -> RuntimeInfo:
    missing = tuple(map(str, runtime.missing()))
    # What is not installed cannot be asked whether its device is ready, but whether there is one.
    obstacle = runtime.obstacle(of_device_alone=bool(missing))
    return RuntimeInfo(
        name=runtime.name,
        title=runtime.title,
        available=not missing and obstacle is None,
        version=_version(runtime.library),
        missing=missing,
        obstacle=obstacle or "",
    )


def _libraries() -> list[str]:
    """The packages that turnkeyml and the runtimes need."""
    try:
        required = metadata.requires("turnkeyml") or []
    except metadata.PackageNotFoundError:  # run from a checkout
        required = []
    needed = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in required if ";" not in line]
    return list(dict.fromkeys([*needed, *(r.library for r in all_runtimes() if r.library)]))


def _version(library: str) -> str:
    try:
        return metadata.version(library) if library else ""
    except metadata.PackageNotFoundError:
        return ""


def list_plugins() -> list[PluginInfo]:
    """Every installed plugin, what it adds, and what is wrong with it. It imports all of them."""
    all_devices()
    sequence_names()  # both register everything, and note what is wrong
    return [
        PluginInfo(
            name=plugin.name,
            version=plugin.version,
            source=plugin.source,
            location=plugin.location,
            problems=tuple(plugin.problems),
            **{kind: tuple(names) for kind, names in plugin.accepted.items()},
        )
        for plugin in installed_plugins()
    ]


@takes(ModelsOptions)
def list_models(
    names: str | Iterable[str] = (), **options: Unpack[ModelsOptions]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """The models that come with turnkeyml, all or some, with their labels.

    ``names`` are corpora (``timm``), models (``timm/resnet50``) or patterns (``timm/resnet*``).
    """
    patterns = [names] if isinstance(names, str) else list(names)
    found = dict(shipped_models(patterns, parse_filter(options["labels"])))
    if not found:
        raise UsageError(f"No model has the labels {' '.join(options['labels'])}.")
    return found
