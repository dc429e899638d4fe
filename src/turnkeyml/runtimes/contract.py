"""The contract of a runtime: what one file says about itself, and what its sessions can do.

A runtime is one file in the folder of its device. It defines one subclass of ``Runtime``; nothing
else in the project names it. The file is imported to print ``--help``, so the library of the
runtime is imported only inside of ``version`` and ``open``.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from turnkeyml.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "ONNX",
    "Argument",
    "Device",
    "LiveModel",
    "Need",
    "Request",
    "Runtime",
    "Session",
]

ONNX = "onnx"
"""The artifact of runtimes that measure a built ONNX file."""


@dataclass(frozen=True)
class Device:
    """A kind of hardware. The ``__init__`` of its folder defines one as ``DEVICE``."""

    name: str
    title: str
    default_runtime: str
    describe: Callable[[], str]
    """The name of the one in this machine."""
    is_host: bool = False
    """Whether it is what this program itself runs on, and so the default device."""


@dataclass(frozen=True)
class Need:
    """Something that must be installed: a Python module, or one of some programs."""

    module: str = ""
    programs: tuple[str, ...] = ()
    install: str = ""
    """How a person gets it, as the end of a sentence: ``pip install onnxruntime``."""

    @property
    def is_met(self) -> bool:
        if self.module and find_spec(self.module) is None:
            return False
        return not self.programs or any(map(shutil.which, self.programs))

    def __str__(self) -> str:
        what = f"the Python module {self.module}" if self.module else " or ".join(self.programs)
        return f"{what} ({self.install})" if self.install else what


@dataclass(frozen=True)
class Argument:
    """An argument of a runtime, as ``--rt-args name::value`` gives it."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    """Turns the text of the command line into the value; a ValueError refuses it."""
    default: Any = None

    def value_of(self, given: Any) -> Any:
        """What was given, in the type of the argument."""
        return self.type(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class LiveModel:
    """A model of this process with the arguments of one call, ready to be measured."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What a runtime is to open: a file, or a live model, with how to run it."""

    threads: int
    model: str = ""
    """The ONNX file, for runtimes of files."""
    live: LiveModel | None = None
    """The model, for runtimes that measure in the model's own process."""
    precision: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The runtime arguments, complete and in their types."""


class Session(Protocol):
    """A model that is loaded and ready to run again and again.

    The order is ``feed``, then any number of ``prepare``, ``run``, ``synchronize``, and ``outputs``
    after a run. ``feed`` may be called again with other inputs.
    """

    changes_inputs: bool
    """Whether a run changes its inputs, so that ``prepare`` is needed before the next."""

    asynchronous: bool
    """Whether ``run`` returns before the inference is done, so that ``synchronize`` is needed."""

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Bind recorded inputs, by name; see ``cache.arrays.fed`` for their dtypes."""

    def prepare(self) -> None:
        """Restore what a run may have changed; not part of the measured time."""

    def run(self) -> None:
        """Start one inference on the inputs that were fed."""

    def synchronize(self) -> None:
        """Return when the inference that was started is done."""

    def outputs(self) -> dict[str, np.ndarray]:
        """What the last run computed, by name and in order."""

    def settings(self) -> dict[str, Any]:
        """How the runtime was set up, for the record."""

    def close(self) -> None:
        """Release what the session holds."""


class Runtime(ABC):
    """Software that executes a build on a device."""

    name: ClassVar[str]
    title: ClassVar[str]
    device: str = ""
    """The device that it belongs to; set when it is registered from the folder of one."""
    artifact: ClassVar[str] = ONNX
    """What it measures: ``onnx`` files in a worker, or live models of the framework so named."""
    default_sequence: ClassVar[str] = "optimize-fp32"
    """The named sequence that builds for it unless the user chooses another."""
    needs: ClassVar[tuple[Need, ...]] = ()
    arguments: ClassVar[tuple[Argument, ...]] = ()
    as_it_is: ClassVar[bool] = False
    """Whether it runs a live model as the script made it, so that others are compared with it."""
    casts: ClassVar[tuple[str, ...]] = ()
    """Precisions that it computes in fp32 with casts, which costs time."""
    library: ClassVar[str] = ""
    """The package whose version is the runtime's."""

    @abstractmethod
    def version(self) -> str:
        """The version of the installed library."""

    @abstractmethod
    def open(self, request: Request) -> Session:
        """Load a model; the session is fed before it runs."""

    @property
    def measures_files(self) -> bool:
        return self.artifact == ONNX

    def missing(self) -> list[Need]:
        """What it needs and is not installed here."""
        return [need for need in self.needs if not need.is_met]

    @property
    def is_available(self) -> bool:
        return not self.missing()

    def require(self) -> None:
        """Refuse to go on where something is not installed."""
        missing = self.missing()
        if missing:
            words = " and ".join(map(str, missing))
            raise UsageError(f"The runtime {self.name} needs {words}, not found here.")

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Runtime arguments in their types, defaults added; unknown ones are refused."""
        known = {argument.name: argument for argument in self.arguments}
        unknown = sorted(set(given) - set(known))
        if unknown:
            takes = f"it takes: {', '.join(known)}" if known else "it takes no arguments"
            words = ", ".join(unknown)
            raise UsageError(f"The runtime {self.name} has no argument {words}; {takes}.")
        values = {name: argument.default for name, argument in known.items()}
        for name, value in given.items():
            try:
                values[name] = known[name].value_of(value)
            except (TypeError, ValueError):
                text = f"{name}::{value}"
                raise UsageError(
                    f"The runtime {self.name} cannot use {text}; {name} is {known[name].help}."
                ) from None
        return values
