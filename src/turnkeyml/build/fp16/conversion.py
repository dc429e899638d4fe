"""Converting an ONNX model to float16, and what of it stays in float32.

ONNX Runtime's own converter converts the graph, and its casts are repaired afterwards. It sees
external weights only by name and dtype; ``onnx_weights`` converts them from file to file, so that
they are never all in memory. The bugs of the converter are the names in capitals, listed in
``turnkeyml.workarounds.float16``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import onnx

from turnkeyml.build import onnx_graph, onnx_weights
from turnkeyml.nouns import Verification
from turnkeyml.verify import Outputs

LARGEST = 30_000
"""The largest magnitude that counts as in range. The limit of float16 is 65,504; the margin is
for other inputs, on which a value may be larger."""

SMALLEST = 2.0**-14
"""The smallest normal float16: below it precision decreases, and below 6e-8 values become zero."""

MULTIPLICATIONS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
"""The operators that take most of the time."""

RANDOM_OPERATORS = ["RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"]
"""ONNX Runtime does not generate random numbers in float16 (``RANDOM_FLOAT16``)."""

CONTROL_FLOW = ["If", "Loop", "Scan"]
"""The converter fails in their bodies (``CASTS_OUTSIDE_OF_BODIES``, ``SAME_NAMES_IN_BODIES``)."""

CAST_SUFFIX = "_cast_to_fp16"
"""The suffix that the converter adds to the name of a value that stays in float32."""


@dataclass(frozen=True)
class Kept:
    """What stays in float32: operator types, single nodes, graph inputs and outputs."""

    operators: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    inputs_outputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        nodes = [f"{len(self.nodes)} nodes"] if self.nodes else []
        return ", ".join([*self.operators, *nodes, *self.inputs_outputs])

    def plus(self, more: Kept) -> Kept | None:
        """The union of both; None if ``more`` adds nothing."""
        both = Kept(
            tuple(dict.fromkeys((*self.operators, *more.operators))),
            tuple(dict.fromkeys((*self.nodes, *more.nodes))),
            tuple(dict.fromkeys((*self.inputs_outputs, *more.inputs_outputs))),
        )
        return None if both == self else both


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
    cast_for_bodies(model.graph)
    remove_redundant_casts(model.graph)
    OnnxModel(model).topological_sort()  # see TOPOLOGICAL_ORDER
    return model


def _crashes_in_float16(node: onnx.NodeProto) -> bool:
    """Whether a node is a scatter with a reduction, which crashes ONNX Runtime in float16
    (``SCATTER_ELEMENTS_FLOAT16``, ``SCATTER_ND_FLOAT16``)."""
    return node.op_type in ("ScatterElements", "ScatterND") and any(
        attribute.name == "reduction" and attribute.s != b"none" for attribute in node.attribute
    )


def unsupported_operator(verdict: Verification) -> Kept:
    """The operator that the runtime reports as unsupported in float16."""
    return Kept(operators=(verdict.operator,) if verdict.operator else ())


def all_but_multiplications(source: Path) -> Kept:
    """Every operator of a model except those that take most of the time."""
    used = {node.op_type for node in onnx_graph.read_graph(source).graph.node}
    return Kept(operators=tuple(sorted(used - MULTIPLICATIONS - {"Constant"})))


def out_of_range(source: Path, inputs: Outputs, threads: int) -> Kept:
    """The nodes, graph inputs and graph outputs whose values are out of the range of float16:
    one is too large, or all are too small."""
    model = with_named_nodes(onnx_graph.with_shapes(onnx_graph.read_graph(source)))
    largest = largest_magnitudes(model, source, inputs, threads)
    outside = {name for name, magnitude in largest.items() if not _is_in_range(magnitude)}
    nodes = [n.name for n in model.graph.node if outside & {*n.input, *n.output}]
    ends = [e.name for e in (*model.graph.input, *model.graph.output) if e.name in outside]
    return Kept(nodes=tuple(nodes), inputs_outputs=tuple(ends))


def _is_in_range(magnitude: float) -> bool:
    return magnitude == 0 or SMALLEST <= magnitude <= LARGEST


def with_named_nodes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with a name for every node; the names are the same each time it is read."""
    for number, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"
    return model


def largest_magnitudes(
    model: onnx.ModelProto, source: Path, inputs: Outputs, threads: int
) -> dict[str, float]:
    """The largest magnitude of each float32 value when the model runs once on these inputs.

    ``model`` is ``source`` with inferred shapes; its external data files are beside ``source``.
    """
    names = _floats(model.graph)
    return _largest_of_run(_probe(model, names), source, names, inputs, threads)


def _floats(graph: onnx.GraphProto) -> list[str]:
    """The float32 values of a graph in the order in which they are computed.

    Some files describe values that they no longer have (``STALE_VALUE_INFO``).
    """
    values = (*graph.input, *graph.output, *graph.value_info)
    kinds = {value.name: value.type.tensor_type.elem_type for value in values}
    made = [name for node in graph.node for name in node.output]
    names = dict.fromkeys([*(value.name for value in graph.input), *made])
    return [name for name in names if kinds.get(name) == onnx.TensorProto.FLOAT]


def _probe(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    """A copy of a model whose outputs are the largest magnitudes of some values.

    ONNX Runtime begins with what leads to the last outputs of a graph. So the first value comes
    last: every value is reduced to a number as soon as it is there, and its memory is free again.
    """
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    for number in reversed(range(len(names))):
        magnitude, largest = f"turnkey_magnitude_{number}", f"turnkey_largest_{number}"
        probe.graph.node.append(onnx.helper.make_node("Abs", [names[number]], [magnitude]))
        node = onnx.helper.make_node("ReduceMax", [magnitude], [largest], keepdims=0)
        probe.graph.node.append(node)
        output = onnx.helper.make_tensor_value_info(largest, onnx.TensorProto.FLOAT, [])
        probe.graph.output.append(output)
    return probe


def _largest_of_run(
    probe: onnx.ModelProto, source: Path, names: list[str], inputs: Outputs, threads: int
) -> dict[str, float]:
    from turnkeyml.runtimes import run_once

    path = source.with_name(f"{source.stem}-ranges.onnx")
    try:
        onnx.save(probe, str(path))
        found = run_once(str(path), inputs, threads, level="none")
    finally:
        path.unlink(missing_ok=True)
    return {
        name: float(largest) for name, largest in zip(reversed(names), found.values(), strict=True)
    }


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
