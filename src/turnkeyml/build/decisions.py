"""Decisions inside an ONNX file, which rounding turns where two scores are equal or nearly so.

The best of equal scores is whichever an implementation finds first, so that a file and its original
may go on with other candidates, and both are right. A decision is the same if what the original
decided is as good by the scores that the file has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import onnx

from turnkeyml.verify.precisions import RULES
from turnkeyml.verify.reference import InnerResult, Outputs
from turnkeyml.verify.values import places_of, real

__all__ = ["is_decision", "scores_of", "the_same_decision"]

PICKS = {"TopK": ("topk", "sort"), "ArgMax": ("argmax", "max"), "ArgMin": ("argmin", "min")}
COMPARISONS = {
    "Greater": ("gt", "__gt__"),
    "GreaterOrEqual": ("ge", "__ge__"),
    "Less": ("lt", "__lt__"),
    "LessOrEqual": ("le", "__le__"),
    "Equal": ("eq", "__eq__"),
}
"""Operators, each with the names of the functions of the original that are exported so."""


def is_decision(node: onnx.NodeProto) -> bool:
    """Whether a node picks by scores, or compares them."""
    return node.op_type in PICKS or node.op_type in COMPARISONS


def scores_of(node: onnx.NodeProto) -> list[str]:
    """The values that a decision is made by."""
    return list(node.input[: 2 if node.op_type in COMPARISONS else 1])


def the_same_decision(
    node: onnx.NodeProto, values: Outputs, results: Iterable[InnerResult], precision: str
) -> tuple[InnerResult, Outputs] | None:
    """What the original decides, with the outputs of the node then; None if it is something else.

    ``values`` has the scores and what the file decides. ``results`` are of the same shape: what the
    original may have decided there, the most likely first. Results of a function that is exported
    as this operator come before others.
    """
    scores = [values[name] for name in scores_of(node)]
    if any(score.dtype.kind != "f" for score in scores):
        return None
    found = values[node.output[-1]]
    names = {**PICKS, **COMPARISONS}[node.op_type]
    for result in sorted(results, key=lambda result: result.module not in names):
        if result.array.dtype.kind != found.dtype.kind:
            continue
        golden = result.array.astype(found.dtype)
        if node.op_type in COMPARISONS:
            if _compares_alike(scores, found, golden, precision):
                return result, {node.output[0]: golden}
        elif (picked := _picked(node, scores[0], found, golden, precision)) is not None:
            outputs = zip(node.output, [picked, golden][-len(node.output) :], strict=True)
            return result, dict(outputs)
    return None


def _compares_alike(
    scores: Sequence[np.ndarray], found: np.ndarray, golden: np.ndarray, precision: str
) -> bool:
    """Whether the two sides are equal wherever the original decides otherwise."""
    left, right = (np.broadcast_to(score, found.shape) for score in scores)
    turned = found != golden
    allowed = max(_allowed(side, precision) for side in (left, right))
    return bool(np.all(np.abs(left[turned] - right[turned]) <= allowed))


def _picked(
    node: onnx.NodeProto, scores: np.ndarray, found: np.ndarray, golden: np.ndarray, precision: str
) -> np.ndarray | None:
    """The scores of what the original picked, if they are as good as those of the file's picks."""
    axis, keeps = _attribute(node, "axis", -1), _attribute(node, "keepdims", 1)
    if node.op_type != "TopK" and not keeps:
        found, golden = np.expand_dims(found, axis), np.expand_dims(golden, axis)
    length = scores.shape[axis]
    if golden.size == 0 or golden.min() < 0 or golden.max() >= length:
        return None
    ordered = np.sort(golden, axis=axis)
    if golden.shape[axis] > 1 and np.any(np.diff(ordered, axis=axis) == 0):
        return None
    ours, theirs = (np.take_along_axis(scores, picks, axis) for picks in (found, golden))
    near = np.abs(ours - theirs) <= _allowed(scores, precision)
    return theirs if bool(np.all(near | (ours == theirs))) else None


def _allowed(scores: np.ndarray, precision: str) -> float:
    """How much equal scores may differ; mask values do not count, as they would hide the rest."""
    numbers = real(scores)
    regular = places_of(numbers).regular_of(numbers)
    return RULES[precision].loose * float(np.sqrt(np.mean(regular**2))) if regular.size else 0.0


def _attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    return next((int(a.i) for a in node.attribute if a.name == name), default)
