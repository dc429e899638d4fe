"""How exact the operator can be that an output is the result of.

A runtime computes a Sigmoid from polynomials that are exact relative to 1: where it returns 1e-6,
no digit need be right. So errors up to that floor say nothing about the file, however small the
numbers are that they are found in. The rules of all operators are here, and nowhere else.

The floor is in units of 2^-24, the rounding of 1 in fp32, in builds of every precision: processors
compute these functions in fp32, and round the result once, relative to itself. It is the largest
error that we measured of ONNX Runtime 1.31, OpenVINO 2026.4 and PyTorch 2.13 on x86, on 65,000
numbers from -30 to 30 (rows of 256 for those along an axis), rounded up. Sums and products need no
floor: what they are relative to is in the rules for groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from turnkeyml.verify.tolerances import NEAR_END, ROW_SUMS, SATURATED_FLOORS, TYPICAL_SHARE, UNIT


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
