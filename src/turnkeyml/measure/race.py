"""Who is faster, from samples that were taken in turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from turnkeyml.measure.sampler import Samples
from turnkeyml.measure.statistics import Interval, overall_interval
from turnkeyml.records import Evaluation, RaceResult, RaceRow

__all__ = ["judge", "speedup"]

Measured = Mapping[str, Sequence[Samples]]
"""For each contestant the samples of each process."""


def judge(evaluations: Sequence[Evaluation], measured: Measured, baseline: str) -> RaceResult:
    """The table of a race. Only where the intervals say so is there a winner."""
    chosen = baseline if baseline in measured else None
    rows = []
    for evaluation in evaluations:
        row = RaceRow(evaluation.label, evaluation)
        if chosen is not None and row.label in measured:
            ratio, interval = speedup(measured[chosen], measured[row.label])
            low, high = (interval.low, interval.high) if interval else (None, None)
            row = RaceRow(row.label, evaluation, ratio, low, high)
        rows.append(row)
    winner, verdict = _winner([r.label for r in rows if r.may_win], measured)
    rounds = max((sum(len(s.slices) for s in samples) for samples in measured.values()), default=0)
    return RaceResult(chosen, rounds, tuple(rows), winner, verdict)


def speedup(baseline: Sequence[Samples], other: Sequence[Samples]) -> tuple[float, Interval | None]:
    """How many times as fast the other is: the median over the rounds, and its interval.

    Both ran in every round, so what happens to the machine from one round to the next cancels out.
    """
    # One that lost a process lost all that follow.
    processes = [_ratios(b, o) for b, o in zip(baseline, other, strict=False)]
    return float(np.median(np.concatenate(processes))), overall_interval(processes)


def _ratios(baseline: Samples, other: Samples) -> np.ndarray:
    pairs = zip(baseline.rounds(), other.rounds(), strict=False)
    return np.array([np.median(b) / np.median(o) for b, o in pairs])


def _winner(eligible: list[str], measured: Measured) -> tuple[str | None, str]:
    """The one that is faster than every other, if there is one, and the verdict in words."""
    if not eligible:
        return None, "Nothing that was measured computes what the original computes."
    fastest = min(eligible, key=lambda e: _median(measured[e]))
    if len(eligible) == 1:
        return None, f"No race: {fastest} ran alone."
    unclear = [e for e in eligible if e != fastest and not _is_faster(fastest, e, measured)]
    if unclear:
        return None, f"No clear winner between {', '.join([fastest, *unclear])}."
    return fastest, f"The winner is {fastest}."


def _is_faster(one: str, other: str, measured: Measured) -> bool:
    _, interval = speedup(measured[other], measured[one])
    return interval is not None and interval.low > 1


def _median(samples: Sequence[Samples]) -> float:
    return float(np.median(np.concatenate([s.latencies for s in samples])))
