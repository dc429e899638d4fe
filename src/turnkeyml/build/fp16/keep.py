"""Choosing what stays in float32 when a model is converted to float16."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import onnx

from turnkeyml.build import onnx_graph
from turnkeyml.build.fp16.ranges import largest_magnitudes
from turnkeyml.nouns import Verification
from turnkeyml.verify import Outputs

LARGEST = 30_000
"""The largest magnitude that counts as in range. The limit of float16 is 65,504; the margin is
for other inputs, on which a value may be larger."""

SMALLEST = 2.0**-14
"""The smallest normal float16: below it precision decreases, and below 6e-8 values become zero."""

MULTIPLICATIONS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
"""The operators that take most of the time."""


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
