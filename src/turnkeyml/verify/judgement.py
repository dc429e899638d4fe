"""What was seen of one output."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from turnkeyml.verify.tolerances import AGREEMENT, CLOSE_MAGNITUDE, COSINE


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
