"""The inputs of an ONNX file: their dtypes, and which of them can be batched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx

from turnkeyml.build.onnx_files import read_graph
from turnkeyml.errors import BuildError


def input_dtypes(model: Path) -> dict[str, str]:
    """The numpy name of the dtype of each input, by its name."""
    return {value.name: _dtype(value) for value in _inputs(model)}


def batched_inputs(model: Path) -> tuple[str, ...]:
    """The inputs whose first dimension is the batch; none if the batch has a fixed size.

    That is a dimension with a name, which all of them share, and which the outputs have too.
    """
    first = {value.name: _first_dimension(value) for value in _inputs(model)}
    names = [name for name in first.values() if name]
    if not names:
        return ()
    outputs = [_first_dimension(value) for value in read_graph(model).graph.output]
    if not all(outputs):
        return ()
    return tuple(name for name, dimension in first.items() if dimension == names[0])


def _inputs(model: Path) -> list[Any]:
    graph = read_graph(model).graph
    stored = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in stored]


def _dtype(value: Any) -> str:
    if not value.type.HasField("tensor_type"):
        raise BuildError(f"The input {value.name!r} is not a tensor")
    kind = value.type.tensor_type.elem_type
    if kind == onnx.TensorProto.STRING:
        return "string"
    if kind == onnx.TensorProto.BFLOAT16:
        return "bfloat16"
    return str(onnx.helper.tensor_dtype_to_np_dtype(kind))


def _first_dimension(value: Any) -> str:
    """The name of the first dimension; empty if it has a size, or if there is none."""
    dimensions = value.type.tensor_type.shape.dim
    return str(dimensions[0].dim_param) if len(dimensions) else ""
