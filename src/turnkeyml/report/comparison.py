"""A comparison of two sets of measurements, as typed data."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnkeyml.measure import SpeedVerdict
from turnkeyml.nouns import Cause, Flag, Grade, Verdict, Word
from turnkeyml.report.compared_rows import Item


class Undecided(Word):
    """Why a row was called neither slower, nor faster, nor the same."""

    MISMATCH = "mismatch"
    """One of the sides does not compute what the original computes."""
    NOT_CREDIBLE = "not credible"
    """A flag says that the latency of one of the sides is not that of the model."""
    MOVED = "processors moved"
    """No runs of both sides had the same placement."""
    NO_INTERVAL = "no interval"
    """The samples of one of the sides are too few."""
    TOO_WIDE = "interval too wide"
    """The interval of the ratio says neither."""


@dataclass(frozen=True)
class Difference:
    """A condition of a measurement that differs between the sides."""

    name: str
    a: str
    b: str


@dataclass(frozen=True)
class ComparedRow:
    """A measurement that both sides have; medians are in milliseconds."""

    item: Item
    median_a: float
    median_b: float
    ratio: float
    """The median of B divided by that of A, of the runs that can be compared: above 1, B is
    slower."""
    ratio_low: float | None
    """The ends of the 95% interval of the ratio."""
    ratio_high: float | None
    verdict: SpeedVerdict
    verification_a: Verdict
    verification_b: Verdict
    grade_a: Grade | None = None
    """The grade of the conditions of A; None if they were not graded."""
    grade_b: Grade | None = None
    differences: tuple[Difference, ...] = ()
    flags_a: tuple[Flag, ...] = ()
    flags_b: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    ratio_raw: float | None = None
    """``median_b / median_a``; it differs from ``ratio`` if some runs were left out because a
    hypervisor had moved the processors."""
    undecided: Undecided | None = None
    """Why the verdict is UNCLEAR; None if it is not."""
    cause_a: Cause | None = None
    """What decided the verdict on the outputs of A; None if that is not known."""
    cause_b: Cause | None = None

    @property
    def is_mismatch(self) -> bool:
        """Whether either side does not compute the same as the original."""
        return Verdict.MISMATCH in (self.verification_a, self.verification_b)


@dataclass(frozen=True)
class ComparedFailure:
    """A measurement that failed on one side or on both; None for the side that was successful."""

    item: Item
    failure_a: str | None
    failure_b: str | None
    verification_a: Verdict | None = None
    """The verdict on the outputs of the side that was successful."""
    verification_b: Verdict | None = None


@dataclass(frozen=True)
class SingleRow:
    """A measurement or failure that only one side has."""

    item: Item
    median: float | None
    failure: str | None
    verification: Verdict | None = None
    """The verdict on its outputs; None for a failure."""


@dataclass(frozen=True)
class MeanRatio:
    """The geometric mean of the ratios, with its 95% interval."""

    ratio: float
    low: float
    high: float
    rows: int
    left_out: int
    """Matched rows that are not included: not verified or not credible on both sides, or without an
    interval."""


@dataclass(frozen=True)
class Comparison:
    """The differences between the measurements of two sides."""

    a: str
    b: str
    rows: tuple[ComparedRow, ...]
    """Measurements that both sides have, the largest changes first."""
    failures: tuple[ComparedFailure, ...]
    appeared: tuple[SingleRow, ...]
    vanished: tuple[SingleRow, ...]
    verdicts: dict[SpeedVerdict, int]
    """How many rows got each verdict."""
    geometric_mean: MeanRatio | None
    remarks: tuple[str, ...] = ()
    """Sentences about data that could not be used."""
    undecided: dict[Undecided, int] = field(default_factory=dict)
    """How many of ``rows`` could not be decided, by the reason."""


def undecided_in_words(comparison: Comparison) -> str:
    """How many rows could not be decided and why, in a sentence."""
    found = [f"{number} {reason}" for reason, number in comparison.undecided.items() if number]
    number, rows = sum(comparison.undecided.values()), len(comparison.rows)
    of = f"{number} of {rows} row{'s' * (rows != 1)} could not be decided"
    return f"{of}: {', '.join(found)}." if found else f"{of}."
