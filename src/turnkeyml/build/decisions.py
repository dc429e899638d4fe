"""Decisions inside an ONNX file, which rounding turns where two scores are equal or nearly so.

The best of equal scores is whichever an implementation finds first, so that a file and its original
may go on with other candidates, and both are right. A decision is the same if the scores of both
match, and if what each of them decided is as good by the scores of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import onnx

from turnkeyml.build.suppression import SUPPRESSION, the_same_boxes
from turnkeyml.nouns import Verdict
from turnkeyml.verify import (
    RULES,
    InnerResult,
    Outputs,
    Reference,
    compare,
    places_of,
    real,
    root_mean_square,
)

PICKS = {"TopK": ("topk", "sort"), "ArgMax": ("argmax", "max"), "ArgMin": ("argmin", "min")}
COMPARISONS = {
    "Greater": ("gt", "__gt__"),
    "GreaterOrEqual": ("ge", "__ge__"),
    "Less": ("lt", "__lt__"),
    "LessOrEqual": ("le", "__le__"),
    "Equal": ("eq", "__eq__"),
}
"""Operators, each with the names of the functions of the original that are exported so."""

SCORE_VARYING = 0.1
"""How much equal scores may differ, as a share of what scores vary by."""
SCORE_ROUNDING = 16 * float(np.finfo(np.float32).eps)
"""The same as a share of the scores themselves, where they vary by less than rounding."""

ABOUT = 2
"""Decisions of which one turns at most so many times as many as another are equally near."""


def is_decision(node: onnx.NodeProto) -> bool:
    """Whether a node picks by scores, or compares them."""
    return node.op_type in (*PICKS, *COMPARISONS, SUPPRESSION)


def scores_of(node: onnx.NodeProto) -> list[str]:
    """The values that a decision is made by."""
    if node.op_type == SUPPRESSION:
        return [name for name in node.input if name]
    return list(node.input[: 2 if node.op_type in COMPARISONS else 1])


def the_same_decision(
    node: onnx.NodeProto, values: Outputs, results: Iterable[InnerResult], precision: str
) -> tuple[InnerResult, Outputs] | None:
    """What the original decides, with the outputs of the node then; None if it is something else.

    ``values`` has the scores and what the file decides. ``results`` are what the original may have
    decided there, the most likely first: of the same shape, or lists of boxes. Where scores are
    nearly equal they allow many of them, and that of another place leads astray. So it is the first
    of those that turn about as few decisions of the file as the nearest does. Results of a function
    that is exported as this operator come before others.
    """
    if node.op_type == SUPPRESSION:
        tie = _allowed(values[node.input[1]], precision)
        return the_same_boxes(node, values, results, tie, precision)
    scores = [values[name] for name in scores_of(node)]
    if any(score.dtype.kind != "f" for score in scores):
        return None
    found = values[node.output[-1]]
    names = {**PICKS, **COMPARISONS}[node.op_type]
    allowed: list[tuple[int, InnerResult, Outputs]] = []
    for result in _candidates(results, names):
        if result.array.dtype.kind != found.dtype.kind:
            continue
        golden = result.array.astype(found.dtype)
        if result.scores and not _decides_alike(node, scores, found, result, precision):
            continue
        outputs = _outputs(node, scores, found, golden, precision)
        if outputs is not None:
            allowed.append((_turned(node, found, golden), result, outputs))
    fewest = min((turned for turned, _, _ in allowed), default=0)
    near = ((result, outputs) for n, result, outputs in allowed if n <= ABOUT * fewest)
    return next(near, None)


def _candidates(results: Iterable[InnerResult], names: Sequence[str]) -> list[InnerResult]:
    """The results that a node may have, those of the functions with these names first.

    If these say what they were decided by, others that do not are no candidates.
    """
    ordered = sorted(results, key=lambda result: result.module not in names)
    known = any(result.module in names and result.scores for result in ordered)
    return [result for result in ordered if result.scores or not known]


def _decides_alike(
    node: onnx.NodeProto,
    scores: Sequence[np.ndarray],
    found: np.ndarray,
    result: InnerResult,
    precision: str,
) -> bool:
    """Whether the scores of the original match, and allow what the file decides.

    The scores of the file alone do not say enough: if they are wrong, they may be equal where those
    of the original are not.
    """
    theirs = result.scores[: len(scores)]
    if node.op_type in COMPARISONS:
        if len(theirs) < len(scores):
            return False
        try:
            scores = [np.broadcast_to(score, found.shape) for score in scores]
            theirs = tuple(np.broadcast_to(score, found.shape) for score in theirs)
        except ValueError:  # scores of another place
            return False
    pairs = zip(scores, theirs, strict=True)
    if not all(a.shape == b.shape and _same(a, b.astype(a.dtype), precision) for a, b in pairs):
        return False
    golden = result.array.astype(found.dtype)
    return _outputs(node, theirs, golden, found, precision) is not None


def _same(ours: np.ndarray, theirs: np.ndarray, precision: str) -> bool:
    """Whether two arrays of scores match."""
    seen = compare({"scores": ours}, Reference({}, {"scores": theirs}), precision)
    return seen.verdict is Verdict.MATCH


def _outputs(
    node: onnx.NodeProto,
    scores: Sequence[np.ndarray],
    found: np.ndarray,
    golden: np.ndarray,
    precision: str,
) -> Outputs | None:
    """The outputs of a node that decides as the original may have; None if the scores do not
    allow it."""
    if node.op_type in COMPARISONS:
        alike = _compares_alike(scores, found, golden, precision)
        return {node.output[0]: golden} if alike else None
    picked = _picked(node, scores[0], found, golden, precision)
    if picked is None:
        return None
    return dict(zip(node.output, [picked, golden][-len(node.output) :], strict=True))


def _turned(node: onnx.NodeProto, found: np.ndarray, golden: np.ndarray) -> int:
    """How many decisions differ; picks may be in another order."""
    if node.op_type != "TopK":
        return int(np.count_nonzero(found != golden))
    axis = _attribute(node, "axis", -1)
    ours, theirs = (
        np.moveaxis(picks, axis, -1).reshape(-1, picks.shape[axis]) for picks in (found, golden)
    )
    pairs = zip(ours, theirs, strict=True)
    return sum(np.setdiff1d(one, other).size for one, other in pairs)


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
    """How much equal scores may differ.

    Mask values do not count, as they would hide the rest. Scores of 0.015 that vary by a millionth
    of that are all nearly equal; then it is what varies, or rounding, that they may differ by.
    """
    numbers = real(scores)
    regular = places_of(numbers).regular_of(numbers)
    loose = RULES[precision].loose * root_mean_square(regular)
    there = regular[regular != 0]  # what is suppressed has a score of zero
    if there.size == 0:
        return loose
    varying, rounding = float(there.std()), SCORE_ROUNDING * root_mean_square(there)
    return min(loose, max(SCORE_VARYING * varying, rounding))


def _attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    return next((int(a.i) for a in node.attribute if a.name == name), default)
