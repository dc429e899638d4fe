"""What an error in an output is relative to.

Some numbers only mark a place: a mask writes minus infinity, -1e9 or the lowest number of the
precision where nothing is to be seen. Such sentinels are larger than everything else by orders of
magnitude. Taken together with the rest they hide it, so they are judged apart.

One number for the rest of an output hides a channel of magnitude 1e-3 behind one of 1e4. So the
slices along the axis in whose direction magnitudes differ most are put into groups of one order of
magnitude. A group is divided again along a second axis where that differs: rows may be scaled as
well as channels. Every group is judged by itself. Only what varies counts: an output of 0.5 give
or take 0.01 has its information in the 0.01.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from turnkeyml.verify.tolerances import (
    CONSTANT_SLICE,
    LEAST_GROUP_MAGNITUDE,
    LEAST_IN_GROUP,
    LEAST_IN_SLICE,
    LEAST_IN_SUBGROUP,
    LEAST_SENTINEL,
    MINOR_UNITS,
    MOSTLY_ZERO,
    SAME_ORDER,
    SENTINEL_GAP,
    SENTINEL_KINDS,
    SENTINEL_WIDTH,
    UNIT,
)


@dataclass(frozen=True)
class Places:
    """Where the numbers of an output are regular, and where they are finite sentinels."""

    regular: np.ndarray
    sentinel: np.ndarray
    all_regular: bool

    def regular_of(self, array: np.ndarray) -> np.ndarray:
        """The numbers of an array of the same shape at the regular places."""
        return array.ravel() if self.all_regular else array[self.regular]

    def of_regular(self, number: int) -> list[int]:
        """The indices of one of the regular numbers."""
        flat = number if self.all_regular else np.flatnonzero(self.regular)[number]
        return [int(index) for index in np.unravel_index(flat, self.regular.shape)]


def real(array: np.ndarray) -> np.ndarray:
    """The numbers in double precision; a complex one as a pair of real ones along a last axis."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1).astype(np.float64)
    return array.astype(np.float64)


def places_of(golden: np.ndarray) -> Places:
    """The places of an output of the original, given as real numbers."""
    finite = np.isfinite(golden)
    if max(golden.max(initial=0.0), -golden.min(initial=0.0)) < LEAST_SENTINEL and finite.all():
        return Places(finite, ~finite, all_regular=True)  # as most outputs are; they may be large
    magnitude = np.abs(golden)
    edge = _sentinel_edge(magnitude[finite])
    sentinel = finite & (magnitude >= edge)
    regular = finite & ~sentinel
    return Places(regular, sentinel, bool(regular.all()))


def _sentinel_edge(magnitudes: np.ndarray) -> float:
    """The magnitude from which on numbers are sentinels; infinite where there are none."""
    edge, rest = np.inf, magnitudes
    for _ in range(SENTINEL_KINDS):
        top = float(rest.max(initial=0.0))
        if top < LEAST_SENTINEL:
            break
        bottom = top * (1 - SENTINEL_WIDTH)
        rest = rest[rest < bottom]
        below = float(rest.max(initial=0.0))
        if 0 < below * SENTINEL_GAP <= bottom:
            edge = bottom
    return edge


@dataclass(frozen=True)
class Group:
    """Numbers of one order of magnitude."""

    members: np.ndarray | slice
    """Where they are among the regular numbers of the output."""
    count: int
    center: float
    magnitude: float
    """The root mean square of what varies; of the numbers themselves if nothing does."""
    minor: np.ndarray | None = None
    """Which of them are of a smaller order, too few to be a group; None if there are none."""
    of_list: bool = False
    """Whether the output is a list of numbers, so that no rows tell that they are a channel."""

    def measure(self, numbers: np.ndarray) -> np.ndarray:
        """What the error of each of its numbers is relative to, given all regular numbers."""
        return np.abs(numbers[self.members] - self.center) + self.magnitude

    def allowed(self, numbers: np.ndarray, share: float, unit: float) -> np.ndarray:
        """Errors that need no explanation: a share of the measure. A few numbers of a smaller order
        may have it of themselves, and some units of rounding of the others."""
        errors = share * self.measure(numbers)
        if self.minor is None:
            return errors
        own = share * np.abs(numbers[self.members])
        least = min(share, MINOR_UNITS * unit) * self.magnitude
        return np.where(self.minor, own + least, errors)


def groups_of(numbers: np.ndarray, regular: np.ndarray, *, coarse: bool = False) -> list[Group]:
    """The groups of the regular numbers of an output; none if there are no such numbers.

    ``coarse``: only rows and channels form groups, no single numbers.
    """
    chosen = numbers[regular]
    if chosen.size == 0:
        return []
    least = max(LEAST_GROUP_MAGNITUDE * _varying(chosen)[1], np.finfo(np.float64).tiny)
    found = []
    of_list = numbers.size == max(numbers.shape, default=1)
    least_of_slice = LEAST_IN_SLICE if coarse else 1
    for members, minor in _members(numbers, regular, least_of_slice):
        these = chosen[members]
        center, magnitude = _varying(these)
        found.append(Group(members, these.size, center, max(magnitude, least), minor, of_list))
    return found


def bands_of(numbers: np.ndarray, width: float) -> list[Group]:
    """The groups of a list of numbers of which each is within a share of the next one."""
    if numbers.size == 0:
        return []
    order = np.argsort(numbers)
    steps = np.diff(numbers[order]) > width * np.abs(numbers[order][1:])
    bands = np.zeros(numbers.size, dtype=int)
    bands[order[1:]] = np.cumsum(steps)
    found = []
    for band in range(bands.max() + 1):
        members = bands == band
        center, magnitude = _varying(numbers[members])
        found.append(Group(members, int(np.count_nonzero(members)), center, magnitude))
    return found


def root_mean_square(numbers: np.ndarray) -> float:
    """0 for no numbers."""
    flat = numbers.ravel()
    return float(np.sqrt(np.dot(flat, flat) / flat.size)) if flat.size else 0.0


def magnitude_of(numbers: np.ndarray) -> float:
    """The root mean square of numbers, whatever emptiness they are in.

    How exact the numbers of a mask can be does not depend on the size of the image around it.
    """
    filled = np.count_nonzero(numbers)
    whole = root_mean_square(numbers)
    if 0 < filled < (1 - MOSTLY_ZERO) * numbers.size:
        return whole * float(np.sqrt(numbers.size / filled))
    return whole


def _varying(numbers: np.ndarray) -> tuple[float, float]:
    """The mean, and the magnitude of what varies around it; constants are measured from zero."""
    center = float(np.mean(numbers))
    varying = root_mean_square(numbers - center)
    if varying <= 1e-12 * abs(center):
        return 0.0, abs(center)
    return center, varying


Members = tuple[np.ndarray | slice, np.ndarray | None]
"""Which of the regular numbers belong to a group, and which of these are of a smaller order.

They are indices, as an output may have many small groups: a mask of each would be as large as the
output."""


def _members(numbers: np.ndarray, regular: np.ndarray, fewest: int) -> Iterator[Members]:
    """The members of each group."""
    if _uneven_axis(numbers, regular, fewest) is None:
        yield slice(None), None
        return
    spots = np.zeros(numbers.shape, dtype=np.int64)
    spots[regular] = np.arange(np.count_nonzero(regular))
    rounding = MINOR_UNITS * UNIT * root_mean_square(numbers[regular])
    yield from _divided(numbers, regular, spots, fewest, rounding=rounding)


def _divided(
    numbers: np.ndarray,
    regular: np.ndarray,
    spots: np.ndarray,
    fewest: int,
    *,
    rounding: float,
    done: int | None = None,
) -> Iterator[Members]:
    """The spots of the regular numbers of each group of a block, and which are of smaller order.

    ``rounding``: by how much numbers vary that differ in rounding alone. ``done``: the axis along
    which the block has been cut out of a larger one.
    """
    uneven = _uneven_axis(numbers, regular, fewest, done)
    if uneven is None:
        yield spots[regular], None
        return
    axis, orders = uneven
    others = tuple(a for a in range(numbers.ndim) if a != axis)
    counts = _telling_numbers(numbers, regular, others, rounding)
    for chosen in _gathered(orders, counts, LEAST_IN_GROUP if done is None else LEAST_IN_SUBGROUP):
        inner, there, where = (a.compress(chosen, axis) for a in (numbers, regular, spots))
        lower = orders[chosen] < orders[chosen].max()
        if done is None and not lower.any():
            yield from _divided(inner, there, where, LEAST_IN_SLICE, rounding=rounding, done=axis)
        elif not lower.any():
            yield where[there], None
        else:
            yield where[there], np.broadcast_to(np.expand_dims(lower, others), there.shape)[there]


def _telling_numbers(
    numbers: np.ndarray, regular: np.ndarray, axes: tuple[int, ...], rounding: float
) -> np.ndarray:
    """How many numbers each slice has to tell by: of one that is nearly empty, those in it; one if
    it is the same number everywhere, as of the same token in all rows."""
    there = np.asarray(np.count_nonzero(regular, axis=axes))
    filled = np.asarray(np.count_nonzero(regular & (numbers != 0), axis=axes))
    counts = np.where((filled > 0) & (filled < (1 - MOSTLY_ZERO) * there), filled, there)
    least = numbers.min(axis=axes, where=regular, initial=np.inf)
    most = numbers.max(axis=axes, where=regular, initial=-np.inf)
    apart = np.where(there > 0, most - least, np.inf) / 2
    constant = (apart < CONSTANT_SLICE * np.abs(most)) & (apart < rounding)
    return np.where(constant, np.minimum(counts, 1), counts)


def _gathered(orders: np.ndarray, counts: np.ndarray, fewest: int) -> Iterator[np.ndarray]:
    """Which slices form each group: those of one order, or of several that have few numbers."""
    lowest, waiting = None, 0
    known = np.unique(orders)
    for order in known:
        lowest = order if lowest is None else lowest
        waiting += int(counts[orders == order].sum())
        if waiting >= fewest or order == known[-1]:
            yield (orders >= lowest) & (orders <= order)
            lowest, waiting = None, 0


def _uneven_axis(
    numbers: np.ndarray, regular: np.ndarray, fewest: int, done: int | None = None
) -> tuple[int, np.ndarray] | None:
    """The axis along which magnitudes differ most, with the order of magnitude of each slice.

    ``fewest``: the numbers that a slice has at least to be looked at. ``done``: not this axis.
    """
    everywhere = bool(regular.all())
    squares = np.square(numbers if everywhere else np.where(regular, numbers, 0.0))
    best, spread = None, SAME_ORDER
    for axis in (a for a in range(numbers.ndim) if a != done):
        others = tuple(a for a in range(numbers.ndim) if a != axis)
        counts = (
            np.full(numbers.shape[axis], numbers.size // numbers.shape[axis])
            if everywhere
            else np.asarray(np.count_nonzero(regular, axis=others))
        )
        sizes = np.sqrt(np.sum(squares, axis=others) / np.maximum(counts, 1))
        there = sizes[(sizes > 0) & (counts >= fewest)]
        if there.size and there.max() >= spread * there.min():
            best, spread = (axis, sizes), float(there.max() / there.min())
    if best is None:
        return None
    axis, sizes = best
    with np.errstate(divide="ignore"):
        return axis, np.maximum(np.floor(np.log10(sizes)), -400).astype(int)
