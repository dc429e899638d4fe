"""Everything that two sides of measurements tell about each other, as typed data."""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.measure.ratios import SpeedVerdict
from turnkeyml.nouns import Flag, Grade, Verdict
from turnkeyml.report.rows import Item

__all__ = [
    "ComparedFailure",
    "ComparedRow",
    "Comparison",
    "Difference",
    "MeanRatio",
    "SingleRow",
]


@dataclass(frozen=True)
class Difference:
    """Something about how a row was measured that is not the same on both sides."""

    name: str
    a: str
    b: str


@dataclass(frozen=True)
class ComparedRow:
    """A measurement that is there on both sides; medians are in milliseconds."""

    item: Item
    median_a: float
    median_b: float
    ratio: float
    """The median of B over that of A: above 1, B is slower."""
    ratio_low: float | None
    """The ends of the 95% interval of the ratio."""
    ratio_high: float | None
    verdict: SpeedVerdict
    verification_a: Verdict
    verification_b: Verdict
    grade_a: Grade | None = None
    """How far the conditions of A let one rely on its median; None where nobody graded them."""
    grade_b: Grade | None = None
    differences: tuple[Difference, ...] = ()
    flags_a: tuple[Flag, ...] = ()
    flags_b: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_mismatch(self) -> bool:
        """Whether it computes something else than the original, on either side."""
        return Verdict.MISMATCH in (self.verification_a, self.verification_b)


@dataclass(frozen=True)
class ComparedFailure:
    """A measurement that failed on one side or on both; None for the side that was successful."""

    item: Item
    failure_a: str | None
    failure_b: str | None


@dataclass(frozen=True)
class SingleRow:
    """What is there on one side only."""

    item: Item
    median: float | None
    failure: str | None


@dataclass(frozen=True)
class MeanRatio:
    """The geometric mean of some rows' ratios with its 95% interval."""

    ratio: float
    low: float
    high: float
    rows: int
    left_out: int
    """Matched rows that are not in it: not verified on both sides, or without an interval."""


@dataclass(frozen=True)
class Comparison:
    """Everything that two sides tell about each other."""

    a: str
    b: str
    rows: tuple[ComparedRow, ...]
    """What was measured on both sides, the largest changes first."""
    failures: tuple[ComparedFailure, ...]
    appeared: tuple[SingleRow, ...]
    vanished: tuple[SingleRow, ...]
    verdicts: dict[SpeedVerdict, int]
    """How many rows got each verdict."""
    geometric_mean: MeanRatio | None
    remarks: tuple[str, ...] = ()
    """What could not be used, in sentences."""
