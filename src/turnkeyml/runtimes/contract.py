"""The interface of a runtime: its declarations, and the sessions that it opens.

A runtime is one file in the folder of its device. It defines one subclass of ``Runtime``; no other
file names it. ``--help`` imports the file, so import the runtime's library only in ``version`` and
``open``.
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
    """Returns the name of the hardware in this machine, such as the CPU model."""
    is_host: bool = False
    """Whether this program itself runs on it; the host is the default device."""


@dataclass(frozen=True)
class Need:
    """A requirement of a runtime: a Python module, or one of several programs."""

    module: str = ""
    programs: tuple[str, ...] = ()
    install: str = ""
    """How to install it, as messages show it: ``pip install onnxruntime``."""

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
    """Converts the text from the command line; raises ValueError if it is invalid."""
    default: Any = None

    def value_of(self, given: Any) -> Any:
        """The given value, converted to the type of the argument."""
        return self.type(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class LiveModel:
    """A model object in this process with the arguments of one call, ready to be measured."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class Request:
    """The file or live model that a runtime opens, with its settings."""

    threads: int
    model: str = ""
    """The path of the ONNX file, for runtimes that measure files."""
    live: LiveModel | None = None
    """The live model, for runtimes that measure in the process of the model."""
    precision: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The runtime arguments, with defaults and converted to their types."""


class Session(Protocol):
    """A loaded model that can run repeatedly.

    Call ``feed`` first, then ``prepare``, ``run``, ``synchronize`` any number of times, and
    ``outputs`` after a run. ``feed`` may be called again with other inputs.
    """

    changes_inputs: bool
    """Whether a run modifies its inputs, so that ``prepare`` is needed before the next run."""

    asynchronous: bool
    """Whether ``run`` returns before the inference is done, so that ``synchronize`` is needed."""

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Bind recorded inputs by name; ``cache.arrays.fed`` converts their dtypes."""

    def prepare(self) -> None:
        """Restore the inputs that a run modified; not part of the measured time."""

    def run(self) -> None:
        """Start one inference on the bound inputs."""

    def synchronize(self) -> None:
        """Wait until the started inference is done."""

    def outputs(self) -> dict[str, np.ndarray]:
        """The outputs of the last run, by name and in order."""

    def settings(self) -> dict[str, Any]:
        """The settings of the runtime, which the evaluation stores."""

    def close(self) -> None:
        """Release the resources of the session."""


class Runtime(ABC):
    """Software that executes a build on a device."""

    name: ClassVar[str]
    title: ClassVar[str]
    device: str = ""
    """The name of its device; the registry sets it from the folder of the file."""
    artifact: ClassVar[str] = ONNX
    """What it measures: ``onnx`` for files in a worker, or a framework for its live models."""
    default_sequence: ClassVar[str] = "optimize-fp32"
    """The named build sequence to use unless the user chooses another."""
    needs: ClassVar[tuple[Need, ...]] = ()
    arguments: ClassVar[tuple[Argument, ...]] = ()
    as_it_is: ClassVar[bool] = False
    """Whether it runs a live model as the script made it, so that others are compared with it."""
    casts: ClassVar[tuple[str, ...]] = ()
    """The precisions that it casts to fp32 at run time, which costs time."""
    library: ClassVar[str] = ""
    """The package whose version is that of the runtime."""

    @abstractmethod
    def version(self) -> str:
        """The version of the installed library."""

    @abstractmethod
    def open(self, request: Request) -> Session:
        """A session for the model of a request; the caller feeds it before it runs."""

    @property
    def measures_files(self) -> bool:
        return self.artifact == ONNX

    def missing(self) -> list[Need]:
        """The requirements that are not installed."""
        return [need for need in self.needs if not need.is_met]

    @property
    def is_available(self) -> bool:
        return not self.missing()

    def require(self) -> None:
        """Raise a usage error if a requirement is not installed."""
        missing = self.missing()
        if missing:
            names = " and ".join(map(str, missing))
            raise UsageError(f"The runtime {self.name} needs {names}, which is not installed.")

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
                text = f"{name}::{value}"
                raise UsageError(
                    f"Invalid argument {text} for the runtime {self.name}; "
                    f"{name} is {known[name].help}."
                ) from None
        return values
