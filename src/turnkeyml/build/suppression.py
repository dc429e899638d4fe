"""Which boxes a detector keeps of those that overlap: a decision that rounding turns.

Of two boxes that overlap more than a threshold, the one with the higher score is kept. Where an
overlap is at the threshold, or two scores are equal, rounding decides, and everything that is kept
after it may be another box. What the original keeps is as good if it follows the same rule on the
boxes and the scores that the file has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import onnx

from turnkeyml.verify import RULES, InnerResult, Outputs

SUPPRESSION = "NonMaxSuppression"

LISTS_TRIED = 3
"""How many of the results of the original that are most like what the file keeps are looked at."""

SIDE_ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""How far a side of a box may be off, relative to the largest coordinate."""

MOST_OVERLAPS = 1 << 21
"""The most overlaps that are looked at together."""


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
