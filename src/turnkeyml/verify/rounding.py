"""Errors that rounding explains: of an operator, and of the numbers that the original makes jump.

The floor of an operator: a runtime computes a Sigmoid from polynomials that are exact relative to
1: where it returns 1e-6, no digit need be right. So errors up to that floor say nothing about the
file, however small the numbers are that they are found in. The floors of all operators are here,
and nowhere else. They are in units of 2^-24, the rounding of 1 in fp32, in builds of every
precision: processors compute these functions in fp32, and round the result once, relative to
itself. Each is the largest error that we measured of ONNX Runtime 1.31, OpenVINO 2026.4 and PyTorch
2.13 on x86, on 65,000 numbers from -30 to 30 (rows of 256 for those along an axis), rounded up.
Sums and products need no floor: what they are relative to is in ``magnitudes``.

The reach of rounding: it moves most numbers a little. A few it makes jump: a rounded one, a row of
a table that is chosen by its score, the output of a gate. So the original is run several times with
larger roundings. A number of a build that jumps where the original does, and no further, is right.
One that jumps elsewhere is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.verify.magnitudes import Group, real
from turnkeyml.verify.tolerances import (
    JUMP,
    MOST_BETWEEN,
    MOST_JUMPING,
    MOST_LOST,
    MOST_STRAY,
    NEAR_END,
    ROW_SUMS,
    SATURATED_FLOORS,
    TYPICAL_SHARE,
    UNIT,
    Rules,
)

if TYPE_CHECKING:
    from turnkeyml.verify.reference import Outputs


@dataclass(frozen=True)
class Floor:
    """Errors that an operator makes, whatever its inputs are."""

    operator: str = ""
    units: float = 0.0
    """Of any number, in roundings of 1."""
    share: float = 0.0
    """Of a number, in roundings of that number: where all numbers of a group saturate at 1, they
    vary by no more than these."""
    ends: tuple[float, float] = (-np.inf, np.inf)
    """The range of its results. Numbers outside of it come from elsewhere, and have no floor."""

    def __bool__(self) -> bool:
        return bool(self.units or self.share)

    def most(self, golden: np.ndarray) -> np.ndarray | float:
        """The largest error of each number."""
        if not self:
            return 0.0
        errors = UNIT * (self.units + self.share * np.abs(golden))
        return np.where((golden >= self.ends[0]) & (golden <= self.ends[1]), errors, 0.0)

    def typical(self, golden: np.ndarray) -> float:
        """The root mean square of the errors of some numbers; of a single one the largest."""
        if not self or golden.size == 0:
            return 0.0
        most = self.most(golden)
        several = (1 + (TYPICAL_SHARE - 1) / golden.size) / TYPICAL_SHARE
        return float(np.sqrt(np.mean(np.square(most)))) * several

    def without(self, numbers: np.ndarray, golden: np.ndarray) -> np.ndarray:
        """Numbers as they are without errors of that size."""
        if not self:
            return numbers
        most = self.most(golden)
        return golden + np.sign(numbers - golden) * np.maximum(np.abs(numbers - golden) - most, 0.0)

    def emptied(self, golden: np.ndarray) -> np.ndarray:
        """Numbers with zeros in the place of those that are no larger than the errors of any."""
        if not self.units:
            return golden
        return np.where(np.abs(golden) <= UNIT * self.units, 0.0, golden)

    def hides(self, golden: np.ndarray) -> bool:
        """Whether all numbers are at one end of the range, so that nothing else can be seen."""
        if not self or golden.size == 0:
            return False
        near = SATURATED_FLOORS * UNIT * (self.units + self.share)
        return any(bool(np.all(np.abs(golden - end) <= near)) for end in self.ends)


NO_FLOOR = Floor()

FLOORS = {
    # ONNX Runtime 2.7 units and 9% of 1e-6; the others are exact relative to each number.
    "Sigmoid": Floor("Sigmoid", units=4, ends=(0, 1)),
    # clip(x/6 + 1/2): all of them lose digits near zero, 1.3 units.
    "HardSigmoid": Floor("HardSigmoid", units=2, ends=(0, 1)),
    # OpenVINO 7.1 units near zero.
    "Erf": Floor("Erf", units=8, ends=(-1, 1)),
    # OpenVINO 32.3 units and 14 of 17 for large negative numbers.
    "Softplus": Floor("Softplus", units=33, ends=(0, np.inf)),
    "Mish": Floor("Mish", units=17),
    # x (1 + erf): PyTorch and OpenVINO 13.6 units of numbers below 0.1.
    "Gelu": Floor("Gelu", units=14),
    # exp(x) - 1, or a clipped sum: 1.8 units near zero.
    "Elu": Floor("Elu", units=2),
    "Selu": Floor("Selu", units=2),
    "Celu": Floor("Celu", units=2),
    "HardSwish": Floor("HardSwish", units=2),
    # The logarithm of a probability near 1: 4.2 units in all three.
    "LogSoftmax": Floor("LogSoftmax", units=5, ends=(-np.inf, 0)),
    # Exact relative to each number, with 3.8 and 3.3 units at 1.
    "Tanh": Floor("Tanh", share=4, ends=(-1, 1)),
    "Softmax": Floor("Softmax", share=4, ends=(0, 1)),
    # Numbers of deviation 1: 0.4 units of those below 0.1, and 8.1 units of large ones.
    "LayerNormalization": Floor("LayerNormalization", units=1, share=8),
}
"""By the ONNX operator. The floor of LayerNormalization is multiplied by its smallest scale."""


def floor_of(operator: str, scale: float, golden: np.ndarray) -> Floor:
    """The floor of an output, by the operator that it is known to come from, or else by its values.

    ``operator`` is empty if none is known that has a floor.
    """
    known = FLOORS.get(operator)
    if known is not None:
        return replace(known, units=min(scale, 1.0) * known.units)
    return _by_values(golden)


def _by_values(golden: np.ndarray) -> Floor:
    """What only a Softmax or a function that saturates at both ends returns; else no floor."""
    if golden.size < 2 or golden.dtype.kind != "f" or not np.isfinite(golden).all():
        return NO_FLOOR
    least, largest = float(golden.min()), float(golden.max())
    if least < 0 or largest > 1 + ROW_SUMS:
        return NO_FLOOR
    if _sums_to_one(golden):
        return FLOORS["Softmax"]
    saturates = 0 < least <= NEAR_END and 1 - NEAR_END <= largest <= 1  # zero: a mask, or an image
    return FLOORS["Sigmoid"] if saturates else NO_FLOOR


def _sums_to_one(golden: np.ndarray) -> bool:
    """Whether the rows along the last axis, or along that of the channels, are shares of 1."""
    axes = {golden.ndim - 1, min(1, golden.ndim - 1)}
    sums = (golden.astype(np.float64).sum(axis) for axis in axes if golden.shape[axis] > 1)
    return any(bool(np.all(np.abs(found - 1) <= ROW_SUMS)) for found in sums)


@dataclass(frozen=True)
class Reach:
    """The least and the largest that each number of an output may become.

    The least is NaN where it may be anything, and both are where it is always NaN.
    """

    least: np.ndarray
    largest: np.ndarray

    @classmethod
    def of(cls, pair: np.ndarray) -> Reach:
        """As ``reach_of`` gives it for one output."""
        return cls(pair[0], pair[1])

    def at(self, places: np.ndarray | slice) -> Reach:
        return Reach(self.least[places], self.largest[places])

    @property
    def varies(self) -> np.ndarray:
        """Where it is not always the same."""
        return ~(self.least == self.largest) & ~np.isnan(self.largest)

    def has(self, numbers: np.ndarray, slack: np.ndarray | float = 0.0) -> np.ndarray:
        """Which numbers are in reach."""
        with np.errstate(invalid="ignore"):
            outside = (numbers < self.least - slack) | (numbers > self.largest + slack)
        anything = np.isnan(self.least) & ~np.isnan(self.largest)
        return anything | (~outside & (np.isnan(numbers) == np.isnan(self.largest)))

    def explains_picks(self, found: np.ndarray, exact: np.ndarray) -> bool:
        """Whether integers or booleans differ from exact ones only where those of the original do,
        given larger roundings."""
        varies, turned = self.varies, found != exact
        stray = turned & ~(varies & self.has(found))
        few = np.count_nonzero(varies) <= MOST_LOST * found.size
        return bool(few and np.count_nonzero(stray) <= MOST_STRAY * np.count_nonzero(turned))

    def settled_places(
        self, found: np.ndarray, golden: np.ndarray, regular: np.ndarray
    ) -> np.ndarray:
        """What was found, with the golden numbers where either may be NaN, infinite or a mask value
        and what was found is in reach."""
        with np.errstate(invalid="ignore"):
            finite = np.isfinite(self.least) & np.isfinite(self.largest)
            slack = 1e-2 * np.maximum(np.abs(self.least), np.abs(self.largest))
        lost = self.varies & ~(regular & finite)
        if not lost.any() or np.count_nonzero(lost) > MOST_LOST * found.size:
            return found
        return np.where(lost & self.has(found, slack), golden, found)

    def _widths(self, exact: np.ndarray, group: Group, rules: Rules) -> np.ndarray:
        """How far each number of a group may go, in units of what most of them do."""
        there, center = self.at(group.members), exact[group.members]
        width = np.maximum(there.largest - center, center - there.least) / group.measure(exact)
        width = np.where(np.isfinite(width), width, np.inf)
        return width / max(rules.tight, float(np.median(width)))

    def has_gap(self, exact: np.ndarray, group: Group, rules: Rules) -> bool:
        """Whether some numbers of a group jump and most of the others are far from it.

        Then these are decisions. Otherwise some numbers are just less exact than others.
        """
        widths = self._widths(exact, group, rules)
        jumping, nearly = widths > JUMP, (widths > JUMP / 2) & (widths <= JUMP)
        return bool(np.count_nonzero(nearly) < MOST_BETWEEN * np.count_nonzero(jumping))

    def settled(
        self, numbers: np.ndarray, exact: np.ndarray, group: Group, rules: Rules
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which numbers of a group jump in the original, and which jump as they may there.

        ``numbers`` are those of a build, and ``exact`` those of the original.
        """
        jumping = self._widths(exact, group, rules) > JUMP
        jumping &= np.count_nonzero(jumping) <= MOST_JUMPING * jumping.size
        there, ours = self.at(group.members), numbers[group.members]
        slack = JUMP * rules.tight * group.measure(exact) + (there.largest - there.least)
        inside = there.has(ours, slack)  # a few runs do not show the furthest
        stray = ~inside & ~jumping
        few = np.count_nonzero(stray) <= MOST_STRAY * np.count_nonzero(jumping)
        return jumping, (jumping & inside) | (stray & few)


def is_jumping(noise: np.ndarray, measure: np.ndarray, rules: Rules) -> bool:
    """Whether a few errors of the original are far larger than the others."""
    share = noise / measure
    return bool(np.any(share > JUMP * max(rules.tight, float(np.median(share)))))


def reach_of(runs: Sequence[Outputs]) -> Outputs | None:
    """The least and the largest of each number of some runs, stacked; None if shapes differ."""
    columns = list(zip(*map(widened, runs), strict=False))
    if any(array.shape != arrays[0].shape for arrays in columns for array in arrays):
        return None
    if any(arrays[0].dtype.kind not in "biufc" for arrays in columns):
        return None
    pairs = [_least_and_largest(arrays) for arrays in columns]
    return {str(number): pair for number, pair in enumerate(pairs)}


def _least_and_largest(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """A complex number as a pair of real ones."""
    stacked = np.stack([real(a) if a.dtype.kind == "c" else a for a in arrays])
    return np.stack([stacked.min(axis=0), np.fmax.reduce(stacked, axis=0)])
