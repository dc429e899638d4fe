"""The nodes of the ONNX file of a build: what the profile of a runtime leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml.nouns.profiles import TensorShape

__all__ = ["NOTHING", "SourceNode", "read_source"]


@dataclass(frozen=True)
class SourceNode:
    """A node of the file: its attributes, and the weights among its inputs by their position."""

    attributes: dict[str, Any] = field(default_factory=dict)
    weights: dict[int, TensorShape] = field(default_factory=dict)


NOTHING = SourceNode()


def read_source(model: Path) -> Mapping[str, SourceNode]:
    """The nodes of an ONNX file by name, without reading its weights."""
    import onnx
    from onnx import helper

    graph = onnx.load(str(model), load_external_data=False).graph
    weights = {
        one.name: TensorShape(
            str(helper.tensor_dtype_to_np_dtype(one.data_type)), tuple(one.dims), constant=True
        )
        for one in graph.initializer
    }
    return {
        node.name: SourceNode(
            {a.name: _value(helper, a) for a in node.attribute},
            {n: weights[name] for n, name in enumerate(node.input) if name in weights},
        )
        for node in graph.node
        if node.name
    }


def _value(helper: Any, attribute: Any) -> Any:
    """The value of an attribute; None for graphs and tensors, which no cost depends on."""
    if attribute.HasField("g") or attribute.HasField("t") or attribute.graphs:
        return None
    return helper.get_attribute_value(attribute)
