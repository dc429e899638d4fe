"""Compare two sets of measurements: what became faster, slower, failed, appeared or vanished.

The comparison is typed data, and ``compare_measurements`` makes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from turnkeyml.errors import TurnkeyError
from turnkeyml.measure import GeometricMean, SpeedVerdict, verdict_on
from turnkeyml.nouns import Cause, Flag, Grade, Verdict, Word, is_recorded_only
from turnkeyml.report.compared_rows import Item, Row
from turnkeyml.report.evidence import Evidence, evidence_of
from turnkeyml.report.sides import Progress, Side, match_rows, read_side


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


def compare_measurements(a: str, b: str, progress: Progress | None = None) -> Comparison:
    """The comparison of B with A, each a path as ``turnkey compare`` takes it.

    ``progress`` is told what is being done, how many of it are done, and of how many.
    """
    side_a = read_side(a, _doing("Reading builds of A", progress))
    side_b = read_side(b, _doing("Reading builds of B", progress))
    matches = list(match_rows(side_a, side_b))
    pairs = [(x, y) for x, y in matches if x and y]
    if not pairs:
        raise TurnkeyError(_nothing_in_common(a, b, side_a, side_b))
    measured = [(x, y) for x, y in pairs if not (x.failure or y.failure)]
    mean, compared = GeometricMean(), []
    for number, (x, y) in enumerate(measured):
        if progress is not None:
            progress("Comparing", number, len(measured))
        compared.append(_compared(x, y, mean))
    compared.sort(key=lambda row: (-abs(math.log(row.ratio)), row.item.build_name))
    rows = tuple(compared)
    found = Counter(row.verdict for row in rows)
    return Comparison(
        a=a,
        b=b,
        rows=rows,
        failures=tuple(
            ComparedFailure(_fuller(x, y).item, x.failure, y.failure, _checked(x), _checked(y))
            for x, y in pairs
            if x.failure or y.failure
        ),
        appeared=tuple(_single(y) for x, y in matches if y and not x),
        vanished=tuple(_single(x) for x, y in matches if x and not y),
        verdicts={verdict: found[verdict] for verdict in SpeedVerdict},
        geometric_mean=_mean_of(mean, len(rows)),
        undecided={why: sum(row.undecided is why for row in rows) for why in Undecided},
        remarks=(*(f"In A: {r}" for r in side_a.remarks), *(f"In B: {r}" for r in side_b.remarks)),
    )


def undecided_in_words(comparison: Comparison) -> str:
    """How many rows could not be decided and why, in a sentence."""
    found = [f"{number} {reason}" for reason, number in comparison.undecided.items() if number]
    number, rows = sum(comparison.undecided.values()), len(comparison.rows)
    of = f"{number} of {rows} row{'s' * (rows != 1)} could not be decided"
    return f"{of}: {', '.join(found)}." if found else f"{of}."


def _doing(what: str, progress: Progress | None) -> Callable[[int, int], None] | None:
    """Tells the number of builds that were read, as part of a comparison."""
    return None if progress is None else lambda done, total: progress(what, done, total)


def _nothing_in_common(a: str, b: str, side_a: Side, side_b: Side) -> str:
    models = [{row.item.hash for row in side.rows} for side in (side_a, side_b)]
    if models[0] & models[1]:
        labels = [", ".join(sorted({r.item.label for r in s.rows})) for s in (side_a, side_b)]
        return (
            f"{a} and {b} share models, but no measurements ({labels[0]} and {labels[1]}); "
            "measure both with the same device, runtime, precision and sweep."
        )
    return (
        f"{a} and {b} have no model in common; "
        "measure the same scripts with inputs of the same shapes on both sides."
    )


def _fuller(a: Row, b: Row) -> Row:
    """The row that knows the runtime and precision; B if both do."""
    return a if b.failure and not a.failure else b


def _single(row: Row) -> SingleRow:
    return SingleRow(row.item, None if row.failure else row.median, row.failure, _checked(row))


def _checked(row: Row) -> Verdict | None:
    """The verdict on the outputs of a row; None for a failure."""
    return None if row.failure else row.verification


def _compared(a: Row, b: Row, mean: GeometricMean) -> ComparedRow:
    """The row of a pair, which is added to the mean if it is verified and credible on both sides
    and has an interval."""
    found = evidence_of(a, b)
    verdict, undecided = _verdict(a, b, found)
    verified = a.verification.trusted and b.verification.trusted
    if verified and undecided is not Undecided.NOT_CREDIBLE and found.draws is not None:
        mean.add(found.value, found.draws())
    return ComparedRow(
        item=b.item,
        median_a=a.median,
        median_b=b.median,
        ratio=found.value,
        ratio_low=found.ratio.low if found.ratio else None,
        ratio_high=found.ratio.high if found.ratio else None,
        verdict=verdict,
        verification_a=a.verification,
        verification_b=b.verification,
        grade_a=a.grade,
        grade_b=b.grade,
        differences=tuple(_differences(a, b)),
        flags_a=a.flags,
        flags_b=b.flags,
        notes=(*_verdict_notes(a, b), *found.notes),
        ratio_raw=b.median / a.median,
        undecided=undecided,
        cause_a=a.cause,
        cause_b=b.cause,
    )


def _verdict(a: Row, b: Row, found: Evidence) -> tuple[SpeedVerdict, Undecided | None]:
    """The verdict on the speed, and why it is UNCLEAR if it is."""
    unclear = SpeedVerdict.UNCLEAR
    if Verdict.MISMATCH in (a.verification, b.verification):
        return unclear, Undecided.MISMATCH
    if not (a.is_credible and b.is_credible):
        return unclear, Undecided.NOT_CREDIBLE
    if found.ratio is None:
        return unclear, Undecided.NO_INTERVAL if found.is_comparable else Undecided.MOVED
    verdict = verdict_on(found.ratio)
    return verdict, Undecided.TOO_WIDE if verdict is unclear else None


def _verdict_notes(a: Row, b: Row) -> Iterator[str]:
    """What stands in the way of a comparison, and what its verdicts rest on."""
    sides = (("A", a), ("B", b))
    wrong = [name for name, row in sides if row.verification is Verdict.MISMATCH]
    if wrong == ["B"]:
        yield "it no longer computes the same as the original: a mismatch in B"
    elif wrong:
        yield f"it does not compute the same as the original: a mismatch in {' and '.join(wrong)}"
    for name, row in sides:
        kinds = ", ".join(dict.fromkeys(f.kind for f in row.flags if f.kind.discredits))
        if kinds:
            yield f"the latency in {name} is not credible ({kinds}), so that nothing is compared"
    recorded = [n for n, row in sides if is_recorded_only(row.verification, row.cause)]
    if recorded:
        yield f"verified on the recorded inputs only in {' and '.join(recorded)}"


def _differences(a: Row, b: Row) -> Iterator[Difference]:
    """The conditions that differ, if both sides know them.

    The version of a runtime is often that of a library, and the threads are a setting: the same
    difference is reported once.
    """
    reported: set[tuple[str, str]] = set()
    for name, value in a.conditions.items():
        other = b.conditions.get(name, value)
        detail = name.startswith(("library ", "setting "))
        if value != other and not (detail and (value, other) in reported):
            reported.add((value, other))
            yield Difference(name, value, other)
    if a.item.build_name != b.item.build_name:
        yield Difference("build_name", a.item.build_name, b.item.build_name)


def _mean_of(mean: GeometricMean, rows: int) -> MeanRatio | None:
    found = mean.ratio()
    if found is None:
        return None
    return MeanRatio(found.value, found.low, found.high, mean.count, rows - mean.count)
