"""Reading an ONNX file as an invocation: its hash, its inputs, and values for them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from turnkeyml.build import data_files, file_digest, read_graph
from turnkeyml.cache import BFLOAT16, KEYS, VALUES, build_name, narrow, top_name
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.frameworks.hashes import hash_invocation
from turnkeyml.frameworks.onnx.declared import (
    MAP,
    SEQUENCE,
    InputType,
    declared_inputs,
    inferred_shapes,
    shapes_fit,
)
from turnkeyml.frameworks.onnx.dimensions import choose_sizes
from turnkeyml.frameworks.onnx.given import read_inputs
from turnkeyml.frameworks.onnx.subject import OnnxSubject, arrays_digest
from turnkeyml.frameworks.onnx.uses import Graph, Use, uses_of
from turnkeyml.frameworks.onnx.values import Wanted, make_values, range_of
from turnkeyml.nouns import Input, InvocationRecord
from turnkeyml.verify import Outputs

MODEL_TYPE = "ONNX File (.onnx)"

MOST_ELEMENTS = 2**31
"""Of one input; more than that is damage, not a size."""

SEQUENCE_LENGTH = 2
"""The number of tensors in a made-up sequence."""


def read_onnx(
    item: Input, input_shape: Mapping[str, tuple[int, ...]], inputs: str | None
) -> OnnxSubject:
    """The single invocation of an ONNX file, on the given inputs or on made-up ones."""
    path = Path(os.path.realpath(item.path))  # unlike resolve(), it survives a loop of links
    if not path.is_file():  # reading a pipe may block forever
        raise TurnkeyError(f"{path.name} is not a regular file.")
    try:
        return _read(item, path, input_shape, inputs)
    except (TurnkeyError, OSError):
        raise
    except Exception as error:  # a damaged graph may be wrong in any way
        why = describe(error)
        raise TurnkeyError(f"{path.name} is not a valid ONNX file ({why}).") from error


def _read(
    item: Input, path: Path, input_shape: Mapping[str, tuple[int, ...]], file: str | None
) -> OnnxSubject:
    model = read_graph(path)
    data = data_files(path)
    made = _Inputs(model, input_shape, file).make()
    model_hash = file_digest([path, *data])[:8]
    given = arrays_digest(made.arrays) if file else ""
    digest = hash_invocation(model_hash, None, made.shapes, made.dtypes, given)
    parameters, parameter_bytes = _count_parameters(model.graph)
    record = InvocationRecord(
        name=item.stem,
        model_type=MODEL_TYPE,
        class_name="ONNX",
        class_repr="",  # a file has no class
        file=str(path),
        line=0,
        parameters=parameters,
        parameter_bytes=parameter_bytes,
        model_hash=model_hash,
        hash=digest,
        parent_hash=None,
        depth=0,
        shapes=made.shapes,
        dtypes=made.dtypes,
        build_name=build_name(item.stem, digest),
        remarks=made.remarks,
    )
    return OnnxSubject(record, path, made.arrays, chosen=made.chosen, file=file)


@dataclass
class _Made:
    """Values for every input, and what was decided about them."""

    arrays: Outputs = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def add(self, name: str, array: np.ndarray, is_bfloat16: bool = False) -> None:
        self.shapes[name] = tuple(int(n) for n in array.shape)
        strings = array.dtype.kind in "OUS"
        self.dtypes[name] = "string" if strings else str(array.dtype)
        if is_bfloat16:
            self.dtypes[name] = "bfloat16"
            name, array = name + BFLOAT16, narrow(array)
        self.arrays[name] = array


class _Inputs:
    """Makes the inputs of one model."""

    def __init__(
        self, model: onnx.ModelProto, wanted: Mapping[str, tuple[int, ...]], file: str | None
    ) -> None:
        if model.functions:
            model = _inlined(model)
        self._model, self._wanted, self._file = model, wanted, file
        self._inputs = declared_inputs(model.graph)
        self._graph = Graph(model)
        self._random = np.random.default_rng(0)

    def make(self) -> _Made:
        given = read_inputs(self._file, self._inputs) if self._file else {}
        declared = [i.declared(self._graph) for i in self._inputs]
        uses = {d.name: uses_of(self._graph, d.name, len(d.dims)) for d in declared}
        shapes = {name: array.shape for name, array in given.items() if name in uses}
        sizes = choose_sizes(
            self._graph,
            declared,
            uses,
            shapes if given else self._wanted,
            lambda sizes: shapes_fit(self._model, sizes.shapes),
        )
        self._graph.infer_shapes(lambda: inferred_shapes(self._model, sizes.shapes))
        made = _Made(chosen=sizes.chosen)
        for kind in self._inputs:
            taken = {n: a for n, a in given.items() if kind.name in (n, top_name(n))}
            if taken:
                for name, array in taken.items():
                    made.add(name, array, kind.is_bfloat16)
            else:
                self._make_one(kind, sizes.shapes[kind.name], uses[kind.name], made)
        made.remarks = tuple(self._remarks(made))
        return made

    def _make_one(
        self, kind: InputType, shape: tuple[int, ...], uses: list[Use], made: _Made
    ) -> None:
        if math.prod(shape) > MOST_ELEMENTS:
            raise TurnkeyError(f"The input {kind.name!r} is too large to generate values for it.")
        allowed = range_of(self._graph, uses)
        sizes = made.chosen
        if kind.structure == MAP:
            keys = allowed.keys or (("a", "b") if kind.dtype.kind == "O" else (0, 1))
            made.add(kind.name + KEYS, np.array(keys))
            values = self._random.standard_normal(len(keys)).astype(np.float32)
            made.add(kind.name + VALUES, values)
            return
        count = SEQUENCE_LENGTH if kind.structure == SEQUENCE else 1
        for number in range(count):
            name = f"{kind.name}[{number}]" if kind.structure == SEQUENCE else kind.name
            wanted = Wanted(kind.name, shape, kind.dtype, allowed, uses, _sequence_in(sizes))
            made.add(name, make_values(wanted, self._random), kind.is_bfloat16)

    def _remarks(self, made: _Made) -> list[str]:
        if self._file:
            return [f"Inputs from {self._file}."]
        if not made.chosen:
            return []
        words = ", ".join(f"{name}={size}" for name, size in made.chosen.items())
        return [f"The file leaves these dimensions open: {words}; --input-shape sets others."]


def _sequence_in(chosen: Mapping[str, int]) -> int:
    """The size of the shortest sequence, as lengths need it; 1 if there is none."""
    sizes = [size for name, size in chosen.items() if "seq" in name or "len" in name]
    return max(1, min(sizes, default=1))


def _inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without functions of its own, so that its inputs can be followed."""
    from onnx import inliner

    return inliner.inline_local_functions(model)


def _count_parameters(graph: Any) -> tuple[int, int]:
    """The number of weights in a graph and their size in bytes."""
    counts = [(int(np.prod(t.dims)), t.data_type) for t in graph.initializer]
    total = sum(n * onnx.helper.tensor_dtype_to_np_dtype(kind).itemsize for n, kind in counts)
    return sum(n for n, _ in counts), total
