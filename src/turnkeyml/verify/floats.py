"""Judging an output of real or complex numbers, and what is seen of an output of any kind.

A number matches within the tight tolerance of its group, or where the original itself is no nearer
to a more exact computation, give or take a small factor.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

import numpy as np

from turnkeyml.verify.magnitudes import (
    Group,
    Places,
    bands_of,
    groups_of,
    magnitude_of,
    places_of,
    real,
    root_mean_square,
)
from turnkeyml.verify.rounding import NO_FLOOR, Floor, Reach, is_jumping
from turnkeyml.verify.tolerances import (
    AGREEMENT,
    CLOSE_MAGNITUDE,
    COSINE,
    LEAST_OF_ZEROS,
    MOST_OWN_ERROR,
    SENTINEL_GAP,
    SENTINEL_WIDTH,
    Rules,
)


class Basis(enum.Enum):
    """What an output matches by, the weakest first."""

    UNSTABLE = enum.auto()
    """Nothing, and the original itself is too far from a more exact computation to tell."""
    NONE = enum.auto()
    LOOSE = enum.auto()
    """Every number is within the loose tolerance, and the original says nothing more exact."""
    CALIBRATED = enum.auto()
    """It is as exact as the original in that precision."""
    TIGHT = enum.auto()
    """Every number is within the tight tolerance."""

    @property
    def matches(self) -> bool:
        return self not in (Basis.NONE, Basis.UNSTABLE)


def weakest(*bases: Basis) -> Basis:
    """The one of some bases that says the least."""
    return min(bases, key=lambda basis: basis.value)


@dataclass(frozen=True)
class Judgement:
    """How far one output is from its golden counterpart, and what that rests on."""

    absolute: float = 0.0
    relative: float = 0.0
    cosine: float = 1.0
    basis: Basis = Basis.NONE
    not_finite: bool = False
    """Infinite or NaN where the original has a regular number."""
    moved: bool = False
    """Infinities, NaNs or sentinels are not where the original has them."""
    agreement: float = 1.0
    magnitude: float = 1.0
    """The norm of the output relative to that of the golden one."""
    detail: str = ""
    """The number that decided, with its group, if it does not match."""

    @property
    def matches(self) -> bool:
        return self.basis.matches

    @property
    def similar(self) -> bool:
        same_magnitude = 1 - CLOSE_MAGNITUDE <= self.magnitude <= 1 + CLOSE_MAGNITUDE
        same = self.cosine >= COSINE and self.agreement >= AGREEMENT
        return same and same_magnitude and not self.moved and not self.not_finite

    def on(self, basis: Basis) -> Judgement:
        """The same with a basis."""
        return replace(self, basis=basis)


@dataclass(frozen=True)
class Calibration:
    """What the original computes in the precision of a build, and in a more exact one."""

    original: np.ndarray
    exact: np.ndarray
    turned: int = 0
    """The most decisions that the original turns on other inputs of the same shape."""
    reach: Reach | None = None
    """Where larger roundings take the original; None if that is not known."""

    @property
    def own(self) -> int:
        """The decisions that the original turns here; all of them if the shapes differ."""
        if self.original.shape != self.exact.shape:
            return self.exact.size
        return int(np.count_nonzero(self.original != self.exact))


def judge_floats(
    found: np.ndarray,
    golden: np.ndarray,
    calibration: Calibration | None,
    rules: Rules,
    floor: Floor = NO_FLOOR,
) -> Judgement:
    """Judge an output of real or complex numbers.

    ``floor``: the errors of the operator that it is the result of.
    """
    a, g = real(found), real(golden)
    places = places_of(g)
    if calibration is not None and calibration.reach is not None:
        a = calibration.reach.settled_places(a, g, places.regular)
    numbers, regular = places.regular_of(a), places.regular_of(g)
    there = np.isfinite(numbers)
    lost = not there.all()
    moved = not _sentinels_agree(a, g, places, rules)
    chosen = there if lost else slice(None)  # not a copy where all are chosen: it may be large
    largest = _largest(np.abs(numbers[chosen] - regular[chosen]))
    seen = Judgement(
        absolute=largest,
        relative=largest / (_largest(np.abs(regular)) or LEAST_OF_ZEROS),
        cosine=cosine(numbers, regular),
        magnitude=_ratio(numbers, regular),
        not_finite=lost,
        moved=moved,
    )
    if lost or moved:
        return seen
    groups = groups_of(g, places.regular)
    known = _usable(calibration, places.regular)
    rest = _basis((numbers, regular), groups, known, rules, floor)
    if known is not None and known.reach is not None:
        settled, calm = _settled(numbers, known, groups, rules)
        better = _basis((settled, regular), groups, calm, rules, floor)
        gaps = any(known.reach.has_gap(known.exact, group, rules) for group in groups)
        rest = better if gaps or better.matches else rest
    if rest is Basis.LOOSE and not _is_even((numbers, regular), g, places, rules, floor):
        rest = Basis.NONE
    basis = weakest(rest, _basis_of_sentinels(a, g, places, calibration, rules))
    if not basis.matches:
        seen = replace(seen, detail=_worst((numbers, regular), places, groups, rules, floor))
    return seen.on(basis)


def _worst(
    pair: tuple[np.ndarray, np.ndarray],
    places: Places,
    groups: list[Group],
    rules: Rules,
    floor: Floor,
) -> str:
    """The number that is furthest beyond the tight tolerance of its group, in words."""
    numbers, golden = pair
    most, found = 0.0, ""
    for group in groups:
        ours, theirs = numbers[group.members], golden[group.members]
        errors = np.abs(ours - theirs)
        allowed = group.allowed(golden, rules.tight, rules.unit) + floor.most(theirs)
        excess = errors / np.maximum(allowed, np.finfo(float).tiny)
        worst = int(np.argmax(excess))
        if excess[worst] <= most:
            continue
        most = float(excess[worst])
        place = places.of_regular(np.arange(golden.size)[group.members][worst])
        found = (
            f"{ours[worst]:.4g} instead of {theirs[worst]:.4g} at {place}, "
            f"{errors[worst]:.2g} apart in a group of {group.count:,} of magnitude "
            f"{group.magnitude:.2g}"
        )
        if most <= 1:
            typical = root_mean_square(errors)
            found = f"{found} whose errors have a root mean square of {typical:.2g}"
    return found or "its mask values vary otherwise"


def is_far(found: np.ndarray, golden: np.ndarray) -> bool:
    """Whether an output is of another direction than the original's, so that no rule lets it pass.

    That is soon known, and with it that the original need not be computed more exactly.
    """
    if found.shape != golden.shape or not found.dtype.kind == golden.dtype.kind == "f":
        return False
    expected = real(golden)
    places = places_of(expected)
    return cosine(places.regular_of(real(found)), places.regular_of(expected)) < COSINE


def jumps(golden: np.ndarray, calibration: Calibration, rules: Rules) -> bool:
    """Whether the original is far less exact in a few numbers than in the others."""
    g = real(golden)
    places = places_of(g)
    known = _usable(calibration, places.regular)
    if known is None:
        return False
    noise = np.abs(known.original - known.exact)
    return any(
        is_jumping(noise[group.members], group.measure(known.exact), rules)
        for group in groups_of(g, places.regular)
    )


def _settled(
    numbers: np.ndarray, known: Calibration, groups: list[Group], rules: Rules
) -> tuple[np.ndarray, Calibration]:
    """Numbers, and the original, as they are without jumps that rounding explains."""
    assert known.reach is not None
    numbers, original = numbers.copy(), known.original.copy()
    for group in groups:
        jumping, right = known.reach.settled(numbers, known.exact, group, rules)
        for array, places in ((numbers, right), (original, jumping)):
            array[group.members] = np.where(
                places, known.exact[group.members], array[group.members]
            )
    return numbers, replace(known, original=original)


def _basis(
    pair: tuple[np.ndarray, np.ndarray],
    groups: list[Group],
    calibration: Calibration | None,
    rules: Rules,
    floor: Floor,
) -> Basis:
    """What speaks for finite numbers at the right places, if anything does."""
    numbers, golden = pair
    if all(_is_tight(numbers, golden, group, rules, floor) for group in groups):
        return Basis.TIGHT
    unstable = _is_unstable(calibration)
    otherwise = Basis.UNSTABLE if unstable else Basis.NONE
    if cosine(floor.without(numbers, golden), golden) < COSINE:
        return otherwise
    if calibration is None or unstable:
        return Basis.LOOSE if _is_loose(numbers, golden, rules, floor) else otherwise
    if not all(_is_as_exact(numbers, calibration, group, rules, floor) for group in groups):
        return Basis.NONE
    return Basis.CALIBRATED if np.isfinite(calibration.original).all() else Basis.LOOSE


def _basis_of_sentinels(
    a: np.ndarray, g: np.ndarray, places: Places, calibration: Calibration | None, rules: Rules
) -> Basis:
    """What speaks for sentinels that are the same within the loose tolerance.

    A channel of 2,500 give or take 2 looks like a mask, and has its information in the 2.
    """
    if places.all_regular:
        return Basis.TIGHT
    held = places.sentinel & (np.abs(g) <= rules.largest)
    found, golden = a[held], g[held]
    groups = bands_of(golden, SENTINEL_WIDTH)
    if all(_is_tight(found, golden, group, rules) for group in groups):
        return Basis.TIGHT
    known = _usable(calibration, held)
    if known is None:
        return Basis.LOOSE
    exact = all(_is_as_exact(found, known, group, rules) for group in groups)
    return Basis.CALIBRATED if exact else Basis.NONE


def _is_tight(
    numbers: np.ndarray, golden: np.ndarray, group: Group, rules: Rules, floor: Floor = NO_FLOOR
) -> bool:
    """Whether the errors in a group need no explanation."""
    expected = golden[group.members]
    error = np.abs(numbers[group.members] - expected)
    typical = root_mean_square(error)
    within = np.all(error <= group.allowed(golden, rules.tight, rules.unit) + floor.most(expected))
    return bool(within) and typical <= rules.tight / 2 * group.magnitude + floor.typical(expected)


def _is_loose(
    numbers: np.ndarray, golden: np.ndarray, rules: Rules, floor: Floor = NO_FLOOR
) -> bool:
    """Whether every number is within the loose tolerance, and so is the root mean square."""
    error = np.abs(numbers - golden)
    magnitude = magnitude_of(floor.emptied(golden))
    if root_mean_square(error) > rules.loose * magnitude + floor.typical(golden):
        return False
    return bool(np.all(error <= rules.loose * (np.abs(golden) + magnitude) + floor.most(golden)))


def _is_even(
    pair: tuple[np.ndarray, np.ndarray],
    g: np.ndarray,
    places: Places,
    rules: Rules,
    floor: Floor,
) -> bool:
    """Whether rows and channels of each magnitude have the right direction, as far as a rounding
    of the largest does not explain another one."""
    numbers, golden = pair
    least = rules.unit * magnitude_of(golden)
    for group in groups_of(g, places.regular, coarse=True):
        ours, theirs = numbers[group.members], golden[group.members]
        unseen = max(least, floor.typical(theirs))
        if root_mean_square(ours - theirs) > unseen and cosine(ours, theirs) < COSINE:
            return False
    return True


def _is_as_exact(
    numbers: np.ndarray,
    known: Calibration,
    group: Group,
    rules: Rules,
    floor: Floor = NO_FLOOR,
) -> bool:
    """Whether a group is no further from a more exact computation than the original may be."""
    members = group.members
    noise = np.abs(known.original[members] - known.exact[members])
    error = np.abs(numbers[members] - known.exact[members])
    factor = rules.factor * (1 + 1 / group.count)  # few numbers may be exact by luck
    measure = group.measure(known.exact)
    if not np.isfinite(noise).all():  # more than the precision holds; the build may cope
        return _is_loose(numbers[members], known.exact[members], rules, floor)
    explained = factor * _largest(noise / measure) * measure
    if group.of_list:  # each sum is as exact as the others, also where it comes out near zero
        everywhere = np.abs(known.original - known.exact)
        most = factor * _largest(everywhere[np.isfinite(everywhere)])
        explained = np.maximum(explained, np.minimum(most, rules.loose * measure))
    allowed = np.maximum(group.allowed(known.exact, rules.tight, rules.unit), explained)
    typical = max(rules.tight / 2 * group.magnitude, factor * root_mean_square(noise))
    allowed = allowed + floor.most(known.exact[members])
    typical += floor.typical(known.exact[members])
    return bool(np.all(error <= allowed)) and root_mean_square(error) <= typical


def _usable(calibration: Calibration | None, places: np.ndarray) -> Calibration | None:
    """What is known at some places; None where the original has no numbers there."""
    if calibration is None:
        return None
    pair = real(calibration.original), real(calibration.exact)
    if any(array.shape != places.shape for array in pair):
        return None
    everywhere = bool(places.all())
    original, exact = (array.ravel() if everywhere else array[places] for array in pair)
    good = np.isfinite(original).any() and np.isfinite(exact).all()
    reach = calibration.reach and calibration.reach.at(places)
    return Calibration(original, exact, reach=reach) if good else None


def _is_unstable(known: Calibration | None) -> bool:
    """Whether the original itself is far from a more exact computation."""
    if known is None:
        return False
    there = np.isfinite(known.original)
    noise = root_mean_square(known.original[there] - known.exact[there])
    return noise > MOST_OWN_ERROR * root_mean_square(known.exact[there])


def _sentinels_agree(a: np.ndarray, g: np.ndarray, places: Places, rules: Rules) -> bool:
    """Whether what is not regular is the same, as far as the precision can hold it."""
    if places.all_regular:
        return True
    other = ~places.regular
    found, golden = a[other], g[other]
    with np.errstate(invalid="ignore"):
        same = np.isclose(found, golden, rtol=rules.loose, atol=0, equal_nan=True)
        least = SENTINEL_GAP * max(_largest(np.abs(places.regular_of(g))), 1.0)
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
