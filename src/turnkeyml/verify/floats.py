"""How far the numbers of one output are from the original's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnkeyml.verify.judgement import COSINE, Basis, Judgement
from turnkeyml.verify.precisions import Rules
from turnkeyml.verify.scale import Group, groups_of, magnitude_of, root_mean_square
from turnkeyml.verify.values import GAP, Places, places_of, real

__all__ = ["Calibration", "cosine", "judge_floats"]

UNSTABLE = 0.1
"""An original that is further off than this share of its own magnitude proves nothing."""
LEAST_MAGNITUDE = 1e-6
"""The magnitude that an output is taken to have at least where nothing more exact is known."""


@dataclass(frozen=True)
class Calibration:
    """What the original computes in the precision of a build, and in a more exact one."""

    original: np.ndarray
    exact: np.ndarray


def judge_floats(
    found: np.ndarray, golden: np.ndarray, calibration: Calibration | None, rules: Rules
) -> Judgement:
    """Judge an output of real or complex numbers."""
    a, g = real(found), real(golden)
    places = places_of(g)
    numbers, regular = places.regular_of(a), places.regular_of(g)
    there = np.isfinite(numbers)
    lost = not there.all()
    moved = not _sentinels_agree(a, g, places, rules)
    chosen = there if lost else slice(None)  # not a copy where all are chosen: it may be large
    largest = _largest(np.abs(numbers[chosen] - regular[chosen]))
    seen = Judgement(
        absolute=largest,
        relative=largest / (_largest(np.abs(regular)) or LEAST_MAGNITUDE),
        cosine=cosine(numbers, regular),
        magnitude=_ratio(numbers, regular),
        not_finite=lost,
        moved=moved,
    )
    if lost or moved:
        return seen
    groups = groups_of(g, places.regular)
    return seen.on(_basis((numbers, regular), groups, _usable(calibration, places), rules))


def _basis(
    pair: tuple[np.ndarray, np.ndarray],
    groups: list[Group],
    calibration: Calibration | None,
    rules: Rules,
) -> Basis:
    """What speaks for finite numbers at the right places, if anything does."""
    numbers, golden = pair
    error = np.abs(numbers - golden)
    if all(_is_tight(error, golden, group, rules) for group in groups):
        return Basis.TIGHT
    unstable = _is_unstable(calibration)
    otherwise = Basis.UNSTABLE if unstable else Basis.NONE
    if cosine(numbers, golden) < COSINE:
        return otherwise
    if calibration is None or unstable:
        return Basis.LOOSE if _is_loose(error, golden, rules) else otherwise
    exact = all(_is_as_exact(numbers, calibration, group, rules) for group in groups)
    return Basis.CALIBRATED if exact else Basis.NONE


def _is_tight(error: np.ndarray, golden: np.ndarray, group: Group, rules: Rules) -> bool:
    """Whether the errors in a group need no explanation."""
    typical = root_mean_square(error[group.members])
    within = group.largest(error, golden) <= rules.tight
    return within and typical <= rules.tight / 2 * group.magnitude


def _is_loose(error: np.ndarray, golden: np.ndarray, rules: Rules) -> bool:
    """Whether every number is within the loose tolerance."""
    scale = max(magnitude_of(golden), LEAST_MAGNITUDE)
    return bool(np.all(error <= rules.loose * (np.abs(golden) + scale)))


def _is_as_exact(numbers: np.ndarray, known: Calibration, group: Group, rules: Rules) -> bool:
    """Whether a group is no further from a more exact computation than the original may be."""
    noise = np.abs(known.original - known.exact)
    error = np.abs(numbers - known.exact)
    factor = rules.factor * (1 + 1 / group.count)  # few numbers may be exact by luck
    largest = factor * group.largest(noise, known.exact)
    typical = factor * root_mean_square(noise[group.members])
    return group.largest(error, known.exact) <= max(rules.tight, largest) and root_mean_square(
        error[group.members]
    ) <= max(rules.tight / 2 * group.magnitude, typical)


def _usable(calibration: Calibration | None, places: Places) -> Calibration | None:
    """What is known at the regular places; None where the original has no numbers there."""
    if calibration is None:
        return None
    pair = real(calibration.original), real(calibration.exact)
    if any(array.shape != places.regular.shape for array in pair):
        return None
    original, exact = map(places.regular_of, pair)
    good = np.isfinite(original).all() and np.isfinite(exact).all()
    return Calibration(original, exact) if good else None


def _is_unstable(known: Calibration | None) -> bool:
    """Whether the original itself is far from a more exact computation."""
    if known is None:
        return False
    noise = root_mean_square(known.original - known.exact)
    return noise > UNSTABLE * root_mean_square(known.exact)


def _sentinels_agree(a: np.ndarray, g: np.ndarray, places: Places, rules: Rules) -> bool:
    """Whether what is not regular is the same, as far as the precision can hold it."""
    if places.all_regular:
        return True
    other = ~places.regular
    found, golden = a[other], g[other]
    with np.errstate(invalid="ignore"):
        same = np.isclose(found, golden, rtol=rules.loose, atol=0, equal_nan=True)
        least = GAP * max(_largest(np.abs(places.regular_of(g))), 1.0)
        beyond = np.abs(golden) > rules.largest
        replaced = (np.sign(found) == np.sign(golden)) & (np.abs(found) >= least)
    return bool(np.all(same | (beyond & replaced)))


def cosine(array: np.ndarray, golden: np.ndarray) -> float:
    """Of the angle between two lists of real numbers; 1 for two that are zero."""
    a, g = array.ravel(), golden.ravel()
    norm = float(np.linalg.norm(a) * np.linalg.norm(g))
    if norm == 0 or not np.isfinite(norm):
        return 1.0 if np.array_equal(a, g) else 0.0
    return min(1.0, float(np.dot(g, a)) / norm)


def _largest(numbers: np.ndarray) -> float:
    return float(numbers.max(initial=0.0))


def _ratio(array: np.ndarray, golden: np.ndarray) -> float:
    """Of the norms."""
    norm = float(np.linalg.norm(golden))
    return float(np.linalg.norm(array)) / norm if norm else 1.0
