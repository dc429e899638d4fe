"""What stays in float32 when a model is converted to float16, and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import onnx

from turnkeyml.build import onnx_files
from turnkeyml.build.fp16.ranges import largest_magnitudes
from turnkeyml.nouns import Verification
from turnkeyml.verify.reference import Outputs

__all__ = [
    "Kept",
    "all_but_multiplications",
    "out_of_range",
    "unsupported_operator",
    "with_named_nodes",
]

LARGEST = 30_000
"""Float16 ends at 65,504; a value that comes near it on one input may pass it on another."""

SMALLEST = 2.0**-14
"""Below this float16 loses digits, and below 6e-8 it has none."""

MULTIPLICATIONS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
"""The operators that take most of the time."""


@dataclass(frozen=True)
class Kept:
    """What stays in float32: operator types, single nodes, graph inputs and outputs."""

    operators: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    def __str__(self) -> str:
        nodes = [f"{len(self.nodes)} nodes"] if self.nodes else []
        return ", ".join([*self.operators, *nodes, *self.ends])

    def plus(self, more: Kept) -> Kept | None:
        """Both together; None if ``more`` adds nothing."""
        both = Kept(
            tuple(dict.fromkeys((*self.operators, *more.operators))),
            tuple(dict.fromkeys((*self.nodes, *more.nodes))),
            tuple(dict.fromkeys((*self.ends, *more.ends))),
        )
        return None if both == self else both


def unsupported_operator(verdict: Verification) -> Kept:
    """The operator that the runtime names because it cannot run it in float16."""
    return Kept(operators=(verdict.operator,) if verdict.operator else ())


def all_but_multiplications(source: Path) -> Kept:
    """Every operator of a model that takes little of the time."""
    used = {node.op_type for node in onnx_files.read_graph(source).graph.node}
    return Kept(operators=tuple(sorted(used - MULTIPLICATIONS - {"Constant"})))


def out_of_range(source: Path, inputs: Outputs, threads: int) -> Kept:
    """The nodes, inputs and outputs whose values float16 cannot hold on these inputs: too large,
    or nothing but too small ones."""
    model = with_named_nodes(onnx.shape_inference.infer_shapes(onnx_files.read_graph(source)))
    largest = largest_magnitudes(model, source, inputs, threads)
    beyond = {name for name, size in largest.items() if not _fits(size)}
    nodes = [n.name for n in model.graph.node if beyond & {*n.input, *n.output}]
    ends = [e.name for e in (*model.graph.input, *model.graph.output) if e.name in beyond]
    return Kept(nodes=tuple(nodes), ends=tuple(ends))


def _fits(magnitude: float) -> bool:
    return magnitude == 0 or SMALLEST <= magnitude <= LARGEST


def with_named_nodes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with a name for every node, the same one each time it is read."""
    for number, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"
    return model
