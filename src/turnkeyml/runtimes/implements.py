"""The ``implements`` dictionary of a package ``turnkeyml_plugin_NAME``, as a ``Plugin``.

Its runtime classes derive from ``BaseRT``. A class that has a method ``infer`` is measured as any
runtime: our sampler times its calls, and its outputs are verified. Any other class measures by
itself in ``benchmark``; its numbers are recorded as self-reported, without a verdict.
"""

from __future__ import annotations

import inspect
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes.contract import (
    ONNX,
    SEPARATOR,
    Argument,
    Device,
    Plugin,
    Reported,
    Request,
    Runtime,
    SelfReporting,
    Session,
)

if TYPE_CHECKING:
    from turnkeyml.runtimes.plugins import InstalledPlugin

Parts = dict[str, tuple[str, ...]]
KNOWN = ("runtimes", "sequences", "stages")
LIVE = "torch"
"""What is measured without a build: the live model."""
CONSTRUCTOR = frozenset(
    {
        "cache_dir",
        "build_name",
        "stats",
        "iterations",
        "device_type",
        "runtime",
        "tensor_type",
        "model",
        "inputs",
        "runtimes_supported",
        "runtime_version",
        "base_path",
        "requires_docker",
        "execute_function",
    }
)
"""The arguments of a constructor that turnkey or the class passes; others are ``--rt-args``."""
DEFAULT_ITERATIONS = 100


def read_implements(implements: Mapping[str, Any], plugin: InstalledPlugin) -> Plugin:
    """What a dictionary implements; an entry that makes no sense is a problem of the plugin."""
    for kind in implements:
        if kind not in KNOWN:
            plugin.refuse(
                f"implements {kind!r}, which turnkey does not know", f"use {', '.join(KNOWN)}"
            )
    devices: dict[str, Device] = {}
    runtimes: list[type[Runtime]] = []
    sequences: dict[str, Any] = {}
    for name, entry in implements.get("sequences", {}).items():
        sequences[name] = entry["sequence_instance"] if isinstance(entry, Mapping) else entry
    for name, entry in implements.get("runtimes", {}).items():
        problem = _problem_of(entry)
        if problem is not None:
            plugin.refuse(f"has a runtime {name!r} {problem}")
            continue
        for family, parts in _devices_of(entry["supported_devices"]).items():
            known = devices.get(family, _device(family, name, entry["RuntimeClass"]))
            merged = {**known.parts, **parts}
            devices[family] = Device(
                family, known.title, known.default_runtime, known.describe, parts=merged
            )
            runtimes.append(_runtime(name, family, parts, entry, sequences))
    stages = tuple(implements.get("stages", ()))
    return Plugin(tuple(devices.values()), tuple(runtimes), stages, sequences)


def _problem_of(entry: Any) -> str | None:
    """What is wrong with the entry of a runtime."""
    if not isinstance(entry, Mapping):
        return "that is not a dictionary"
    if not inspect.isclass(entry.get("RuntimeClass")):
        return "without a 'RuntimeClass'"
    if not isinstance(entry.get("supported_devices"), (set, frozenset, list, tuple, Mapping)):
        return "without 'supported_devices', a set or a dictionary"
    return None


def _devices_of(supported: Any) -> dict[str, Parts]:
    """The parts and configurations of each family."""
    if not isinstance(supported, Mapping):
        return {family: {} for family in sorted(supported)}
    return {
        family: {
            part: tuple(configurations or ()) for part, configurations in (parts or {}).items()
        }
        for family, parts in supported.items()
    }


def _device(family: str, runtime: str, kind: type) -> Device:
    """A device that only this plugin knows; if it exists already, it stays what it is."""
    return Device(family, family, runtime, _describe(kind, family))


def _describe(kind: type, family: str) -> Callable[[], str]:
    name = getattr(kind, "device_name", None)
    return (lambda: str(name())) if callable(name) else (lambda: family)


def _runtime(
    name: str, family: str, parts: Parts, entry: Mapping[str, Any], sequences: dict[str, Any]
) -> type[Runtime]:
    """A runtime that uses the ``RuntimeClass`` of an entry."""
    kind, check = entry["RuntimeClass"], entry.get("requirement_check")
    only_on = tuple(Device(family, family, name, str, parts=parts).names()) if parts else ()
    settings: dict[str, Any] = {
        "name": name,
        "title": name,
        "device": family,
        "only_on": only_on,
        "artifact": ONNX if entry.get("build_required", True) else LIVE,
        "kind": kind,
        "reports_itself": not callable(getattr(kind, "infer", None)),
        "status_stats": tuple(entry.get("status_stats") or ()),
        "arguments": tuple(_arguments(kind)),
        "takes_any": constructor_parameters(kind)[1],
    }
    if check is not None:
        settings["check"] = lambda self: check()
    sequence = entry.get("default_sequence")
    if sequence is not None:
        settings["default_sequence"] = sequence if isinstance(sequence, str) else sequence.name
    if sequence is not None and not isinstance(sequence, str):
        sequences.setdefault(sequence.name, sequence)
    return type(f"{kind.__name__} on {family.replace(SEPARATOR, ' ')}", (ClassRuntime,), settings)


def _arguments(kind: type) -> Iterator[Argument]:
    """The arguments of the constructor that are not turnkey's own."""
    for name, parameter in constructor_parameters(kind)[0].items():
        if name not in CONSTRUCTOR:
            known = parameter.default is not parameter.empty
            yield Argument(name, f"default {parameter.default!r}" if known else "required")


def constructor_parameters(kind: type) -> tuple[dict[str, inspect.Parameter], bool]:
    """The parameters of a constructor by name, and whether it takes any others.

    One with ``**settings`` passes them on to the next class, whose parameters count, too.
    """
    found: dict[str, inspect.Parameter] = {}
    for base in kind.__mro__:
        if "__init__" not in vars(base):
            continue
        own = list(inspect.signature(vars(base)["__init__"]).parameters.values())[1:]
        named = [p for p in own if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        found = {**{p.name: p for p in named}, **found}
        if not any(p.kind is p.VAR_KEYWORD for p in own):
            return found, False
    return found, True


class Stats:
    """The numbers and texts that a runtime class wants to be recorded."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def save_stat(self, key: str, value: Any) -> None:
        self.values[key] = value

    save_model_eval_stat = save_stat


class BaseRT(ABC):
    """A runtime of a plugin with an ``implements`` dictionary.

    A subclass calls this constructor with what its own one got. ``model`` is the path of the ONNX
    file, or the live model if no build is required; ``inputs`` are the recorded inputs by name.
    """

    def __init__(  # noqa: PLR0917 - subclasses of other people call it
        self,
        cache_dir: str,
        build_name: str,
        stats: Any,
        device_type: str,
        runtime: str,
        runtimes_supported: list[str] | None = None,
        runtime_version: str = "",
        base_path: str = "",
        iterations: int = DEFAULT_ITERATIONS,
        model: Any = None,
        inputs: Mapping[str, Any] | None = None,
        requires_docker: bool = False,
        tensor_type: Any = np.array,
        execute_function: Any = None,
    ) -> None:
        self.cache_dir, self.build_name, self.stats = cache_dir, build_name, stats
        self.device_type, self.runtime, self.runtime_version = device_type, runtime, runtime_version
        self.base_path, self.iterations = base_path, iterations
        self.model, self.inputs, self.tensor_type = model, inputs, tensor_type
        self.requires_docker, self.execute_function = requires_docker, execute_function
        self.runtimes_supported = runtimes_supported or [runtime]
        if runtime not in self.runtimes_supported:
            known = ", ".join(self.runtimes_supported)
            raise ValueError(f"{type(self).__name__} supports {known}, not {runtime}")
        os.makedirs(self.local_output_dir, exist_ok=True)
        self._setup()

    @property
    def local_output_dir(self) -> str:
        """The folder for the files of a measurement."""
        device = str(self.device_type).replace(SEPARATOR, "_")
        return os.path.join(self.cache_dir, self.build_name, f"{device}_benchmark", self.runtime)

    @property
    def local_onnx_file(self) -> str:
        """The ONNX file of the build."""
        return str(self.model)

    @property
    def local_outputs_file(self) -> str:
        """Where ``_execute`` writes its results, as JSON."""
        return os.path.join(self.local_output_dir, "outputs.json")

    @property
    def logfile_path(self) -> str:
        return os.path.join(self.local_output_dir, f"{self.runtime}_benchmark_log.txt")

    def _setup(self) -> None:  # noqa: B027 - most classes need none
        """What is needed once before measuring; called at the end of the constructor."""

    def _execute(self, output_dir: str, onnx_file: str, outputs_file: str) -> None:
        """Measure, and write the results to ``outputs_file``."""
        raise NotImplementedError(f"{type(self).__name__} has neither benchmark() nor _execute()")

    def benchmark(self) -> Any:
        """Measure; afterwards ``mean_latency`` and ``throughput`` are known."""
        Path(self.local_outputs_file).unlink(missing_ok=True)
        arguments: dict[str, Any] = {
            "output_dir": self.local_output_dir,
            "onnx_file": self.local_onnx_file,
            "outputs_file": self.local_outputs_file,
        }
        if "iterations" in inspect.signature(self._execute).parameters:
            arguments["iterations"] = self.iterations
        self._execute(**arguments)

    def _get_stat(self, stat: str) -> Any:
        """A value that ``_execute`` has written."""
        try:
            content = Path(self.local_outputs_file).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise MeasureError(f"{self.runtime} wrote no {self.local_outputs_file}.") from None
        return json.loads(content)[stat]

    @property
    def mean_latency(self) -> float:
        """Milliseconds of one inference; not needed with ``infer``."""
        raise NotImplementedError(f"{type(self).__name__} has no mean_latency")

    @property
    def throughput(self) -> float:
        """Inferences per second; not needed with ``infer``."""
        raise NotImplementedError(f"{type(self).__name__} has no throughput")

    @staticmethod
    @abstractmethod
    def device_name() -> str:
        """The product name of the device."""


class ClassRuntime(Runtime):
    """A runtime that a class of an ``implements`` dictionary implements."""

    kind: ClassVar[type]
    takes_any: ClassVar[bool] = False
    """Whether the constructor takes any ``--rt-args``."""
    _version: str = ""

    def version(self) -> str:
        return self._version

    def open(self, request: Request) -> Session | SelfReporting:
        return (_Reporting if self.reports_itself else _Callable)(self, request)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given arguments as they are: the constructor has the defaults and converts texts."""
        if not self.takes_any:
            super().complete(given)
        taken = sorted(set(given) & CONSTRUCTOR)
        if taken:
            raise UsageError(f"turnkey itself sets the argument {taken[0]} of {self.name}.")
        return dict(given)

    def construct(self, request: Request, inputs: Mapping[str, Any], iterations: int) -> Any:
        """An instance of the class, ready to measure."""
        folder = Path(request.build_folder or os.curdir)
        offered = {
            "cache_dir": str(folder.parent),
            "build_name": folder.name,
            "stats": Stats(),
            "iterations": iterations,
            "device_type": self.device,
            "runtime": self.name,
            "model": request.model if request.live is None else request.live.function,
            "inputs": dict(inputs) if request.live is None else _live_inputs(request),
        }
        known, _ = constructor_parameters(self.kind)
        wanted = {k: v for k, v in offered.items() if self.takes_any or k in known}
        made = self.kind(**wanted, **request.arguments)
        self._version = str(getattr(made, "runtime_version", "") or "")
        return made


def _live_inputs(request: Request) -> dict[str, Any]:
    """The arguments of the call of a live model; positional ones by their number."""
    assert request.live is not None
    positional = {str(number): value for number, value in enumerate(request.live.args)}
    return {**positional, **request.live.kwargs}


class _Adapted:
    """What both kinds of sessions share: an instance that is made when its inputs are known."""

    def __init__(self, runtime: ClassRuntime, request: Request) -> None:
        self._runtime, self._request = runtime, request
        self._inputs: dict[str, np.ndarray] = {}
        self._made: Any = None

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        self._inputs = dict(inputs)

    def settings(self) -> dict[str, Any]:
        return dict(self._request.arguments)

    def stats(self) -> dict[str, Any]:
        """What the class has saved."""
        found = getattr(self._made, "stats", None)
        return dict(found.values) if isinstance(found, Stats) else {}

    def close(self) -> None:
        self._made = None


class _Callable(_Adapted):
    """A class with a method ``infer``, which takes inputs and returns outputs, by name."""

    changes_inputs = False
    asynchronous = False

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        super().feed(inputs)
        if self._made is None:
            self._made = self._runtime.construct(self._request, inputs, DEFAULT_ITERATIONS)

    def prepare(self) -> None:
        """Does nothing: a class that changes its inputs copies them."""

    def run(self) -> None:
        self._result = self._made.infer(self._inputs)

    def synchronize(self) -> None:
        """Does nothing: ``infer`` returns the outputs."""

    def outputs(self) -> dict[str, np.ndarray]:
        found = self._result
        if not isinstance(found, Mapping):
            several = found if isinstance(found, (list, tuple)) else [found]
            found = {str(number): value for number, value in enumerate(several)}
        return {name: np.asarray(value) for name, value in found.items()}


class _Reporting(_Adapted):
    """A class that measures by itself."""

    def measure(self, iterations: int) -> Reported:
        self._made = made = self._runtime.construct(self._request, self._inputs, iterations)
        made.benchmark()
        return Reported(_number(made, "mean_latency"), _number(made, "throughput"), iterations)


def _number(made: Any, name: str) -> float:
    """A number that the class reports, as a property or a method."""
    value = getattr(made, name)
    number = float(value() if callable(value) else value)
    if not (0 < number < float("inf")):
        raise MeasureError(f"{type(made).__name__} reports {number:g} as its {name}.")
    return number
