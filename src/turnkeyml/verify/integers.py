"""Judging booleans and integers: decisions, which rounding turns where two scores are nearly equal.

Where the scores that an integer was picked by are an output too, another pick counts as the same if
the original's scores of both are equal within the tolerance. Without scores, the original decides:
what it picks differently in the precision of the build, the build may too.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from turnkeyml.verify.floats import Basis, Calibration, Judgement, cosine
from turnkeyml.verify.magnitudes import places_of, real, root_mean_square
from turnkeyml.verify.tolerances import (
    AGREEMENT,
    ENOUGH_LEVELS,
    LONGEST_RANKING,
    MOST_OWN_TURNED,
    MOST_TIMES_OWN,
    Rules,
)


def judge_booleans(
    found: np.ndarray,
    golden: np.ndarray,
    scores: Iterable[np.ndarray],
    calibration: Calibration | None,
    rules: Rules,
) -> Judgement:
    """Judge a mask by the scores that it was cut from, by the original, or by its overlap."""
    union = np.count_nonzero(found | golden)
    overlap = float(np.count_nonzero(found & golden) / union) if union else 1.0
    wrong = float(np.any(found != golden))
    seen = Judgement(wrong, wrong, overlap, agreement=overlap)
    if not wrong:
        return seen.on(Basis.TIGHT)
    if any(_cut_alike(found, golden, score, rules) for score in scores):
        return seen.on(Basis.CALIBRATED)
    if calibration is not None:
        return seen.on(_turned(found, calibration, rules, rules.flips * golden.size))
    return seen.on(Basis.LOOSE if overlap >= AGREEMENT else Basis.NONE)


def judge_integers(
    found: np.ndarray,
    golden: np.ndarray,
    scores: Iterable[np.ndarray],
    calibration: Calibration | None,
    rules: Rules,
) -> Judgement:
    """Judge integers by the scores that they were picked by, by the original, or as they are."""
    a, g = real(found), real(golden)
    differ = found != golden  # double precision does not hold every integer
    absolute = float(np.abs(a - g).max())
    agreement = 1 - float(np.mean(differ))
    scale = float(np.abs(g).max()) or 1.0
    seen = Judgement(absolute, absolute / scale, cosine(a, g), agreement=agreement)
    if not differ.any():
        return seen.on(Basis.TIGHT)
    if any(_picked_alike(found, golden, score, rules) for score in scores):
        return seen.on(Basis.CALIBRATED)
    return seen.on(_turned(found, calibration, rules, 0.0) if calibration else Basis.NONE)


def _turned(found: np.ndarray, known: Calibration, rules: Rules, spare: float) -> Basis:
    """Whether the original turns as many of its decisions in that precision."""
    if known.original.shape != found.shape or known.exact.shape != found.shape:
        return Basis.NONE
    own, turned = known.original != known.exact, found != known.exact
    if known.own > MOST_OWN_TURNED * found.size:
        return Basis.UNSTABLE
    if known.reach is not None:
        spare = 0.0  # it is known which of them rounding may turn
        if known.reach.explains_picks(found, known.exact):
            return Basis.CALIBRATED
    explained = rules.factor * (max(known.own, known.turned) + spare)
    within = np.count_nonzero(turned) <= explained and _is_scattered(turned, own, explained)
    near = not _are_levels(known) or _furthest(found, known.exact) <= rules.factor
    return Basis.CALIBRATED if within and near else Basis.NONE


def _are_levels(known: Calibration) -> bool:
    """Whether integers are rounded numbers, as in an image: the original is off by one only."""
    return known.own >= ENOUGH_LEVELS and _furthest(known.original, known.exact) == 1


def _furthest(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(real(found) - real(exact)).max(initial=0.0))


def _is_scattered(turned: np.ndarray, own: np.ndarray, explained: float) -> bool:
    """Whether no row or channel has many more turned decisions than its share of what is explained.

    Rounding turns decisions anywhere; a wrong bias turns those of one class.
    """
    for axis in range(turned.ndim):
        others = tuple(a for a in range(turned.ndim) if a != axis)
        ours, theirs = (np.count_nonzero(which, axis=others) for which in (turned, own))
        share = np.maximum(explained / turned.shape[axis], MOST_TIMES_OWN * np.asarray(theirs))
        if np.any(ours > share + 4 * np.sqrt(share) + 3):
            return False
    return True


def _cut_alike(found: np.ndarray, golden: np.ndarray, score: np.ndarray, rules: Rules) -> bool:
    """Whether a mask is a score above or below a threshold, which is met where another is."""
    if score.shape != golden.shape:
        return False
    numbers = real(score)
    inside, outside = numbers[golden], numbers[~golden]
    if inside.size == 0 or outside.size == 0 or not np.isfinite(numbers).all():
        return False
    edges = (inside.min(), outside.max()), (outside.min(), inside.max())
    threshold = next((sum(pair) / 2 for pair in edges if pair[0] >= pair[1]), None)
    if threshold is None:
        return False
    allowed = _allowed(numbers, rules)
    return bool(np.all(np.abs(numbers[found != golden] - threshold) <= allowed))


def _picked_alike(found: np.ndarray, golden: np.ndarray, score: np.ndarray, rules: Rules) -> bool:
    """Whether other picks have the same scores as those of the original."""
    numbers = real(score)
    if score.shape == golden.shape and golden.ndim:
        return _ranked_alike(found, golden, numbers, rules)
    if score.ndim != golden.ndim + 1:
        return False
    for axis in range(score.ndim):
        rest = score.shape[:axis] + score.shape[axis + 1 :]
        if rest == golden.shape and _extreme_along(found, golden, numbers, axis, rules):
            return True
    return False


def _extreme_along(
    found: np.ndarray, golden: np.ndarray, numbers: np.ndarray, axis: int, rules: Rules
) -> bool:
    """Whether both are the places of the largest or the smallest number along an axis."""
    length = numbers.shape[axis]
    if min(found.min(), golden.min()) < 0 or max(found.max(), golden.max()) >= length:
        return False
    ours, theirs = (_at(numbers, picks, axis) for picks in (found, golden))
    extremes = numbers.max(axis=axis), numbers.min(axis=axis)
    picked = any(np.array_equal(theirs, extreme) for extreme in extremes)
    return picked and _equal_within(ours, theirs, numbers, rules)


def _ranked_alike(found: np.ndarray, golden: np.ndarray, numbers: np.ndarray, rules: Rules) -> bool:
    """Whether both rank the same things along the last axis, but for ties.

    What has pushed the last one out is taken to be of its score: nothing better is known.
    """
    length = golden.shape[-1]
    ordered = bool(np.all(np.diff(numbers, axis=-1) <= 0))
    if not ordered or length > LONGEST_RANKING:
        return False
    rows = np.any(found != golden, axis=-1)
    for ours, theirs, row in zip(found[rows], golden[rows], numbers[rows], strict=True):
        if np.unique(ours).size != length:
            return False
        order = np.argsort(theirs)
        spot = order[np.minimum(np.searchsorted(theirs, ours, sorter=order), length - 1)]
        score = np.where(theirs[spot] == ours, row[spot], row[-1])
        if not _equal_within(score, row, numbers, rules):
            return False
    return True


def _at(numbers: np.ndarray, picks: np.ndarray, axis: int) -> np.ndarray:
    where = np.expand_dims(picks.astype(np.int64), axis)
    return np.take_along_axis(numbers, where, axis).squeeze(axis)


def _equal_within(a: np.ndarray, b: np.ndarray, numbers: np.ndarray, rules: Rules) -> bool:
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= _allowed(numbers, rules)
    return bool(np.all(near | (a == b)))


def _allowed(numbers: np.ndarray, rules: Rules) -> float:
    """How far two scores may be apart that count as equal."""
    return rules.loose * root_mean_square(places_of(numbers).regular_of(numbers))
