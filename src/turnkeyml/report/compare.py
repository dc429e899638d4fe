"""Compare two sets of measurements: what became faster, slower, failed, appeared or vanished."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.errors import TurnkeyError
from turnkeyml.measure import ratios
from turnkeyml.measure.ratios import SpeedVerdict
from turnkeyml.nouns import Verdict
from turnkeyml.report.comparison import (
    ComparedFailure,
    ComparedRow,
    Comparison,
    Difference,
    MeanRatio,
    SingleRow,
)
from turnkeyml.report.evidence import evidence_of
from turnkeyml.report.matching import match_rows
from turnkeyml.report.rows import Row
from turnkeyml.report.sides import Side, read_side

__all__ = ["Comparison", "compare"]


def compare(a: str, b: str) -> Comparison:
    """The comparison of B with A, each a path as ``turnkey compare`` takes it."""
    side_a, side_b = read_side(a), read_side(b)
    matches = list(match_rows(side_a, side_b))
    pairs = [(x, y) for x, y in matches if x and y]
    if not pairs:
        raise TurnkeyError(_nothing_in_common(a, b, side_a, side_b))
    judged = [_Judged.of(x, y) for x, y in pairs if not (x.failure or y.failure)]
    judged.sort(key=lambda j: (-abs(math.log(j.row.ratio)), j.row.item.build_name))
    rows = tuple(j.row for j in judged)
    found = Counter(row.verdict for row in rows)
    return Comparison(
        a=a,
        b=b,
        rows=rows,
        failures=tuple(
            ComparedFailure(_fuller(x, y).item, x.failure, y.failure)
            for x, y in pairs
            if x.failure or y.failure
        ),
        appeared=tuple(_single(y) for x, y in matches if y and not x),
        vanished=tuple(_single(x) for x, y in matches if x and not y),
        verdicts={verdict: found[verdict] for verdict in SpeedVerdict},
        geometric_mean=_mean(judged),
        remarks=(*(f"In A: {r}" for r in side_a.remarks), *(f"In B: {r}" for r in side_b.remarks)),
    )


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
    return SingleRow(row.item, None if row.failure else row.median, row.failure)


@dataclass(frozen=True)
class _Judged:
    """A compared row with random draws of the logarithm of its ratio, for the mean."""

    row: ComparedRow
    draws: np.ndarray | None

    @classmethod
    def of(cls, a: Row, b: Row) -> _Judged:
        found = evidence_of(a, b)
        ratio = found.ratio
        wrong = list(_mismatch_notes(a, b))
        trusted = ratio is not None and not wrong
        row = ComparedRow(
            item=b.item,
            median_a=a.median,
            median_b=b.median,
            ratio=found.value,
            ratio_low=ratio.low if ratio else None,
            ratio_high=ratio.high if ratio else None,
            verdict=ratios.verdict_on(ratio) if ratio and trusted else SpeedVerdict.UNCLEAR,
            verification_a=a.verification,
            verification_b=b.verification,
            grade_a=a.grade,
            grade_b=b.grade,
            differences=tuple(_differences(a, b)),
            flags_a=a.flags,
            flags_b=b.flags,
            notes=(*wrong, *found.notes),
            ratio_raw=b.median / a.median,
        )
        return cls(row, found.draws)

    @property
    def counts(self) -> bool:
        """Whether it counts for the mean: only verified rows with an interval do."""
        verified = self.row.verification_a.trusted and self.row.verification_b.trusted
        return verified and self.draws is not None


def _mismatch_notes(a: Row, b: Row) -> Iterator[str]:
    wrong = [name for name, row in (("A", a), ("B", b)) if row.verification is Verdict.MISMATCH]
    if wrong == ["B"]:
        yield "it no longer computes the same as the original: a mismatch in B"
    elif wrong:
        yield f"it does not compute the same as the original: a mismatch in {' and '.join(wrong)}"


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


def _mean(judged: Sequence[_Judged]) -> MeanRatio | None:
    counted = [(j.row.ratio, j.draws) for j in judged if j.counts and j.draws is not None]
    if not counted:
        return None
    mean = ratios.geometric_mean([r for r, _ in counted], [d for _, d in counted])
    left_out = len(judged) - len(counted)
    return MeanRatio(mean.value, mean.low, mean.high, len(counted), left_out)
