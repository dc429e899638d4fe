"""Comparing a file with a rescaled one: an export of the same model with other weights.

A model that amplifies rounding is exported once more with weights at which it does not, so that the
outputs can be compared with those of its own original. What they say holds for the file if both are
the same graph, and if every weight of the file follows from its counterpart in the rescaled file by
what was done to the weights of the model. A weight that was changed in only one of them does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

EXACT = 1e-4
"""How far a weight may be from what it should be, as a share of it: the rounding of a fold."""
SMALL = 1e-6
"""The same as a share of the largest number that it is computed from."""

Pair = tuple[str, onnx.TensorProto, onnx.TensorProto]
"""Two tensors at the same place of two graphs, with their name in the first."""


@dataclass(frozen=True)
class Rescaling:
    """What was done to a normalisation of the model to make it stable.

    It maps ``x`` to ``x * scale + offset``, by channel. An exporter may write its tensors as they
    are, or fold them into the weights and the bias of the layer in front of it.
    """

    tensors: tuple[tuple[np.ndarray, np.ndarray], ...]
    """Its tensors that changed, before and after."""
    scale: tuple[np.ndarray, np.ndarray]
    offset: tuple[np.ndarray, np.ndarray]

    def explains(self, ours: np.ndarray, theirs: np.ndarray) -> bool:
        """Whether a weight of the rescaled file is what becomes of ours."""
        if any(_same(ours, old) and _same(theirs, new) for old, new in self.tensors):
            return True
        axes = [axis for axis, n in enumerate(ours.shape) if n == self.scale[0].size]
        return any(self._folded(ours, theirs, axis) for axis in axes)

    def _folded(self, ours: np.ndarray, theirs: np.ndarray, axis: int) -> bool:
        """Whether both are weights, or a bias, that hold this normalisation."""
        shape = [1] * ours.ndim
        shape[axis] = -1
        before, after = (scale.reshape(shape) for scale in self.scale)
        if _close(ours * after, theirs * before):
            return True
        old, new = (offset.reshape(shape) for offset in self.offset)
        largest = max(np.abs(part).max() for part in (old * after, new * before, ours * after))
        return _close((ours - old) * after, (theirs - new) * before, float(largest))


def difference(file: Path, rescaled: Path, rescalings: Sequence[Rescaling]) -> str | None:
    """How a file differs from a rescaled one beyond its weights; None if it does not."""
    ours, theirs = onnx.load(str(file)), onnx.load(str(rescaled))
    if _language(ours) != _language(theirs):
        return "its graph is another one: it uses other opsets or functions"
    try:
        pairs = [*_Alignment(_Side({}), _Side({}), {}).weights(ours.graph, theirs.graph)]
    except _Differs as error:
        return f"its graph is another one: {error}"
    for name, first, second in pairs:
        if not _is_explained(_array(first), _array(second), rescalings):
            return f"the weight {name} does not follow from the original's"
    return None


def _language(model: onnx.ModelProto) -> list[bytes]:
    """What the operators of a model mean: its opsets, and functions of its own."""
    parts = (*model.opset_import, *model.functions)
    return sorted(part.SerializeToString(deterministic=True) for part in parts)


class _Differs(Exception):
    """Two graphs are not the same, and where."""


class _Side:
    """The values of one graph: which are weights, and which are another name of something.

    An exporter writes equal weights once, and gives them other names by Identity nodes. Which are
    equal depends on the weights.
    """

    def __init__(self, weights: dict[str, onnx.TensorProto], names: dict[str, str] | None = None):
        self.weights = weights
        self._names = names or {}

    def within(self, graph: Any) -> _Side:
        """The values of a graph, or of one nested in it."""
        weights = {weight.name: weight for weight in graph.initializer}
        side = _Side({**self.weights, **weights}, {**self._names})
        for node in graph.node:
            if node.op_type == "Identity":
                side._names[node.output[0]] = side.source(node.input[0])
            elif node.op_type == "Constant" and node.attribute[0].name == "value":
                side.weights[node.output[0]] = node.attribute[0].t
        return side

    def source(self, name: str) -> str:
        return self._names.get(name, name)

    def computing(self, graph: Any) -> list[Any]:
        """The nodes that compute something."""
        known = {*self._names, *self.weights}
        return [node for node in graph.node if not known & {*node.output}]


class _Alignment:
    """Walks two graphs side by side, and knows which names stand for the same value."""

    def __init__(self, ours: _Side, theirs: _Side, same: dict[str, str]) -> None:
        self._ours, self._theirs = ours, theirs
        self._same = {"": "", **same}

    def weights(self, ours: Any, theirs: Any) -> Iterator[Pair]:
        """The weights at the same places; raises ``_Differs`` at the first node that differs."""
        self._ours, self._theirs = self._ours.within(ours), self._theirs.within(theirs)
        if len(ours.input) != len(theirs.input):
            raise _Differs("it has other inputs")
        inputs = zip(ours.input, theirs.input, strict=True)
        self._same.update((a.name, b.name) for a, b in inputs)
        nodes, others = self._ours.computing(ours), self._theirs.computing(theirs)
        if len(nodes) != len(others):
            raise _Differs(f"{len(nodes)} nodes, and with other weights {len(others)}")
        for node, other in zip(nodes, others, strict=True):
            yield from self._node(node, other)
        made, others_made = ([value.name for value in graph.output] for graph in (ours, theirs))
        yield from self._values(made, others_made, "at its outputs")

    def _node(self, node: Any, other: Any) -> Iterator[Pair]:
        place = f"at {node.op_type} {node.name}"
        if (node.op_type, node.domain) != (other.op_type, other.domain):
            raise _Differs(f"{place} it has {other.op_type} with other weights")
        if len(node.output) != len(other.output):
            raise _Differs(f"{place} the number of outputs differs")
        yield from self._values(node.input, other.input, place)
        yield from self._attributes(node, other, place)
        self._same.update(zip(node.output, other.output, strict=True))

    def _values(self, ours: Sequence[str], theirs: Sequence[str], place: str) -> Iterator[Pair]:
        """The weights among the values at a place, the rest of which come from the same nodes."""
        if len(ours) != len(theirs):
            raise _Differs(f"{place} the number of values differs")
        for first, second in zip(ours, theirs, strict=True):
            a, b = self._ours.source(first), self._theirs.source(second)
            if a in self._ours.weights and b in self._theirs.weights:
                yield a, self._ours.weights[a], self._theirs.weights[b]
            elif self._same.get(a) != b:
                raise _Differs(f"{place} the values come from elsewhere")

    def _attributes(self, node: Any, other: Any, place: str) -> Iterator[Pair]:
        theirs = {attribute.name: attribute for attribute in other.attribute}
        if {attribute.name for attribute in node.attribute} != set(theirs):
            raise _Differs(f"{place} the attributes differ")
        for attribute in node.attribute:
            same = theirs[attribute.name]
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield f"{node.name} {attribute.name}", attribute.t, same.t
            elif attribute.type == onnx.AttributeProto.GRAPH:
                inner = _Alignment(self._ours, self._theirs, self._same)
                yield from inner.weights(attribute.g, same.g)
            elif attribute != same:
                raise _Differs(f"{place} the attribute {attribute.name} differs")


def _is_explained(ours: np.ndarray, theirs: np.ndarray, rescalings: Sequence[Rescaling]) -> bool:
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if _same(ours, theirs):
        return True
    if ours.dtype.kind != "f":
        return False
    wide = ours.astype(np.float64), theirs.astype(np.float64)
    return any(rescaling.explains(*wide) for rescaling in rescalings)


def _array(tensor: onnx.TensorProto) -> np.ndarray:
    return numpy_helper.to_array(tensor)


def _same(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays have the same numbers, whatever their shapes."""
    if first.size != second.size:
        return False
    floats = first.dtype.kind == "f"
    return bool(np.array_equal(first.ravel(), second.ravel(), equal_nan=floats))


def _close(found: np.ndarray, expected: np.ndarray, largest: float | None = None) -> bool:
    scale = float(np.abs(expected).max(initial=0.0)) if largest is None else largest
    return bool(np.allclose(found, expected, rtol=EXACT, atol=SMALL * scale))
