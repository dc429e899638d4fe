"""What a runtime is asked to open, and what it opens: sessions, and a monitor of the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np


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
