"""What rounding turns or moves inside an ONNX file although the file is right.

Decisions, where two scores are equal or nearly so: the best of equal scores is whichever an
implementation finds first, so that a file and its original may go on with other candidates, and
both are right. A decision is the same if the scores of both match, and if what each of them decided
is as good by the scores of the other.

The boxes that a detector keeps: of two that overlap more than a threshold, the one with the higher
score. Where an overlap is at the threshold, or two scores are equal, rounding decides, and
everything that is kept after it may be another box. What the original keeps is as good if it
follows the same rule on the boxes and the scores that the file has.

Interpolations: what lies between two pixels is a weighted sum of them. The weights come from a
coordinate, which every implementation rounds in its own way: at pixel 30 one rounding is two
millionths of a pixel. Beside an edge that is two millionths of the edge, also where the result
itself is zero or far smaller than that. So an error there is no matter of the result's own
magnitude. It is rounding if coordinates that are off by a few roundings make as large a difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import onnx
from onnx import helper

from turnkeyml.build.onnx_graph import nested_graphs
from turnkeyml.nouns import Verdict
from turnkeyml.verify import (
    RULES,
    InnerResult,
    Outputs,
    Reference,
    compare,
    magnitude_of,
    places_of,
    real,
    root_mean_square,
)

SUPPRESSION = "NonMaxSuppression"

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

LISTS_TRIED = 3
"""How many of the results of the original that are most like what the file keeps are looked at."""

SIDE_ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""How far a side of a box may be off, relative to the largest coordinate."""

MOST_OVERLAPS = 1 << 21
"""The most overlaps that are looked at together."""

COORDINATE_ROUNDINGS = 4
"""How many roundings a coordinate may be off by: two in each of the two that are compared."""

AXES = (-1, -2)
"""The axes of an image along which it is moved."""

_LAST = np.iinfo(np.int64).max

Nodes = list[onnx.NodeProto]


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


def the_same_boxes(
    node: onnx.NodeProto,
    values: Outputs,
    results: Iterable[InnerResult],
    tie: float,
    precision: str,
) -> tuple[InnerResult, Outputs] | None:
    """What the original keeps, with the output of the node then; None if it is something else.

    ``results`` are lists of integers, one of which may be the boxes that it keeps, in their order.
    Scores are equal if they differ by ``tie`` at most.
    """
    read = [values[name] if name else np.zeros(1) for name in node.input]
    centred = any(attribute.i for attribute in node.attribute)
    if len(read) != 4 or centred or read[1].shape[:2] != (1, 1):
        return None  # another rule than that of torchvision
    boxes, scores = read[0][0].astype(np.float64), read[1][0, 0].astype(np.float64)
    rule = _Rule(boxes, scores, float(read[3].item()), RULES[precision].loose, tie)
    found = values[node.output[0]]
    ours = found[:, 2]
    near = sorted(results, key=lambda result: np.setxor1d(ours, result.array).size)
    for result in near[:LISTS_TRIED]:
        kept = result.array
        few = kept.size <= int(read[2].item())
        if np.array_equal(kept, ours) or (few and rule.allows(kept)):
            indices = np.zeros((kept.size, 3), found.dtype)
            indices[:, 2] = kept
            return result, {node.output[0]: indices}
    return None


class _Rule:
    """Which boxes may be kept."""

    def __init__(
        self, boxes: np.ndarray, scores: np.ndarray, threshold: float, loose: float, tie: float
    ) -> None:
        self._low = np.minimum(boxes[:, :2], boxes[:, 2:])
        self._high = np.maximum(boxes[:, :2], boxes[:, 2:])
        self._scores = scores
        self._threshold = threshold
        self._loose = loose
        self._tie = tie
        sides = np.maximum((self._high - self._low).min(axis=1, initial=np.inf), 1e-30)
        self._inexact = SIDE_ROUNDING * np.abs(boxes).max(initial=0.0) / sides
        """How far an overlap of a box may be off because its sides are."""

    def allows(self, kept: np.ndarray) -> bool:
        """Whether these boxes may be kept, in this order, and no others."""
        count = len(self._scores)
        if kept.size == 0 or kept.min() < 0 or kept.max() >= count:
            return False
        scores = self._scores[kept]
        if np.unique(kept).size < kept.size or np.any(np.diff(scores) > self._tie):
            return False
        others = np.setdiff1d(np.arange(count), kept)
        return self._do_not_overlap(kept) and self._are_suppressed(others, kept)

    def _do_not_overlap(self, kept: np.ndarray) -> bool:
        for rows in _blocks(kept, kept.size):
            overlap, off = self._overlaps(rows, kept)
            overlap[rows[:, None] == kept[None]] = 0.0
            if np.any(overlap > self._threshold + off):
                return False
        return True

    def _are_suppressed(self, others: np.ndarray, kept: np.ndarray) -> bool:
        for rows in _blocks(others, kept.size):
            overlap, off = self._overlaps(rows, kept)
            better = self._scores[kept][None] >= self._scores[rows][:, None] - self._tie
            if not np.all(np.any(better & (overlap > self._threshold - off), axis=1)):
                return False
        return True

    def _overlaps(self, rows: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The intersection over the union of each pair, and how far it may be off."""
        low = np.maximum(self._low[rows][:, None], self._low[kept][None])
        high = np.minimum(self._high[rows][:, None], self._high[kept][None])
        shared = np.prod(np.maximum(high - low, 0.0), axis=2)
        areas = np.prod(self._high - self._low, axis=1)
        union = areas[rows][:, None] + areas[kept][None] - shared
        overlap = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
        inexact = np.maximum(self._inexact[rows][:, None], self._inexact[kept][None])
        return overlap, self._loose + inexact


def _blocks(rows: np.ndarray, columns: int) -> Iterator[np.ndarray]:
    step = max(1, MOST_OVERLAPS // max(columns, 1))
    return (rows[i : i + step] for i in range(0, rows.size, step))


def interpolates(nodes: Iterable[onnx.NodeProto]) -> bool:
    """Whether some nodes, or nodes in their nested graphs, compute coordinates between pixels."""
    return any(_is_interpolation(node) or any(map(interpolates, _bodies(node))) for node in nodes)


def moved_by_rounding(
    nodes: Nodes, run: Callable[[Nodes], Outputs], made: Outputs, precision: str
) -> Outputs:
    """How far the floats that nodes compute move if coordinates are off by some roundings.

    ``run`` computes the outputs of nodes, and ``made`` are those of the nodes as they are. Between
    two pixels both ways together make the difference that the coordinate makes: the nearer pixel
    most of it in one way, and the other one the rest.
    """
    share = COORDINATE_ROUNDINGS * RULES[precision].unit
    found = {name: np.zeros_like(array) for name, array in made.items() if array.dtype.kind == "f"}
    for axis, way in itertools.product(AXES, (1, -1)):
        moved = run([*_moved(nodes, axis, way * share)])
        for name in found:
            if moved[name].shape == made[name].shape:
                found[name] += np.abs(moved[name] - made[name])
    return found


def nearer(array: np.ndarray, golden: np.ndarray, moved: np.ndarray, precision: str) -> np.ndarray:
    """An array as near to what is expected as moved coordinates may bring it.

    Beside bright pixels there may be some that are fainter than a rounding of the brightest, and
    each of the two may have rounded those, as a sigmoid does. Both explain no more than the looser
    tolerance: more than that is not rounding but a model that amplifies it.
    """
    rules = RULES[precision]
    allowed = rules.loose * (np.abs(golden) + magnitude_of(golden))
    faint = 2 * rules.unit * np.abs(golden).max(initial=0.0)
    most = np.minimum(moved + faint, allowed)
    error = array - golden
    return np.asarray(golden + (error - np.clip(error, -most, most)), dtype=array.dtype)


def _is_interpolation(node: onnx.NodeProto) -> bool:
    if node.op_type != "Resize":
        return node.op_type in ("GridSample", "RoiAlign")
    return any(a.name == "mode" and a.s in (b"linear", b"cubic") for a in node.attribute)


def _bodies(node: onnx.NodeProto) -> Iterator[list[onnx.NodeProto]]:
    for attribute in node.attribute:
        yield from ([*body.node] for body in nested_graphs(attribute))


def _moved(nodes: Iterable[onnx.NodeProto], axis: int, share: float) -> Iterator[onnx.NodeProto]:
    """The nodes, with every image that is interpolated moved along an axis by a share of its size.

    A share of less than zero moves it the other way.
    """
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        for attribute in copy.attribute:
            for body in nested_graphs(attribute):
                inner = [*_moved(body.node, axis, share)]
                del body.node[:]
                body.node.extend(inner)
        if _is_interpolation(node):
            yield from _movement(node.input[0], f"{node.output[0]}_moved", axis, share)
            copy.input[0] = f"{node.output[0]}_moved"
        yield copy


def _movement(image: str, result: str, axis: int, share: float) -> Iterator[onnx.NodeProto]:
    """Nodes that mix every pixel with a little of the next one; the last one stays as it is."""

    def node(operator: str, inputs: list[str], name: str, **attributes: int) -> onnx.NodeProto:
        return helper.make_node(operator, inputs, [name], **attributes)

    def constant(name: str, numbers: np.ndarray) -> onnx.NodeProto:
        value = onnx.numpy_helper.from_array(numbers)
        return helper.make_node("Constant", [], [f"{result}_{name}"], value=value)

    begin, end, rest = (1, _LAST, (-1, _LAST)) if share > 0 else (0, -1, (0, 1))
    for name, number in {
        "begin": begin,
        "end": end,
        "edge_begin": rest[0],
        "edge_end": rest[1],
        "axis": axis,
    }.items():
        yield constant(name, np.array([number], np.int64))
    yield constant("share", np.array([abs(share)], np.float32))
    inner, edge = f"{result}_inner", f"{result}_edge"
    bounds = [f"{result}_begin", f"{result}_end", f"{result}_axis"]
    yield node("Slice", [image, *bounds], inner)
    bounds = [f"{result}_edge_begin", f"{result}_edge_end", f"{result}_axis"]
    yield node("Slice", [image, *bounds], edge)
    parts = [inner, edge] if share > 0 else [edge, inner]
    yield node("Concat", parts, f"{result}_next", axis=axis)
    yield node("Sub", [f"{result}_next", image], f"{result}_step")
    yield node("Shape", [image], f"{result}_shape")
    yield node("Gather", [f"{result}_shape", f"{result}_axis"], f"{result}_length", axis=0)
    yield node("Cast", [f"{result}_length"], f"{result}_pixels", to=onnx.TensorProto.FLOAT)
    yield node("Mul", [f"{result}_pixels", f"{result}_share"], f"{result}_far")
    yield node("Mul", [f"{result}_step", f"{result}_far"], f"{result}_by")
    yield node("Add", [image, f"{result}_by"], result)
