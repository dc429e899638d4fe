"""Repairing the casts of ONNX Runtime's float16 converter.

The names in capitals are entries in ``turnkeyml.workarounds.float16``.
"""

from __future__ import annotations

from collections.abc import Iterable

import onnx

CAST_SUFFIX = "_cast_to_fp16"
"""The suffix that the converter adds to the name of a value that stays in float32."""


def cast_for_bodies(graph: onnx.GraphProto) -> None:
    """Cast the outer values that the bodies of branches and loops use to float32.

    Bodies stay in float32. Outer values are not among the inputs of a body, so the converter does
    not cast them (``BLOCKED_BODIES``).
    """
    values = (*graph.input, *graph.value_info)
    float16 = {v.name for v in values if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16}
    float16 |= {t.name for t in graph.initializer if t.data_type == onnx.TensorProto.FLOAT16}
    bodies = _bodies(graph)
    for name in sorted(_used_inside(graph) & float16):
        wide = f"{name}_for_bodies"
        cast = onnx.helper.make_node("Cast", [name], [wide], wide, to=onnx.TensorProto.FLOAT)
        graph.node.append(cast)
        for body in bodies:
            _rename(body, name, wide)


def _bodies(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    return [a.g for node in graph.node for a in node.attribute if a.HasField("g")]


def _used_inside(graph: onnx.GraphProto) -> set[str]:
    """The names that the bodies of branches and loops use, at any depth."""
    names: set[str] = set()
    for body in _bodies(graph):
        names.update(name for node in body.node for name in node.input)
        names.update(output.name for output in body.output)
        names |= _used_inside(body)
    return names


def _rename(body: onnx.GraphProto, old: str, new: str) -> None:
    """Rename an outer value in a body, unless the body defines a value of the same name."""
    own = [*body.input, *body.initializer]
    if old in {o for node in body.node for o in node.output} | {value.name for value in own}:
        return
    for node in body.node:
        for index, name in enumerate(node.input):
            if name == old:
                node.input[index] = new
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename(attribute.g, old, new)
    if old in {output.name for output in body.output}:
        body.node.append(onnx.helper.make_node("Identity", [new], [old]))


def remove_redundant_casts(graph: onnx.GraphProto) -> None:
    """Remove duplicate casts, and casts to float16 that are followed by a cast to float32.

    The converter adds one cast per node that needs it, all of the same name (``DUPLICATE_CASTS``).
    Between two float32 nodes it casts to float16 and back, which overflows large numbers
    (``DOWN_AND_UP``, ``DOWN_AND_UP_AT_INPUTS``).
    """
    _remove(graph, _duplicate_casts(graph))
    narrowed = _narrowed(graph)
    for node in graph.node:
        back = node.op_type == "Cast" and node.attribute[0].i == onnx.TensorProto.FLOAT
        if back and node.input[0] in narrowed:
            node.op_type = "Identity"
            node.input[0] = narrowed[node.input[0]]
            del node.attribute[:]
    while unused := _unused_casts(graph):
        _remove(graph, unused)


def _remove(graph: onnx.GraphProto, nodes: Iterable[onnx.NodeProto]) -> None:
    for node in nodes:
        graph.node.remove(node)


def _duplicate_casts(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Casts whose output an earlier node already produces."""
    duplicates, produced = [], set[str]()
    for node in graph.node:
        if node.op_type == "Cast" and node.output[0] in produced:
            duplicates.append(node)
        produced.update(node.output)
    return duplicates


def _narrowed(graph: onnx.GraphProto) -> dict[str, str]:
    """The names of values cast from float32 to float16, each with its name in float32."""
    values = (*graph.input, *graph.value_info)
    wide = {v.name for v in values if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT}
    casts = (node for node in graph.node if node.op_type == "Cast" and node.input[0] in wide)
    return {c.output[0]: c.input[0] for c in casts if c.attribute[0].i == onnx.TensorProto.FLOAT16}


def _unused_casts(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    used = {name for node in graph.node for name in node.input} | _used_inside(graph)
    used |= {output.name for output in graph.output}
    return [n for n in graph.node if n.op_type == "Cast" and n.output[0] not in used]
