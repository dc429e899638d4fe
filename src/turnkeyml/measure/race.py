"""Who is faster, from samples that were taken in turns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from turnkeyml.measure.sampler import Samples
from turnkeyml.measure.statistics import PROCESS_FLOOR, Interval, Z, overall_interval
from turnkeyml.nouns import Evaluation, RaceResult, RaceRow

__all__ = ["judge", "speedup"]

FEW_ROUNDS = 7
"""From so many on, the range of the rounds stands in for an interval that they are too few for."""

LEAST_ADVANTAGE = 1.01
"""A smaller one does not make a winner, however sure it is."""

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
    ratios = np.concatenate(processes)
    middle = float(np.median(ratios))
    interval = overall_interval(processes)
    if interval is None and len(ratios) >= FEW_ROUNDS:
        interval = Interval(float(ratios.min()), float(ratios.max()))
    if interval is None or len(processes) > 1 or baseline is other:
        return middle, interval
    return middle, _with_floor(middle, interval)


def _with_floor(middle: float, interval: Interval) -> Interval:
    """Widened by what two processes differ in anyway, which no number of rounds shows."""
    floor = Z * PROCESS_FLOOR * math.sqrt(2)
    below = math.hypot(math.log(middle / interval.low), floor)
    above = math.hypot(math.log(interval.high / middle), floor)
    return Interval(middle * math.exp(-below), middle * math.exp(above))


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
    ratio, interval = speedup(measured[other], measured[one])
    return interval is not None and interval.low > 1 and ratio >= LEAST_ADVANTAGE


def _median(samples: Sequence[Samples]) -> float:
    return float(np.median(np.concatenate([s.latencies for s in samples])))
