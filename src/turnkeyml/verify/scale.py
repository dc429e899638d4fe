"""What an error in an output is relative to.

One number for a whole output hides a channel of magnitude 1e-3 behind one of 1e4. So the slices
along the axis in whose direction magnitudes differ most are put into groups of one order of
magnitude, and every group is judged by itself. Only what varies counts: an output of 0.5 give or
take 0.01 has its information in the 0.01.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["Group", "groups_of", "magnitude_of", "root_mean_square"]

SPREAD = 10.0
"""Slices whose magnitudes differ by less than this factor are judged together."""
FEWEST = 8
"""Numbers that a group has at least; fewer join the next larger magnitude."""
EMPTY = 0.9
"""Of outputs with a larger share of zeros than this, such as masks of small objects in a large
image, the zeros are no part of the magnitude."""
BLOCK = 1 << 20
"""How many numbers are looked at together."""
LEAST_SHARE = 1e-6
"""The magnitude that a group is taken to have at least, as a share of that of the output."""


@dataclass(frozen=True)
class Group:
    """Numbers of one order of magnitude."""

    members: np.ndarray | slice
    """Where they are among the regular numbers of the output."""
    count: int
    center: float
    magnitude: float
    """The root mean square of what varies; of the numbers themselves if nothing does."""

    def largest(self, error: np.ndarray, numbers: np.ndarray) -> float:
        """The largest of some errors of all regular numbers, as a share of what each of them may be
        measured by. It is looked for block by block: an output may be as large as the model."""
        errors, chosen = error[self.members], numbers[self.members]
        return max(
            (
                float((part / (np.abs(of - self.center) + self.magnitude)).max())
                for part, of in zip(_blocks(errors), _blocks(chosen), strict=True)
            ),
            default=0.0,
        )


def _blocks(numbers: np.ndarray) -> Iterator[np.ndarray]:
    return (numbers[i : i + BLOCK] for i in range(0, numbers.size, BLOCK))


def groups_of(numbers: np.ndarray, regular: np.ndarray) -> list[Group]:
    """The groups of the regular numbers of an output; none if there are no such numbers."""
    chosen = numbers[regular]
    if chosen.size == 0:
        return []
    least = max(LEAST_SHARE * _varying(chosen)[1], np.finfo(np.float64).tiny)
    found = []
    for members in _members(numbers, regular):
        center, magnitude = _varying(chosen[members])
        found.append(Group(members, chosen[members].size, center, max(magnitude, least)))
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
    if 0 < filled < (1 - EMPTY) * numbers.size:
        return whole * float(np.sqrt(numbers.size / filled))
    return whole


def _varying(numbers: np.ndarray) -> tuple[float, float]:
    """The mean, and the magnitude of what varies around it; constants are measured from zero."""
    center = float(np.mean(numbers))
    varying = root_mean_square(numbers - center)
    if varying <= 1e-12 * abs(center):
        return 0.0, abs(center)
    return center, varying


def _members(numbers: np.ndarray, regular: np.ndarray) -> Iterator[np.ndarray | slice]:
    """For each group, which of the regular numbers belong to it."""
    levels = _levels(numbers, regular)
    if levels is None:
        yield slice(None)
        return
    lowest = None
    orders, counts = np.unique(levels, return_counts=True)
    waiting = 0
    for order, count in zip(orders, counts, strict=True):
        lowest = order if lowest is None else lowest
        waiting += count
        if waiting >= FEWEST or order == orders[-1]:
            yield (levels >= lowest) & (levels <= order)
            lowest, waiting = None, 0


def _levels(numbers: np.ndarray, regular: np.ndarray) -> np.ndarray | None:
    """The order of magnitude of the slice that each regular number is in; None if all agree."""
    squares = np.square(numbers if regular.all() else np.where(regular, numbers, 0.0))
    best, spread = None, SPREAD
    for axis in range(numbers.ndim):
        others = tuple(a for a in range(numbers.ndim) if a != axis)
        counts = np.maximum(np.count_nonzero(regular, axis=others), 1)
        sizes = np.sqrt(np.sum(squares, axis=others) / counts)
        there = sizes[sizes > 0]
        if there.size and there.max() >= spread * there.min():
            best, spread = (axis, sizes), float(there.max() / there.min())
    if best is None:
        return None
    axis, sizes = best
    with np.errstate(divide="ignore"):
        orders = np.maximum(np.floor(np.log10(sizes)), -400).astype(np.int16)
    shape = [1] * numbers.ndim
    shape[axis] = -1
    return np.broadcast_to(orders.reshape(shape), numbers.shape)[regular]
