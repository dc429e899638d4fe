"""Devices and runtimes as data. What a plugin adds is registered in the same way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from turnkeyml.errors import UsageError

__all__ = [
    "DEVICES",
    "RUNTIMES",
    "Device",
    "Runtime",
    "available_runtimes",
    "find_device",
    "find_runtime",
    "register",
]


@dataclass(frozen=True)
class Device:
    """A kind of hardware."""

    name: str
    title: str
    default_runtime: str
    describe: Callable[[], str]
    """The name of the one in this machine."""


@dataclass(frozen=True)
class Runtime:
    """Software that executes a build on a device.

    ``module`` is imported only where the runtime is used. It has ``open_session(request)``, which
    returns a ``Session`` (see ``runtimes.session``), and ``version()``.
    """

    name: str
    title: str
    device: str
    module: str
    artifact: str
    """``onnx``: measures the built file in a worker. ``torch``: measures the live model."""
    arguments: frozenset[str] = frozenset()
    """The names of the runtime arguments that it understands."""
    libraries: tuple[str, ...] = ()
    """The modules that must be installed for it."""
    programs: tuple[str, ...] = ()
    """Programs one of which must be installed for it."""

    @property
    def needs_onnx(self) -> bool:
        return self.artifact == "onnx"

    def check_arguments(self, arguments: dict[str, Any]) -> None:
        """Refuse runtime arguments that would have no effect."""
        unknown = sorted(set(arguments) - self.arguments)
        if unknown:
            there = f"it takes: {', '.join(sorted(self.arguments))}" if self.arguments else "none"
            words = ", ".join(unknown)
            raise UsageError(
                f"The runtime {self.name} does not take the argument {words} ({there})."
            )

    @property
    def is_available(self) -> bool:
        """Whether everything that it needs is installed here."""
        modules = all(find_spec(name) is not None for name in self.libraries)
        return modules and (not self.programs or any(map(shutil.which, self.programs)))

    def load(self) -> Any:
        """The module that implements this runtime."""
        return import_module(self.module)


def _describe_x86() -> str:
    from turnkeyml.system.machine import cpu_name

    return cpu_name()


DEVICES: dict[str, Device] = {}
RUNTIMES: dict[str, Runtime] = {}


def register(entry: Device | Runtime) -> None:
    """Make a device or a runtime known by its name."""
    if isinstance(entry, Device):
        DEVICES[entry.name] = entry
    else:
        RUNTIMES[entry.name] = entry


def find_device(name: str) -> Device:
    """The device of that name; an error that lists the known ones otherwise."""
    if name not in DEVICES:
        raise UsageError(f"Unknown device {name!r}; the devices are: {', '.join(DEVICES)}.")
    return DEVICES[name]


def available_runtimes(device: str) -> list[Runtime]:
    """Every runtime of a device that can be used here."""
    return [r for r in RUNTIMES.values() if r.device == device and r.is_available]


def find_runtime(name: str, device: str) -> Runtime:
    """The runtime of that name on a device; an error that lists the known ones otherwise."""
    fitting = [r.name for r in RUNTIMES.values() if r.device == device]
    if name not in fitting:
        raise UsageError(
            f"Unknown runtime {name!r} for device {device}; its runtimes are: {', '.join(fitting)}."
        )
    return RUNTIMES[name]


register(Device("x86", "Intel and AMD x86 CPUs", "ort", _describe_x86))
register(
    Runtime(
        "ort",
        "ONNX Runtime",
        "x86",
        "turnkeyml.runtimes.ort_session",
        "onnx",
        libraries=("onnxruntime",),
    )
)
register(
    Runtime(
        "torch-eager",
        "PyTorch eager",
        "x86",
        "turnkeyml.runtimes.x86.torch_eager",
        "torch",
        libraries=("torch",),
    )
)
register(
    Runtime(
        "torch-compiled",
        "torch.compile",
        "x86",
        "turnkeyml.runtimes.x86.torch_compiled",
        "torch",
        libraries=("torch",),
        programs=("g++", "clang++", "c++"),
    )
)
