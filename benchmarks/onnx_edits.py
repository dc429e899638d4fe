"""Reading and changing ONNX models, for benchmarks/sabotage.py."""

from __future__ import annotations

import random
from typing import Any, TypeVar

import numpy as np
import onnx
from onnx import helper, numpy_helper

from turnkeyml.build import with_shapes

FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE)

Item = TypeVar("Item")


def weights(model: onnx.ModelProto, least: int = 2) -> list[onnx.TensorProto]:
    """Of so many dimensions at least."""
    return [
        tensor
        for tensor in model.graph.initializer
        if tensor.data_type in FLOATS and len(tensor.dims) >= least and np.prod(tensor.dims) >= 8
    ]


def put(tensor: onnx.TensorProto, values: np.ndarray) -> str:
    dtype = numpy_helper.to_array(tensor).dtype
    tensor.CopyFrom(numpy_helper.from_array(values.astype(dtype), tensor.name))
    return tensor.name


def pick(found: list[Item], rng: random.Random) -> Item | None:
    return rng.choice(found) if found else None


def crashes(model: onnx.ModelProto) -> bool:
    """ONNX Runtime 1.31 crashes when it optimizes a Gather behind an LSTM in float16."""
    recurrent = any(node.op_type in ("LSTM", "GRU", "RNN") for node in model.graph.node)
    half = any(t.data_type == onnx.TensorProto.FLOAT16 for t in model.graph.initializer)
    return recurrent and half


def sizes(value: onnx.ValueInfoProto) -> list[int]:
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def shapes(model: onnx.ModelProto) -> dict[str, list[int]]:
    """Of all values whose shapes are known; 0 for a size that is not."""
    graph = with_shapes(model).graph
    values = [*graph.value_info, *graph.input, *graph.output]
    return {value.name: sizes(value) for value in values}


def attribute(node: onnx.NodeProto, name: str) -> onnx.AttributeProto | None:
    return next((found for found in node.attribute if found.name == name), None)


def set_attribute(node: onnx.NodeProto, name: str, value: Any) -> None:
    found = attribute(node, name)
    if found is not None:
        node.attribute.remove(found)
    node.attribute.append(helper.make_attribute(name, value))


def add_constant(model: onnx.ModelProto, name: str, value: Any) -> str:
    """A constant, in half precision if the weights of the model are."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        half = any(t.data_type == onnx.TensorProto.FLOAT16 for t in model.graph.initializer)
        array = array.astype(np.float16 if half else np.float32)
    model.graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def insert(model: onnx.ModelProto, node: onnx.NodeProto, *new: onnx.NodeProto) -> None:
    """In front of a node."""
    at = list(model.graph.node).index(node)
    for number, one in enumerate(new):
        model.graph.node.insert(at + number, one)


def replace_result(
    model: onnx.ModelProto, name: str, operator: str, *others: str, **attributes: Any
) -> None:
    """Have everybody read what an operator makes of a value, in the place of the value."""
    at = next(i for i, node in enumerate(model.graph.node) if name in node.output)
    maker = model.graph.node[at]
    before = f"{name}_before"
    maker.output[list(maker.output).index(name)] = before
    node = helper.make_node(operator, [before, *others], [name], f"{name}_changed", **attributes)
    model.graph.node.insert(at + 1, node)
