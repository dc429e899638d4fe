"""The interface of a runtime: its declarations, and the sessions that it opens.

A runtime is one file in the folder of its device. It defines one subclass of ``Runtime``; no other
file names it. A plugin declares the same classes in a ``Plugin``; see docs/plugins.md. ``--help``
imports the file, so import the runtime's library only in ``version`` and ``open``.
"""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from turnkeyml.errors import MeasureError, UsageError, describe
from turnkeyml.runtimes.device import SEPARATOR, Device
from turnkeyml.runtimes.needs import Argument, Need, boolean
from turnkeyml.runtimes.session import (
    LiveModel,
    Monitor,
    Reported,
    Request,
    SelfReporting,
    Session,
    divided,
)

__all__ = [
    "ONNX",
    "SEPARATOR",
    "Argument",
    "Device",
    "LiveModel",
    "Monitor",
    "Need",
    "Plugin",
    "Reported",
    "Request",
    "Runtime",
    "SelfReporting",
    "Session",
    "boolean",
    "divided",
]

ONNX = "onnx"
"""The artifact of runtimes that measure a built ONNX file."""


class Runtime(ABC):
    """Software that executes a build on a device."""

    name: ClassVar[str]
    title: ClassVar[str]
    device: str = ""
    """The name of its device; the registry sets it from the folder of the file, and adds the part
    and the configuration that the user chose: ``family::part::configuration``."""
    machines: tuple[str, ...] = ()
    """The ``machines`` of its device, which the registry sets; empty if it may be in any."""
    only_on: ClassVar[tuple[str, ...]] = ()
    """The parts or configurations that it supports, by their full names, if not all."""
    artifact: ClassVar[str] = ONNX
    """What it measures: ``onnx`` for files in a worker, or a framework for its live models."""
    default_sequence: ClassVar[str] = "optimize-fp32"
    """The named build sequence to use unless the user chooses another."""
    needs: ClassVar[tuple[Need, ...]] = ()
    arguments: ClassVar[tuple[Argument, ...]] = ()
    as_it_is: ClassVar[bool] = False
    """Whether it runs a live model as the script made it, so that others are compared with it."""
    casts_live_to: ClassVar[tuple[str, ...]] = ()
    """The precisions in which it can measure a live model besides the model's own."""
    casts: ClassVar[tuple[str, ...]] = ()
    """The precisions that it casts to fp32 at run time, which costs time."""
    widens: ClassVar[tuple[str, ...]] = ()
    """The precisions that it does not run, so that a model in one of them is built in fp32."""
    computes: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """The precisions that it can compute a file in fp32 in, with the arguments that ask for it."""
    library: ClassVar[str] = ""
    """The package whose version is that of the runtime."""
    reports_itself: ClassVar[bool] = False
    """Whether ``open`` returns a ``SelfReporting`` session, as nobody else can time its runs."""
    serves: ClassVar[bool] = False
    """Whether it can execute several requests at the same time: whether it opens sessions for the
    ``instances`` of a request, which have ``lanes``."""
    status_stats: ClassVar[tuple[str, ...]] = ()
    """Which of the numbers that ``stats()`` of its session returns are shown with the result."""

    @abstractmethod
    def version(self) -> str:
        """The version of the installed library."""

    @abstractmethod
    def open(self, request: Request) -> Session | SelfReporting:
        """A session for the model of a request; the caller feeds it before it runs.

        A session may have a method ``stats()``: a dict of numbers and texts to be recorded.
        """

    def program(self, request: Request) -> str | None:
        """Python source that runs a model just as a session for the request does; None if there is
        none.

        It defines ``load(path)``, which returns a function from inputs by name to outputs by name,
        and needs numpy and the library of the runtime alone.
        """
        return None

    def check_device(self) -> None:  # noqa: B027 - most devices are always there
        """Raise an error if there is no such device; called without its requirements, too."""

    def check(self) -> None:  # noqa: B027 - most devices are always ready
        """Raise an error if the device is not ready; called before anything is built."""

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:  # noqa: B027 - most take any
        """Raise an error if this machine cannot do what the completed arguments ask for; called
        before anything is built, unless another interpreter or another machine measures."""

    def check_load(self, arguments: Mapping[str, Any], instances: int) -> None:  # noqa: B027
        """Raise a usage error if it cannot execute so many requests at the same time (0: as many as
        it advises) with the completed arguments; called before anything is built, if it
        ``serves``. Most take any."""

    def obstacle(self, of_device_alone: bool = False) -> str | None:
        """Why the device is not ready, in a few words; None if it is.

        ``of_device_alone`` is whether there is such a device, which needs no requirements.
        """
        if not self.is_for_this_machine:
            return f"the processor of this machine is {platform.machine()}; leave out --device"
        try:
            (self.check_device if of_device_alone else self.check)()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            return describe(error)
        return None

    def monitor(self) -> Monitor | None:
        """What watches the accelerator; None if there is nothing to watch."""
        return None

    def supports(self, device: str) -> bool:
        """Whether it runs on a device of its family, by the full name."""
        return not self.only_on or any(
            device == name or device.startswith(name + SEPARATOR) for name in self.only_on
        )

    @property
    def is_for_this_machine(self) -> bool:
        """Whether its device is no CPU of another kind of machine."""
        return not self.machines or platform.machine() in self.machines

    @property
    def measures_files(self) -> bool:
        return self.artifact == ONNX

    def missing(self) -> list[Need]:
        """The requirements that are not installed."""
        return [need for need in self.needs if not need.is_met]

    @property
    def is_available(self) -> bool:
        return not self.missing() and self.obstacle() is None

    def require(self) -> None:
        """Raise an error if a requirement is not installed."""
        missing = self.missing()
        if missing:
            names = " and ".join(map(str, missing))
            raise MeasureError(f"The runtime {self.name} needs {names}, which is not installed.")

    def require_ready(self) -> None:
        """Raise an error if the device is not ready."""
        obstacle = self.obstacle()
        if obstacle is not None:
            raise MeasureError(
                f"The runtime {self.name} cannot be used on {self.device}: {obstacle}"
            )

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The runtime arguments with defaults and types; a usage error for unknown ones."""
        known = {argument.name: argument for argument in self.arguments}
        unknown = sorted(set(given) - set(known))
        if unknown:
            choices = f"choose from: {', '.join(known)}" if known else "it takes no arguments"
            names = ", ".join(unknown)
            raise UsageError(f"The runtime {self.name} has no argument {names}; {choices}.")
        values = {name: argument.default for name, argument in known.items()}
        for name, value in given.items():
            try:
                values[name] = known[name].value_of(value)
            except (TypeError, ValueError):
                text = name if value is True else f"{name}={value}"
                raise UsageError(
                    f"Invalid argument {text} for the runtime {self.name}; "
                    f"{name} is {known[name].help}."
                ) from None
        return values


@dataclass(frozen=True)
class Plugin:
    """What a package adds to turnkey; its entry point in the group ``turnkeyml.plugins``."""

    devices: tuple[Device, ...] = ()
    """New devices. A runtime for a device that exists needs none."""
    runtimes: tuple[type[Runtime], ...] = ()
    """Subclasses of ``Runtime``, each with the name of its ``device``."""
    stages: tuple[type, ...] = ()
    """Subclasses of ``turnkeyml.build.stage.Stage``, for ``--sequence`` and for sequences."""
    sequences: Mapping[str, Any] = field(default_factory=dict)
    """Build sequences by name: the names of stages after the export, or a whole ``Sequence``."""
