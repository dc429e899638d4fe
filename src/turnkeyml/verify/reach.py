"""How far roundings of a precision may take each number that the original returns.

Rounding moves most numbers a little. A few it makes jump: a rounded one, a row of a table that is
chosen by its score, the output of a gate. So the original is run several times with larger
roundings. A number of a build that jumps where the original does, and no further, is right. One
that jumps elsewhere is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.verify.reference import Outputs
from turnkeyml.verify.scale import Group
from turnkeyml.verify.tolerances import (
    JUMP,
    MOST_BETWEEN,
    MOST_JUMPING,
    MOST_LOST,
    MOST_STRAY,
    Rules,
)
from turnkeyml.verify.values import real


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
