"""Reading an ONNX file as an invocation: its hash, the inputs it declares, and values for them.

The values come from the user's ``.npz`` file, or are made up (``dimensions`` and ``values``).
"""

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
from turnkeyml.cache import (
    BFLOAT16,
    KEYS,
    VALUES,
    build_name,
    narrow,
    read_archive,
    top_name,
    unpacked_bytes,
)
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.frameworks.hashes import hash_invocation
from turnkeyml.frameworks.onnx.dimensions import Declared, choose_sizes
from turnkeyml.frameworks.onnx.graph import Graph, Use, uses_of
from turnkeyml.frameworks.onnx.subject import OnnxSubject, arrays_digest
from turnkeyml.frameworks.onnx.values import WantedInput, make_values, range_of
from turnkeyml.nouns import DamagedRecord, Input, InvocationRecord
from turnkeyml.verify import Outputs

MODEL_TYPE = "ONNX File (.onnx)"
TENSOR, SEQUENCE, MAP = "tensor", "sequence", "map"

SEQUENCE_LENGTH = 2
"""The number of tensors in a made-up sequence."""

MOST_ELEMENTS = 2**31
"""Of one input; more than that is damage, not a size."""

_KEPT_ELEMENTS = 1_000
"""Constants with more elements are no shapes, so that inference does without their values."""

ALWAYS_BYTES = 1 << 30
"""What any archive may unpack to."""

MOST_RATIO = 20
"""How many times its size a larger archive may unpack to. Masks and token ids of real inputs
compress well; what compresses a thousand times is made to fill the memory."""


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
            wanted = WantedInput(kind.name, shape, kind.dtype, allowed, uses, _sequence_in(sizes))
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


@dataclass(frozen=True)
class InputType:
    """An input: a tensor, a sequence of tensors, or a map; an optional one counts as present."""

    name: str
    structure: str
    element: int
    """The ONNX data type of its elements; of the keys of a map."""
    dims: tuple[int | str | None, ...] | None
    """None if the file does not say how many axes it has."""

    @property
    def is_bfloat16(self) -> bool:
        return self.element == onnx.TensorProto.BFLOAT16

    @property
    def dtype(self) -> np.dtype:
        """The numpy dtype of its values; float32 for bfloat16, which numpy does not have."""
        if self.is_bfloat16:
            return np.dtype(np.float32)
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(self.element))
        if dtype.kind != "O" and (dtype.kind not in "biuf" or dtype.isbuiltin != 1):
            kind = onnx.TensorProto.DataType.Name(self.element)
            raise TurnkeyError(f"The input {self.name!r} has the unsupported dtype {kind}.")
        return dtype

    def declared(self, graph: Graph) -> Declared:
        """What is known of its shape."""
        dims = self.dims if self.dims is not None else (None,) * self._likely_rank(graph)
        return Declared(
            self.name,
            dims,
            is_integer=self.dtype.kind in "iu",
            is_string=self.dtype.kind == "O",
            has_rank=self.dims is not None,
        )

    def _likely_rank(self, graph: Graph) -> int:
        """The number of axes that the first operator needs."""
        for node, position in graph.consumers.get(self.name, ()):
            other = graph.dims(node.input[1]) if len(node.input) > 1 else None
            if node.op_type == "Conv" and other and position == 0:
                return len(other)
            if node.op_type in ("Gemm", "MatMul", "Gather") or node.domain == "ai.onnx.ml":
                return 2
        return 1


def declared_inputs(graph: Any) -> list[InputType]:
    """The inputs of a graph without its weights, which older files declare as inputs, too."""
    weights = {tensor.name for tensor in graph.initializer}
    return [_input_type(v.name, v.type) for v in graph.input if v.name not in weights]


def _input_type(name: str, kind: Any) -> InputType:
    if kind.HasField("optional_type"):
        return _input_type(name, kind.optional_type.elem_type)
    if kind.HasField("map_type"):
        return InputType(name, MAP, kind.map_type.key_type, ())
    structure = TENSOR
    if kind.HasField("sequence_type"):
        structure, kind = SEQUENCE, kind.sequence_type.elem_type
    if not kind.HasField("tensor_type"):
        raise TurnkeyError(
            f"The input {name!r} is neither a tensor nor a sequence of tensors nor a map; such an "
            "input is not supported."
        )
    tensor = kind.tensor_type
    if tensor.elem_type == onnx.TensorProto.UNDEFINED:
        raise TurnkeyError(f"The input {name!r} has no dtype; declare one in the file.")
    dims = tuple(map(_dimension, tensor.shape.dim)) if tensor.HasField("shape") else None
    return InputType(name, structure, tensor.elem_type, dims)


def _dimension(dim: Any) -> int | str | None:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    return str(dim.dim_param) or None


def read_inputs(path: str, inputs: list[InputType]) -> dict[str, np.ndarray]:
    """The arrays of a file by input; arrays without names belong to the inputs in order."""
    name = Path(path).name
    try:
        limit = max(ALWAYS_BYTES, MOST_RATIO * os.stat(path).st_size)
        _check_size(path, limit)
        arrays = read_archive(Path(path), limit)
    except FileNotFoundError:
        raise TurnkeyError(f"The file of inputs {path} does not exist.") from None
    except DamagedRecord as error:
        raise TurnkeyError(f"The file of inputs {path} cannot be read: {error}.") from None
    if arrays and all(key == f"arr_{i}" for i, key in enumerate(arrays)):
        arrays = dict(zip((i.name for i in inputs), arrays.values(), strict=False))
    known = {i.name: i for i in inputs}
    for key, array in arrays.items():
        if top_name(key) not in known and key not in known:
            words = ", ".join(known) or "none"
            raise TurnkeyError(
                f"{name} has an array {key!r}; the inputs of the model are: {words}."
            )
        _check(name, known[key if key in known else top_name(key)], key, array)
    return arrays


def _check_size(path: str, limit: int) -> None:
    """Raise an error, before anything is unpacked, if an archive unpacks to too much."""
    declared = unpacked_bytes(Path(path))
    if declared > limit:
        raise TurnkeyError(
            f"The file of inputs {path} unpacks to {declared / 1e9:,.1f} GB, which is more than "
            f"{MOST_RATIO} times its size; save it with numpy.savez, which does not compress."
        )


def _check(file: str, wanted: InputType, key: str, array: np.ndarray) -> None:
    """Raise an error if an array cannot be an input."""
    strings = array.dtype.kind in "US"
    if strings != (wanted.dtype.kind == "O") or array.dtype.kind == "c":
        kind = "string" if wanted.dtype.kind == "O" else wanted.dtype
        raise TurnkeyError(f"{key!r} in {file} is {array.dtype}; the model wants {kind}.")
    if key != wanted.name or wanted.dims is None:
        return
    fixed = [d if isinstance(d, int) else None for d in wanted.dims]
    fits = len(fixed) == array.ndim and all(
        f in (None, n) for f, n in zip(fixed, array.shape, strict=True)
    )
    if not fits:
        dims = "x".join("?" if d is None else str(d) for d in wanted.dims) or "a scalar"
        shape = "x".join(map(str, array.shape)) or "a scalar"
        raise TurnkeyError(f"{key!r} in {file} is {shape}; the model wants {dims}.")


def shapes_fit(model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]) -> bool:
    """Whether no operator contradicts inputs of some shapes, as far as onnx knows."""
    try:
        onnx.shape_inference.infer_shapes(
            _skeleton(model, shapes), strict_mode=True, data_prop=True
        )
    except Exception:  # noqa: BLE001 - any error is a contradiction
        return False
    return True


def inferred_shapes(
    model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]
) -> dict[str, list[int | None]]:
    """The shapes of the inner values of a model for inputs of some shapes, where onnx knows."""
    try:
        found = onnx.shape_inference.infer_shapes(_skeleton(model, shapes), data_prop=True)
    except Exception:  # noqa: BLE001 - whatever contradicts onnx is the runtime's to judge
        return {}
    known: dict[str, list[int | None]] = {}
    _collect(found.graph, known)
    return known


def _collect(graph: Any, known: dict[str, list[int | None]]) -> None:
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        if value.type.HasField("tensor_type") and kind.HasField("shape"):
            dims = map(_dimension, kind.shape.dim)
            known[value.name] = [d if isinstance(d, int) else None for d in dims]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _collect(attribute.g, known)


def _skeleton(model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]) -> onnx.ModelProto:
    """The model with fixed input shapes and without the values of its weights."""
    made = onnx.ModelProto(ir_version=model.ir_version)
    made.opset_import.extend(model.opset_import)
    made.functions.extend(model.functions)
    made.graph.name = model.graph.name
    made.graph.node.extend(model.graph.node)
    made.graph.output.extend(model.graph.output)
    for value in model.graph.input:
        copy = made.graph.input.add()
        copy.CopyFrom(value)
        if value.name in shapes and value.type.HasField("tensor_type"):
            kind = value.type.tensor_type.elem_type
            copy.CopyFrom(onnx.helper.make_tensor_value_info(value.name, kind, shapes[value.name]))
    for tensor in model.graph.initializer:
        small = int(np.prod(tensor.dims, dtype=np.int64)) <= _KEPT_ELEMENTS
        if small and tensor.data_location != onnx.TensorProto.EXTERNAL:
            made.graph.initializer.append(tensor)
        elif tensor.name not in {value.name for value in made.graph.input}:
            info = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            made.graph.input.append(info)
    return made
