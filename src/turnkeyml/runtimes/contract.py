"""The interface of a runtime: its declarations, and the sessions that it opens.

A runtime is a pair of an engine and a device. An engine is a folder of ``runtimes/`` with the name
of its library:

* ``__init__.py`` defines a subclass of ``Runtime`` for each device that it runs on, with the name
  of that ``device``. No other folder names it. ``--help`` imports the file, so import the library
  only in ``version`` and ``open``.
* ``session.py`` has the ``Session`` that they open, ``gpu_session.py`` that on a GPU.
* ``profile.py`` has the times of operators, from the profiler of the library.

A device is a folder, too: its ``__init__.py`` defines ``DEVICE``, other files what runtimes on it
share. A plugin declares the same classes in a ``Plugin``; see docs/plugins.md.
"""

from __future__ import annotations

import platform
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from turnkeyml.errors import MeasureError, UsageError, describe

if TYPE_CHECKING:
    import numpy as np

SEPARATOR = "::"
"""Between the family, the part and the configuration in the name of a device."""
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
    machines: tuple[str, ...] = ()
    """For a CPU: what ``platform.machine()`` returns on the machines that have it."""
    runtimes_of: str = ""
    """Another device whose runtimes it has too: the same classes, which a plugin can add to."""
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    """The parts of the family, each with its configurations: ``{"part": ("configuration",)}``."""
    default_name: str = ""
    """What the name of the family alone stands for; empty for the first part in its first
    configuration."""

    @property
    def is_host(self) -> bool:
        """Whether this program itself runs on it; the host is the default device."""
        return platform.machine() in self.machines

    @property
    def family(self) -> str:
        """The name without part and configuration."""
        return self.name.partition(SEPARATOR)[0]

    def names(self) -> Iterator[str]:
        """Every name that ``--device`` accepts: the family, its parts and their configurations."""
        yield self.family
        for part, configurations in self.parts.items():
            yield f"{self.family}{SEPARATOR}{part}"
            for configuration in configurations:
                yield SEPARATOR.join((self.family, part, configuration))

    def at(self, name: str) -> Device | None:
        """The device of a name, with its part and configuration filled in; None if unknown."""
        known = list(self.names())
        if name not in known:
            return None
        if name == self.family and self.default_name:
            return replace(self, name=self.default_name)
        # A name is followed by the names within it, so the first of them is the default.
        within = [n for n in known if n == name or n.startswith(name + SEPARATOR)]
        deepest = within[0]
        for other in within[1:]:
            if not other.startswith(deepest + SEPARATOR):
                break
            deepest = other
        return replace(self, name=deepest)


@dataclass(frozen=True)
class Need:
    """A requirement of a runtime: a Python module, or one of several programs."""

    module: str = ""
    programs: tuple[str, ...] = ()
    install: str = ""
    """How to install it, as messages show it: ``pip install onnxruntime``."""
    alternatives: tuple[str, ...] = ()
    """Other modules, each of which will do instead of the first."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of which one is needed; none if it is a program."""
        return (self.module, *self.alternatives) if self.module else ()

    @property
    def is_met(self) -> bool:
        if self.module and not any(map(find_spec, self.modules)):
            return False
        return not self.programs or any(map(shutil.which, self.programs))

    def __str__(self) -> str:
        what = f"the Python module {self.module}" if self.module else " or ".join(self.programs)
        return f"{what} ({self.install})" if self.install else what


@dataclass(frozen=True)
class Argument:
    """An argument of a runtime, as ``--rt-args name=value`` gives it."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    """Converts the text from the command line; raises ValueError if it is invalid."""
    default: Any = None
    candidates: tuple[Any, ...] = ()
    """The values that may be fastest, for ``turnkey tune``; none if it has nothing to try."""

    def value_of(self, given: Any) -> Any:
        """The given value, converted to the type of the argument; True for a name without one."""
        if given is True and not isinstance(self.default, bool | None):
            raise ValueError(f"{self.name} needs a value")
        return self.type(given) if isinstance(given, str) else given


def boolean(text: str) -> bool:
    """The type of an argument that is true or false."""
    words = {"true": True, "1": True, "yes": True, "on": True}
    words.update({"false": False, "0": False, "no": False, "off": False})
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


class Runtime(ABC):
    """Software that executes a build on a device."""

    name: ClassVar[str]
    title: ClassVar[str]
    device: str = ""
    """The name of its device; the registry adds the part and the configuration that the user chose:
    ``family::part::configuration``."""
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
    sha256: str = ""
    """That of the file with its external data, by which what is compiled from it can be kept."""
    live: LiveModel | None = None
    """The live model, for runtimes that measure in the process of the model."""
    precision: str = ""
    cast_to: str = ""
    """The precision to cast a live model to; empty to run it as the script made it."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The runtime arguments, with defaults and converted to their types."""
    build_folder: str = ""
    """The folder of the build in the cache, where a runtime may keep what it compiles."""
    instances: int | None = None
    """Requests to execute at the same time, among which the threads are divided; 0 for as many as
    the runtime advises, None for one run at a time."""


def divided(request: Request) -> tuple[int, int]:
    """How many requests are executed at the same time, and the threads of each: one, unless the
    request says how many instances there are."""
    instances = request.instances or request.threads
    return instances, max(1, request.threads // instances)


class Session(Protocol):
    """A loaded model that can run repeatedly.

    Call ``feed`` first, then ``prepare``, ``run``, ``synchronize`` any number of times, and
    ``outputs`` after a run. ``feed`` may be called again with other inputs.

    A run includes the transfer of inputs to the device and of outputs from it. A session on an
    accelerator may have two more methods, which are called after the timed runs:

    * ``device_times(runs: int) -> list[float]``: milliseconds that each of so many runs took on the
      device by its own events, without transfers;
    * ``device_memory() -> int | None``: the peak of the bytes that it used on the device.

    A session that is opened for several ``instances`` has the method ``lanes() -> list[Session]``,
    which is called once it was fed: as many sessions, itself the first, that can run at the same
    time in different threads. It feeds the others, with the inputs that it has; nobody else does.
    Its settings then have ``instances`` and ``threads_per_instance``. A lane may have ``attach()``,
    which is called once in the thread that will run it.

    The timed runs get inputs that change from run to run. For that a session may have two methods:

    * ``writable() -> list[np.ndarray | None]``: for each of the inputs that were fed, in their
      order, memory that the next run reads it from, or None. What is written there is what that run
      computes on. Without it, other inputs are fed between some of the runs.
    * ``replicas(count: int) -> list[Session]``: at most so many sessions for the same loaded
      model, at least one, with ``writable`` memory of their own, fed with copies of the same
      inputs. They run one at a time.

    The session of a live model takes the recorded arguments of the script for the inputs that
    are fed first. It may have ``state() -> dict[str, str]``: what the model holds besides its
    weights, as texts by name, to see what changes from call to call.

    Any session may have ``profile(seconds: float) -> Profile``: the times of the operators by the
    runtime's own profiler, from about so many seconds of runs, half of them without it. It is
    called once, after everything else, and never in a process whose runs are timed.
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


@dataclass(frozen=True)
class Reported:
    """What a runtime that measures by itself reports."""

    mean_latency: float
    """Milliseconds."""
    throughput: float
    """Inferences per second."""
    iterations: int


class SelfReporting(Protocol):
    """A loaded model that only its runtime can time; nobody sees the outputs of the timed runs."""

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Bind recorded inputs by name."""

    def measure(self, iterations: int) -> Reported:
        """Measure so many runs, and report the result."""

    def settings(self) -> dict[str, Any]:
        """The settings of the runtime, which the evaluation stores."""

    def close(self) -> None:
        """Release the resources of the session."""


class Monitor(Protocol):
    """Watches the accelerator of a runtime, outside of the timed runs."""

    def look(self) -> dict[str, Any]:
        """Its conditions now, such as clocks and temperature, by names that the record has.

        ``throttle_reasons`` (a list of words) and ``foreign_processes`` (a number) enter the grade.
        """

    def energy(self) -> float | None:
        """Joules that it has used until now, since any time; None if it does not count them."""


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
