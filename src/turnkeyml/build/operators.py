"""Which operators an ONNX file has, how often, and which its outputs are the results of."""

from __future__ import annotations

import mmap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from onnx import numpy_helper

from turnkeyml.build.onnx_files import nested_graphs, read_graph
from turnkeyml.nouns import OutputOperator
from turnkeyml.runtimes import read_nodes
from turnkeyml.verify import FLOORS

_MOVING = """
    Identity Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Gather GatherND GatherElements
    Expand Tile Cast Dropout DepthToSpace SpaceToDepth Pad TopK MaxPool ReduceMax ReduceMin
    ReduceMean SplitToSequence SequenceAt
"""
MOVES = frozenset(_MOVING.split())
"""Operators that return numbers of their first input, or means of these: as exact as they are."""
JOINS = frozenset({"Concat", "Max", "Min", "Where"})
"""Operators that return numbers of all their inputs."""


def operators_of(path: Path) -> dict[str, int]:
    """How often each operator occurs in the main graph of a file, the most frequent first.

    The file is mapped, so that its weights are not read.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = Counter(node.op_type for node in read_nodes(content))
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def output_operators(path: Path) -> tuple[OutputOperator, ...]:
    """The operator with a floor that each output of a file is the result of, if it is of one.

    It is followed through what moves numbers without computing. Of several that are joined it is
    the least exact. A name is empty where sums, products or other operators come last.
    """
    graph = read_graph(path).graph
    return tuple(_Origins.of(graph).origin(output.name) for output in graph.output)


@dataclass(frozen=True)
class _Origins:
    """Where the values of a graph come from."""

    producers: dict[str, Any]
    weights: dict[str, Any]
    known: dict[str, OutputOperator] = field(default_factory=dict)
    outer: _Origins | None = None

    @classmethod
    def of(cls, graph: Any, outer: _Origins | None = None) -> _Origins:
        producers = {name: node for node in graph.node for name in node.output}
        return cls(producers, {tensor.name: tensor for tensor in graph.initializer}, outer=outer)

    def origin(self, name: str) -> OutputOperator:
        """The operator that a value is the result of."""
        if name not in self.known:
            self.known[name] = OutputOperator()  # also for what a damaged graph computes of itself
            self.known[name] = self._found(name)
        return self.known[name]

    def _found(self, name: str) -> OutputOperator:
        node = self.producers.get(name)
        if node is None:
            return self.outer.origin(name) if self.outer else OutputOperator()
        if node.op_type in FLOORS:
            return OutputOperator(node.op_type, self._scale(node))
        if node.op_type in MOVES:
            return self.origin(node.input[0]) if node.output[0] == name else OutputOperator()
        return max(self._joined(node, name), key=_floor, default=OutputOperator())

    def _joined(self, node: Any, name: str) -> Iterator[OutputOperator]:
        """Of all inputs of a node that joins them, and of all branches of an If."""
        if node.op_type in JOINS:
            yield from map(self.origin, node.input)
        if node.op_type != "If":
            return
        place = list(node.output).index(name)
        for attribute in node.attribute:
            for branch in nested_graphs(attribute):
                yield _Origins.of(branch, self).origin(branch.output[place].name)

    def _scale(self, node: Any) -> float:
        """The smallest factor of a normalization; 0, so that it has no floor, if it is computed."""
        if node.op_type != "LayerNormalization":
            return 1.0
        tensor = self.weights.get(node.input[1])
        if tensor is None or tensor.external_data:
            return 0.0
        return float(np.abs(numpy_helper.to_array(tensor).astype(np.float64)).min(initial=1.0))


def _floor(found: OutputOperator) -> float:
    known = FLOORS.get(found.name)
    return known.units + known.share if known else 0.0
