"""The nodes of the ONNX file of a build: what the profile of a runtime leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml.nouns import TensorShape


@dataclass(frozen=True)
class SourceNode:
    """A node of the file: its attributes, and the weights among its inputs by their position."""

    attributes: dict[str, Any] = field(default_factory=dict)
    weights: dict[int, TensorShape] = field(default_factory=dict)
    op_type: str = ""
    reads: dict[str, TensorShape] = field(default_factory=dict)
    """Its inputs by their names, in order, as far as the file tells their shapes."""
    writes: dict[str, TensorShape] = field(default_factory=dict)
    """Its outputs in the same way."""


NOTHING = SourceNode()


def read_source(model: Path, with_shapes: bool = False) -> Mapping[str, SourceNode]:
    """The nodes of an ONNX file by name and in order, without reading its weights.

    ``with_shapes`` infers what the nodes read and write, for profiles that do not say it.
    """
    import onnx
    from onnx import helper

    loaded = onnx.load(str(model), load_external_data=False)
    graph = (onnx.shape_inference.infer_shapes(loaded) if with_shapes else loaded).graph
    weights = {
        one.name: TensorShape(_dtype(helper, one.data_type), tuple(one.dims), constant=True)
        for one in graph.initializer
    }
    shapes = {**_shapes(helper, graph), **weights} if with_shapes else {}
    return {
        node.name: SourceNode(
            {a.name: _value(helper, a) for a in node.attribute},
            {n: weights[name] for n, name in enumerate(node.input) if name in weights},
            node.op_type,
            {name: shapes[name] for name in node.input if name in shapes},
            {name: shapes[name] for name in node.output if name in shapes},
        )
        for node in graph.node
        if node.name
    }


def _dtype(helper: Any, number: int) -> str:
    """The name of a dtype in numpy, or ``bfloat16``."""
    return str(helper.tensor_dtype_to_np_dtype(number))


def _shapes(helper: Any, graph: Any) -> dict[str, TensorShape]:
    """The shapes of the values of a graph that are known as numbers."""
    found = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        sizes = [dim.dim_value for dim in kind.shape.dim if dim.HasField("dim_value")]
        if kind.HasField("shape") and len(sizes) == len(kind.shape.dim):
            found[value.name] = TensorShape(_dtype(helper, kind.elem_type), tuple(sizes))
    return found


def _value(helper: Any, attribute: Any) -> Any:
    """The value of an attribute; None for graphs and tensors, which no cost depends on."""
    if attribute.HasField("g") or attribute.HasField("t") or attribute.graphs:
        return None
    return helper.get_attribute_value(attribute)
