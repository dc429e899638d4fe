"""The inputs that an ONNX file declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from turnkeyml.errors import TurnkeyError
from turnkeyml.frameworks.onnx.dimensions import Declared
from turnkeyml.frameworks.onnx.uses import Graph

TENSOR, SEQUENCE, MAP = "tensor", "sequence", "map"

_KEPT_ELEMENTS = 1_000
"""Constants with more elements are no shapes, so that inference does without their values."""


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
