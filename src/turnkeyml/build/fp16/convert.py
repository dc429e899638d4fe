"""Converting an ONNX model to float16 without loading all of its weights into memory.

ONNX Runtime's own converter converts the graph. It sees external weights only by name and dtype;
``weights`` converts them from file to file. The bugs of the converter are listed in
``turnkeyml.workarounds.float16``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import onnx

from turnkeyml.build import onnx_graph, onnx_weights
from turnkeyml.build.fp16 import casts
from turnkeyml.build.fp16.keep import Kept, with_named_nodes

RANDOM_OPERATORS = ["RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"]
"""ONNX Runtime does not generate random numbers in float16 (``RANDOM_FLOAT16``)."""

CONTROL_FLOW = ["If", "Loop", "Scan"]
"""The converter fails in their bodies (``CASTS_OUTSIDE_OF_BODIES``, ``SAME_NAMES_IN_BODIES``)."""


def convert_to_float16(source: Path, target: Path, kept: Kept | None = None) -> None:
    """Write ``source`` in float16 to ``target``, including its inputs and outputs."""
    model = with_named_nodes(onnx_graph.read_graph(source))
    onnx_graph.load_inner_data(model, source.parent)
    model = onnx_graph.with_shapes(model)
    locations = onnx_weights.detach(model)
    stay = _Stay.of(model, kept or Kept())
    shared = stay.give_own_weights(model.graph)
    locations |= {own: locations[name] for own, name in shared.items() if name in locations}
    model = _convert_graph(model, kept or Kept(), stay)
    del model.graph.value_info[:]  # shapes inferred from detached weights; runtimes infer their own
    if locations:
        onnx_weights.reattach(
            model, locations, source.parent, target.with_name(f"{target.name}.data")
        )
    onnx.save(model, str(target))


@dataclass(frozen=True)
class _Stay:
    """The operators and nodes that stay in float32."""

    operators: frozenset[str]
    nodes: frozenset[str]

    @classmethod
    def of(cls, model: onnx.ModelProto, kept: Kept) -> _Stay:
        from onnxruntime.transformers.float16 import DEFAULT_OP_BLOCK_LIST

        operators = (*DEFAULT_OP_BLOCK_LIST, *RANDOM_OPERATORS, *CONTROL_FLOW, *kept.operators)
        blocked = (node.name for node in model.graph.node if _crashes_in_float16(node))
        return cls(frozenset(operators), frozenset([*kept.nodes, *blocked]))

    def __contains__(self, node: onnx.NodeProto) -> bool:
        return node.op_type in self.operators or node.name in self.nodes

    def give_own_weights(self, graph: onnx.GraphProto) -> dict[str, str]:
        """Give these nodes copies of the weights that others read too; the copies, by name.

        The converter would store such a weight in float16, and a node that stays in float32 would
        get it with the digits that are left.
        """
        others = {name for node in graph.node if node not in self for name in node.input}
        shared = {
            weight.name: weight
            for weight in graph.initializer
            if weight.data_type == onnx.TensorProto.FLOAT and weight.name in others
        }
        own: dict[str, str] = {}
        for node in (node for node in graph.node if node in self):
            for index, name in enumerate(node.input):
                if name in shared:
                    node.input[index] = f"{name}_in_fp32"
                    own[node.input[index]] = name
        for copy, name in own.items():
            tensor = graph.initializer.add()
            tensor.CopyFrom(shared[name])
            tensor.name = copy
        return own


def _convert_graph(model: onnx.ModelProto, kept: Kept, stay: _Stay) -> onnx.ModelProto:
    """The model in float16, with casts around everything that stays in float32."""
    from onnxruntime.transformers.float16 import convert_float_to_float16
    from onnxruntime.transformers.onnx_model import OnnxModel

    model = convert_float_to_float16(
        model,
        keep_io_types=list(kept.inputs_outputs),
        disable_shape_infer=True,
        op_block_list=sorted(stay.operators),
        node_block_list=sorted(stay.nodes),
    )
    casts.cast_for_bodies(model.graph)
    casts.remove_redundant_casts(model.graph)
    OnnxModel(model).topological_sort()  # see TOPOLOGICAL_ORDER
    return model


def _crashes_in_float16(node: onnx.NodeProto) -> bool:
    """Whether a node is a scatter with a reduction, which crashes ONNX Runtime in float16
    (``SCATTER_ELEMENTS_FLOAT16``, ``SCATTER_ND_FLOAT16``)."""
    return node.op_type in ("ScatterElements", "ScatterND") and any(
        attribute.name == "reduction" and attribute.s != b"none" for attribute in node.attribute
    )
