"""ONNX Runtime sessions, for the runtimes that measure with it and for verifying builds.

Which optimizers are unsound for a model follows from its nodes. They are read without the onnx
package: a worker may run under an interpreter that has none, and importing it takes longer. The
format is protobuf: fields, each with a tag (its number and its wire type) and a value.
"""

from __future__ import annotations

import copy
import functools
import json
import mmap
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime

from turnkeyml.cache import BFLOAT16, fed, fed_value, flattened, is_plain
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Profile
from turnkeyml.runtimes.onnxruntime.profile import profile_session
from turnkeyml.runtimes.onnxruntime.settings import OrtSettings, fallback_stats
from turnkeyml.workarounds import PAD_FUSION

_DTYPES = {"float": "float32", "double": "float64"}
"""The numpy names of the dtypes that ONNX Runtime calls differently."""
_ONNX_BFLOAT16 = 16
_NAMES_OPERATOR = (
    re.compile(r"while running (\w+) node"),
    re.compile(r"Could not find an implementation for (\w+)\("),
    re.compile(r"of operator \((\w+)\) in node"),
    re.compile(r"of Optype \((\w+)\)"),
)
"""The error messages in which ONNX Runtime names the operator that it cannot run."""
_GRAPH, _NODE = 7, 1
"""Fields of a model and of its graph."""
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4
"""Fields of a node."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types."""


class OrtSession:
    """An ONNX Runtime session with I/O binding, so that a run contains only the inference.

    Inputs of strings, sequences or maps cannot be bound; they are passed to each run.
    """

    changes_inputs = False
    asynchronous = False

    def __init__(self, model: str, settings: OrtSettings, instances: int | None = None) -> None:
        """``instances`` is how many ``lanes`` there will be, if it is measured under load."""
        self._model, self._wanted, self._instances = model, settings, instances or 1
        unsound = unsound_optimizers(model)
        self._load = functools.partial(
            onnxruntime.InferenceSession,
            model,
            settings.options(),
            providers=[*settings.providers],
            disabled_optimizers=unsound,
        )
        self._session = self._load()
        self._require(settings.providers)
        self._bound, self._reads = self._is_bound(), self._reads_bound()
        self._settings = self._facts(unsound, instances)
        self._binding = self._session.io_binding()
        self._names = [output.name for output in self._session.get_outputs()]
        self.run: Callable[[], None] = self._run_unbound
        self._feed: dict[str, Any] = {}
        self._fed: Mapping[str, np.ndarray] = {}
        self._results: list[Any] = []

    def _facts(self, unsound: list[str], instances: int | None) -> dict[str, Any]:
        """What the record of an evaluation has of this session."""
        threads = self._wanted.threads
        providers = self._session.get_providers()
        found = {"providers": providers, **self._wanted.facts(), "io_binding": self._bound}
        if unsound:
            found["disabled_optimizers"] = unsound
        if instances is not None:
            found |= {"instances": instances, "sessions": 1 if threads == 1 else instances}
            found["threads_per_instance"] = threads
        return found

    def _require(self, providers: Sequence[str]) -> None:
        """Raise an error if ONNX Runtime has left out a provider, which it does without a word."""
        self._session.disable_fallback()
        absent = [name for name in providers if name not in self._session.get_providers()]
        if absent:
            raise MeasureError(
                f"ONNX Runtime could not start {absent[0]}; install what it needs, or leave it out "
                "of providers."
            )

    def _is_bound(self) -> bool:
        """Whether every input can be bound."""
        kinds = [value.type for value in self._session.get_inputs()]
        return all(is_plain(kind) and "tensor(string)" not in kind for kind in kinds)

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        self._fed = inputs
        self._binding.clear_binding_inputs()
        self._binding.clear_binding_outputs()
        if not self._reads:
            kinds = {value.name: value.type for value in self._session.get_inputs()}
            self._feed = {name: fed_value(inputs, name, kind) for name, kind in kinds.items()}
        if not self._bound:
            return
        wanted = {value.name: dtype_of(value) for value in self._session.get_inputs()}
        found = fed(inputs, wanted)
        self._arrays = {name: np.ascontiguousarray(found[name]) for name in wanted}
        self._values = {name: _to_ortvalue(self._arrays[name], wanted[name]) for name in wanted}
        self._bind()

    def _bind(self) -> None:
        # Not a method: Python looks up the attributes of copies of an object more slowly.
        self.run = functools.partial(self._session.run_with_iobinding, self._binding)
        for name, value in self._values.items():
            self._binding.bind_ortvalue_input(name, value)
        for output in self._names:
            self._binding.bind_output(output)

    def lanes(self) -> list[OrtSession]:
        """Sessions that can run at the same time, this one first.

        ONNX Runtime lets several threads run one session. With one thread per run each runs in the
        thread that calls it, so that all share one session and its weights; with more they would
        share its threads, too, so that each has a session of its own.
        """
        return [self, *(self._another() for _ in range(self._instances - 1))]

    def _another(self) -> OrtSession:
        other = copy.copy(self)
        if self._wanted.threads > 1:
            other._session = self._load()
        other._binding = other._session.io_binding()
        other.run = other._run_unbound
        if self._bound:
            other._bind()
        return other

    def replicas(self, count: int) -> list[OrtSession]:
        """The session with so many other copies of its inputs, which can be written to."""
        return [self._replica() for _ in range(count if self._bound else 0)]

    def _replica(self) -> OrtSession:
        other = copy.copy(self)
        other._binding = other._session.io_binding()
        other.feed({name: array.copy() for name, array in self._fed.items()})
        return other

    def writable(self) -> list[np.ndarray | None]:
        """The memory of each recorded input, which bindings share."""
        return [self._arrays.get(name) for name in self._fed] if self._bound else []

    def _reads_bound(self) -> bool:
        """Whether bound outputs can be read: maps and sequences come only from ``run``."""
        kinds = [value.type for value in self._session.get_outputs()]
        return self._is_bound() and all(map(is_plain, kinds))

    def prepare(self) -> None:
        """Does nothing: ONNX Runtime never modifies its inputs."""

    def _run_unbound(self) -> None:
        self._results = self._session.run(self._names, self._feed)

    def synchronize(self) -> None:
        """Does nothing: on the CPU a run is synchronous."""

    def outputs(self) -> dict[str, np.ndarray]:
        kinds = self._session.get_outputs()
        if self._reads:
            values = self._binding.get_outputs()
            return dict(_to_numpy(k, v) for k, v in zip(kinds, values, strict=True))
        if self._bound:  # a run that is not timed, to read what was computed
            self._results = self._session.run(self._names, self._feed)
        pairs = zip(self._names, self._results, strict=True)
        return {n: a for name, value in pairs for n, a in flattened(name, value).items()}

    def settings(self) -> dict[str, Any]:
        return dict(self._settings)

    def stats(self) -> dict[str, Any]:
        return fallback_stats(self._session)

    def profile(self, seconds: float) -> Profile:
        """The operators of this model, from a second session with the profiler on."""
        with tempfile.TemporaryDirectory() as folder:
            profile = str(Path(folder) / "profile")
            twin = OrtSession(self._model, replace(self._wanted, profile=profile))
            twin.feed(self._fed)
            found = profile_session(self.run, twin.run, twin.end_profiling, seconds)
            twin.close()
        return found

    def end_profiling(self) -> list[dict[str, Any]]:
        """The events that the profiler has recorded; it is off after that."""
        path = Path(self._session.end_profiling())
        return list(json.loads(path.read_text(encoding="utf-8")))

    def close(self) -> None:
        del self._binding, self._session


def run_once(
    model: str,
    inputs: Mapping[str, np.ndarray],
    threads: int,
    level: str = "all",
    prepacking: bool = True,
) -> dict[str, np.ndarray]:
    """The outputs of an ONNX file for some inputs."""
    session = OrtSession(model, OrtSettings(threads, level, prepacking))
    session.feed(inputs)
    session.run()
    return session.outputs()


def named_operator(error: BaseException) -> str | None:
    """The operator that an error of ONNX Runtime names, or None."""
    found = (pattern.search(str(error)) for pattern in _NAMES_OPERATOR)
    return next((match.group(1) for match in found if match), None)


def dtype_of(value: Any) -> str:
    """The numpy name of the dtype of an input or output."""
    found = re.fullmatch(r"(?:optional\()?tensor\((\w+)\)\)?", value.type)
    if found is None:
        raise MeasureError(f"The input or output {value.name!r} is a {value.type}, not a tensor.")
    return _DTYPES.get(found[1], found[1])


def _to_ortvalue(array: np.ndarray, dtype: str) -> onnxruntime.OrtValue:
    if dtype == "bfloat16":
        make = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
        return make(np.ascontiguousarray(array), _ONNX_BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(array, "cpu", 0)


def _to_numpy(kind: Any, value: onnxruntime.OrtValue) -> tuple[str, np.ndarray]:
    if kind.type == "tensor(bfloat16)":
        return kind.name + BFLOAT16, np.asarray(value.numpy()).view(np.uint16)
    if not value.has_value():
        return next(iter(flattened(kind.name, None).items()))
    return kind.name, np.asarray(value.numpy())


def unsound_optimizers(model: str) -> list[str]:
    """The names of ONNX Runtime's optimizers that could change the outputs of a model.

    There is one, ``PAD_FUSION``. It is correct after a Relu, because no value is negative there.
    """
    with (
        Path(model).open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        # Without loading it: what is loaded and freed decides where the memory of a session lies.
        used = [content.find(_as_operator(name)) >= 0 for name in ("MaxPool", "Pad")]
        nodes = list(read_nodes(content)) if all(used) else []
    producers = {name: node for node in nodes for name in node.outputs}
    for pool in (node for node in nodes if node.op_type == "MaxPool"):
        pad = producers.get(pool.inputs[0])
        if pad is not None and pad.op_type == "Pad":
            before = producers.get(pad.inputs[0])
            if before is None or before.op_type != "Relu":
                return [PAD_FUSION.target]
    return []


def _as_operator(name: str) -> bytes:
    """How a node's operator is written in an ONNX file: field 4, the length, the name."""
    return bytes([4 << 3 | 2, len(name)]) + name.encode()


class Content(Protocol):
    """Bytes, or a file that is mapped into memory."""

    def __getitem__(self, where: slice, /) -> bytes: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Node:
    """One operator with the names of the values that it reads and writes."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def read_nodes(content: Content) -> Iterator[Node]:
    """The nodes of the main graph; a ``ValueError`` if the content is not an ONNX model."""
    for number, begin, end in _fields(content, 0, len(content)):
        if number == _GRAPH:
            for inner, first, last in _fields(content, begin, end):
                if inner == _NODE:
                    yield _node(content, first, last)


def _node(content: Content, begin: int, end: int) -> Node:
    texts: dict[int, list[str]] = {_INPUT: [], _OUTPUT: [], _OPERATOR: []}
    for number, first, last in _fields(content, begin, end):
        if number in texts:
            texts[number].append(content[first:last].decode("utf-8"))
    operator = (texts[_OPERATOR] or [""])[-1]
    return Node(operator, tuple(texts[_INPUT]), tuple(texts[_OUTPUT]))


def _fields(content: Content, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The number of each field that has a length, and where its value begins and ends."""
    while begin < end:
        tag, begin = _varint(content, begin)
        kind = tag & 7
        if kind == _VARINT:
            _, begin = _varint(content, begin)
        elif kind in (_FIXED64, _FIXED32):
            begin += 8 if kind == _FIXED64 else 4
        elif kind == _BYTES:
            length, begin = _varint(content, begin)
            yield tag >> 3, begin, begin + length
            begin += length
        else:
            raise ValueError(f"not an ONNX model: it has a field of the wire type {kind}")
    if begin != end:
        raise ValueError("not an ONNX model: a field is longer than what contains it")


def _varint(content: Content, begin: int) -> tuple[int, int]:
    """A number of seven bits per byte, and where it ends."""
    value = 0
    for count, byte in enumerate(content[begin : begin + 10]):
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, begin + count + 1
    raise ValueError("not an ONNX model: a number does not end")
