"""How a graph uses each of its inputs: which operators its values and its axes arrive at.

An input rarely arrives at an embedding table as it is: it is cast, reshaped, sliced, shifted by a
constant, or passed into the body of a loop. The trace follows it through all of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

MOST_ELEMENTS = 10_000
"""Constants with more elements are weights, whose values do not matter here."""


def operators(names: str) -> frozenset[str]:
    """A set of operators, from their names with spaces between them."""
    return frozenset(names.split())


Axes = tuple[int | None, ...]
Shapes = Mapping[str, list[int | None]]

_SAME_VALUES = operators(
    "Identity Cast CastLike Dropout Reshape Flatten Slice Squeeze Unsqueeze Transpose "
    "Expand Tile Concat Split Pad Gather GatherElements GatherND ReduceMax ReduceMin "
    "Where Mul And SplitToSequence SequenceInsert SequenceConstruct ConcatFromSequence "
    "SequenceAt OptionalGetElement Optional ArrayFeatureExtractor"
)
"""Operators whose outputs have the values of the operand, or some of them."""

_SAME_AXES = operators(
    "Identity Cast CastLike Dropout Slice Expand Concat Split Pad Where Add Sub Mul Div "
    "Neg Abs Clip Relu LeakyRelu Sigmoid Tanh Gelu Erf Exp Log Sqrt Pow Round Floor Ceil "
    "Min Max Mod And Or Not Equal Less Greater LessOrEqual GreaterOrEqual "
    "BatchNormalization InstanceNormalization LayerNormalization GroupNormalization "
    "QuantizeLinear DequantizeLinear Resize MaxPool AveragePool HardSigmoid HardSwish "
    "Mish PRelu Scaler Imputer Normalizer"
)
"""Operators whose outputs have the axes of the operand."""

_RESIZING = operators(
    "Slice Expand Tile Concat Split Pad Resize MaxPool AveragePool SplitToSequence"
)
"""Operators whose outputs may be larger or smaller than the operand."""

_OPERANDS = {"Where": (1, 2)}
"""Where a value passes through at other operands than all of them."""
_FIRST = operators(
    "Cast CastLike Dropout Reshape Flatten Slice Squeeze Unsqueeze Transpose Expand Tile "
    "Split Pad Clip ReduceMax ReduceMin Resize BatchNormalization InstanceNormalization "
    "LayerNormalization GroupNormalization QuantizeLinear DequantizeLinear "
    "SplitToSequence SequenceAt PRelu Gather GatherElements GatherND "
    "ArrayFeatureExtractor"
)
"""Operators that values pass through at their first operand only."""


@dataclass(frozen=True)
class Use:
    """An operand of a node that a graph input arrives at."""

    node: Any
    operand: int
    axes: Axes | None
    """The axis of the graph input behind each axis of the operand; None if that is not known."""
    scale: float | None = 1.0
    """The operand is ``scale * input + offset``; None if it holds other values."""
    offset: float = 0.0
    is_resized: bool = False
    """Whether its axes may be longer or shorter than those of the input."""

    @property
    def operator(self) -> str:
        return str(self.node.op_type)

    def attribute(self, name: str, default: Any = None) -> Any:
        """The value of an attribute of the node."""
        found = (a for a in self.node.attribute if a.name == name)
        return next((onnx.helper.get_attribute_value(a) for a in found), default)


class Graph:
    """The nodes and constants of a model and of all graphs nested in it, by the names they use."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.consumers: dict[str, list[tuple[Any, int]]] = {}
        self._tensors: dict[str, Any] = {}
        self._leaving: dict[str, list[str]] = {}
        self._infer: Callable[[], Shapes] | None = None
        self._shapes: Shapes = {}
        self._enter(model.graph)

    def _enter(self, graph: Any) -> None:
        self._tensors.update({tensor.name: tensor for tensor in graph.initializer})
        for node in graph.node:
            for position, name in enumerate(node.input):
                self.consumers.setdefault(name, []).append((node, position))
            if node.op_type == "Constant":
                held = [a.t for a in node.attribute if a.name == "value"]
                self._tensors.update(zip(node.output, held, strict=False))
            for body in bodies_of(node):
                self._enter(body)
                skipped = 1 if node.op_type == "Loop" else 0  # its condition
                for inner, outer in zip(body.output[skipped:], node.output, strict=False):
                    self._leaving.setdefault(inner.name, []).append(outer)

    def leaving(self, name: str) -> Iterable[str]:
        """The outputs of the nodes around, if a value is an output of a nested graph."""
        return self._leaving.get(name, ())

    def infer_shapes(self, infer: Callable[[], Shapes]) -> None:
        """Have the shapes of values inferred, once one is asked for that is no constant."""
        self._infer = infer

    def dims(self, name: str) -> list[int | None] | None:
        """The shape of a value, where it is known."""
        if name in self._tensors:
            return [int(n) for n in self._tensors[name].dims]
        if self._infer is not None:
            self._shapes, self._infer = self._infer(), None
        return self._shapes.get(name)

    def added_rows(self, width: int | None) -> Iterator[int]:
        """The rows of each constant of this width that is added to something, such as positions."""
        for name, tensor in self._tensors.items():
            dims = [int(n) for n in tensor.dims]
            is_table = len(dims) == 3 and dims[0] == 1 and dims[2] == width
            if is_table and any(n.op_type == "Add" for n, _ in self.consumers.get(name, ())):
                yield dims[1]

    def constant(self, name: str) -> np.ndarray | None:
        """The value of a small constant; None for anything else."""
        tensor = self._tensors.get(name)
        if tensor is None or tensor.data_location == onnx.TensorProto.EXTERNAL:
            return None
        if int(np.prod(tensor.dims, dtype=np.int64)) > MOST_ELEMENTS:
            return None
        return numpy_helper.to_array(tensor)

    def operand(self, use: Use, position: int) -> str:
        """The name of another operand of a node; empty if it is left out."""
        names = use.node.input
        return str(names[position]) if position < len(names) else ""


def bodies_of(node: Any) -> list[Any]:
    """The nested graphs of a node."""
    return [a.g for a in node.attribute if a.HasField("g")]


def uses_of(graph: Graph, name: str, rank: int | None) -> list[Use]:
    """Every operand that an input of the graph arrives at, also in changed form."""
    found: list[Use] = []
    start = Use(None, 0, tuple(range(rank)) if rank is not None else None)
    waiting: list[tuple[str, Use]] = [(name, start)]
    seen = {name}
    while waiting:
        value, state = waiting.pop()
        for node, position in graph.consumers.get(value, ()):
            use = replace(state, node=node, operand=position)
            found.append(use)
            waiting += [(n, s) for n, s in _onward(graph, use) if not (n in seen or seen.add(n))]  # type: ignore[func-returns-value]
        for outer in graph.leaving(value):
            if outer not in seen:
                seen.add(outer)
                waiting.append((outer, replace(state, axes=None)))
    return found


def _onward(graph: Graph, use: Use) -> Iterator[tuple[str, Use]]:
    """The values that have the axes or the values of an operand, and what became of these."""
    node, operator = use.node, use.operator
    if operator in ("Loop", "Scan"):
        yield from _into_body(use)
        return
    if use.operand not in _OPERANDS.get(operator, range(len(node.input))):
        return
    if operator in _FIRST and use.operand != 0:
        return
    scale, offset = _affine(graph, use)
    axes = _axes(graph, use)
    if scale is not None or axes is not None:
        for output in node.output:
            if output:
                resized = use.is_resized or operator in _RESIZING
                changed = replace(use, axes=axes, scale=scale, offset=offset)
                yield output, replace(changed, is_resized=resized)


def _into_body(use: Use) -> Iterator[tuple[str, Use]]:
    """The inputs of the body of a loop."""
    for body in bodies_of(use.node):
        if use.operator == "Loop":
            if use.operand >= 2:
                yield body.input[use.operand].name, use
            continue
        scanned = use.operand >= len(use.node.input) - int(use.attribute("num_scan_inputs", 0))
        axes = use.axes[1:] if scanned and use.axes else use.axes
        yield body.input[use.operand].name, replace(use, axes=axes)


def _affine(graph: Graph, use: Use) -> tuple[float | None, float]:
    """The factor and the summand that lead from the input to the outputs of a node."""
    if use.scale is None:
        return None, 0.0
    operator = use.operator
    if operator in ("Add", "Sub", "Mul", "Div") and len(use.node.input) == 2:
        other = graph.constant(graph.operand(use, 1 - use.operand))
        if other is not None and other.dtype.kind in "iuf" and other.size:
            return _shifted(use, float(other.max()))
        return (use.scale, use.offset) if operator == "Mul" else (None, 0.0)
    if operator in _SAME_VALUES:
        return use.scale, use.offset
    return None, 0.0


def _shifted(use: Use, other: float) -> tuple[float | None, float]:
    assert use.scale is not None
    if use.operator == "Add":
        return use.scale, use.offset + other
    if use.operator == "Mul":
        return use.scale * other, use.offset * other
    if use.operator == "Sub" and use.operand == 0:
        return use.scale, use.offset - other
    if use.operator == "Sub":
        return -use.scale, other - use.offset
    if use.operand == 0 and other:
        return use.scale / other, use.offset / other
    return None, 0.0


def _axes(graph: Graph, use: Use) -> Axes | None:
    """The axes of the input behind those of the outputs of a node."""
    axes, operator = use.axes, use.operator
    if axes is None:
        return None
    if operator == "Transpose":
        order = use.attribute("perm") or range(len(axes))[::-1]
        return tuple(axes[i] for i in order) if len(order) == len(axes) else None
    if operator in ("Unsqueeze", "Squeeze"):
        return _squeezed(graph, use, axes)
    if operator == "QLinearConv" or operator not in _SAME_AXES:
        return None
    return axes


def _squeezed(graph: Graph, use: Use, axes: Axes) -> Axes | None:
    given = use.attribute("axes")
    if given is None:
        held = graph.constant(graph.operand(use, 1))
        given = held.ravel().tolist() if held is not None else None
    if given is None:
        return None
    if use.operator == "Squeeze":
        gone = {int(i) % len(axes) for i in given} if axes else set()
        return tuple(axis for i, axis in enumerate(axes) if i not in gone)
    rank = len(axes) + len(given)
    new = {int(i) % rank for i in given}
    old = iter(axes)
    return tuple(None if i in new else next(old) for i in range(rank))
