"""Which numbers of an output carry information, and which only mark a place.

A mask writes minus infinity, -1e9 or the lowest number of the precision where nothing is to be
seen. Such sentinels are larger than everything else by orders of magnitude: taken together with
the rest they hide it, so they are judged apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnkeyml.verify.tolerances import LEAST_SENTINEL, SENTINEL_GAP, SENTINEL_KINDS, SENTINEL_WIDTH


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
