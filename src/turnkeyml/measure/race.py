"""Decide a race: which contestant is faster, and by how much, from samples taken in turns.

A referee ends the rounds of a race when its question is answered. Where many are tried, it matters
only which may still be the best, and an elimination gives the time to those.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure.meter import Samples
from turnkeyml.measure.sampler import Referee, Ruling
from turnkeyml.measure.statistics import PROCESS_FLOOR, Interval, Z, overall_interval
from turnkeyml.nouns import Evaluation, RaceResult, RaceRow, Verdict

FEW_ROUNDS = 7
"""From so many on, the range of the rounds stands in for an interval that they are too few for."""

LEAST_ROUNDS = 3
CLEARLY = 1.2
"""Whoever takes this many times as long in its best round as the leader in its worst one is slower,
with fewer rounds than an interval needs."""

LEAST_ADVANTAGE = 1.01
"""A smaller one does not make a winner, however sure it is."""

BY_HOW_MUCH = 2.0
"""Times the precision: well enough for the speed-up of a winner that is clear."""
LOOSE = 5.0
"""Times the precision: near enough for one that cannot win."""

Measured = Mapping[str, Sequence[Samples]]
"""For each contestant the samples of each process."""


def judge(
    evaluations: Sequence[Evaluation], measured: Measured, baseline: str, *, strict: bool = False
) -> RaceResult:
    """The table of a race. Only where the intervals say so is there a winner.

    ``strict`` lets nothing win whose verdict is not trusted.
    """
    chosen = baseline if baseline in measured else None
    rows = []
    for evaluation in evaluations:
        row = RaceRow(evaluation.label, evaluation)
        if chosen is not None and row.label in measured:
            ratio, interval = speedup(measured[chosen], measured[row.label])
            low, high = (interval.low, interval.high) if interval else (None, None)
            row = RaceRow(row.label, evaluation, ratio, low, high)
        rows.append(row)
    winner, verdict = _winner(rows, measured, strict)
    rounds = max((sum(len(s.slices) for s in samples) for samples in measured.values()), default=0)
    return RaceResult(chosen, rounds, tuple(rows), winner, verdict)


def _winner(rows: Sequence[RaceRow], measured: Measured, strict: bool) -> tuple[str | None, str]:
    """The one that is faster than every other, if there is one, and the verdict in words."""
    verdicts = [row.evaluation.verdict if row.may_win else None for row in rows]
    chosen = may_win(verdicts, strict=strict)
    marks = {r.label: _marked(r) for r, may in zip(rows, chosen, strict=True) if may}
    doubted = [row for row in rows if row.evaluation.ok and not _is_credible(row)]
    doubts = "".join(f" {_why_not(row, strict)}." for row in doubted)
    if not marks:
        return None, _nobody(rows, strict)
    fastest = min(marks, key=lambda label: _median(measured[label]))
    if len(marks) == 1:
        return None, f"{_alone(rows, marks[fastest], strict)}{doubts}"
    unclear = [e for e in marks if e != fastest and not _is_faster(fastest, e, measured)]
    if unclear:
        names = ", ".join(marks[label] for label in (fastest, *unclear))
        return None, f"No clear winner between {names}.{doubts}"
    return fastest, f"The winner is {marks[fastest]}.{doubts}"


def _marked(row: RaceRow) -> str:
    """The label of a contestant, with its verdict unless that is a plain one."""
    verification = row.evaluation.verification
    mark = verification.mark if verification else str(Verdict.NOT_CHECKED)
    return f"{row.label} ({mark})" if mark else row.label


def _is_credible(row: RaceRow) -> bool:
    return row.evaluation.performance is not None and row.evaluation.performance.is_credible


def _alone(rows: Sequence[RaceRow], only: str, strict: bool) -> str:
    """What to say where a single contestant may win."""
    others = [row for row in rows if row.evaluation.ok and _marked(row) != only]
    if not others:
        return f"No race: {only} ran alone."
    told = [_why_not(row, strict) for row in others if _is_credible(row)]
    return f"No race: only {only} may win{''.join(f'; {why}' for why in told)}."


def _nobody(rows: Sequence[RaceRow], strict: bool) -> str:
    """What to say where none may win."""
    measured = [row for row in rows if row.evaluation.ok]
    if not measured:
        return "No race: nothing could be measured."
    if all(row.evaluation.verdict is Verdict.MISMATCH for row in measured):
        return "Nothing that was measured computes what the original computes."
    return f"No winner: {'; '.join(_why_not(row, strict) for row in measured)}."


def _why_not(row: RaceRow, strict: bool) -> str:
    """Why a contestant that was measured may not win, as part of a sentence."""
    performance, verdict = row.evaluation.performance, row.evaluation.verdict
    if verdict is Verdict.MISMATCH:
        return f"{row.label} computes something else (mismatch)"
    if verdict is Verdict.NOT_CHECKED:
        return f"{row.label} was not checked"
    if performance is not None and not performance.is_credible:
        kinds = ", ".join(dict.fromkeys(f.kind for f in performance.flags if f.kind.discredits))
        return f"{row.label} cannot win, as its latency is not credible ({kinds})"
    if strict:
        return f"{row.label} is {verdict}, and --strict lets only matches win"
    return f"{row.label} is {verdict}, which does not win over one that is general"


def _is_faster(one: str, other: str, measured: Measured) -> bool:
    ratio, interval = speedup(measured[other], measured[one])
    return interval is not None and interval.low > 1 and ratio >= LEAST_ADVANTAGE


def _median(samples: Sequence[Samples]) -> float:
    return float(np.median(np.concatenate([s.latencies for s in samples])))


def may_win(verdicts: Sequence[Verdict | None], *, strict: bool = False) -> list[bool]:
    """Which contestants may win, by their verdicts; None for one that something else rules out.

    A specialised build does not win over one that is general. What is only close may win, unless
    ``strict`` asks for trusted verdicts alone.
    """
    if strict:
        return [verdict is not None and verdict.trusted for verdict in verdicts]
    able = [verdict is not None and verdict.may_win for verdict in verdicts]
    general = [
        ok and verdict is not Verdict.SPECIALISED
        for ok, verdict in zip(able, verdicts, strict=True)
    ]
    return general if any(general) else able


def speedup(baseline: Sequence[Samples], other: Sequence[Samples]) -> tuple[float, Interval | None]:
    """How many times as fast the other is: the median over the rounds, and its interval.

    Both ran in every round, so what happens to the machine from one round to the next cancels out.
    """
    # One that lost a process lost all that follow.
    processes = [_ratios(b, o) for b, o in zip(baseline, other, strict=False)]
    middle, interval = _ratio(processes)
    if interval is None or len(processes) > 1 or baseline is other:
        return middle, interval
    return middle, _with_floor(middle, interval)


def _ratio(processes: Sequence[np.ndarray]) -> tuple[float, Interval | None]:
    """The median of the ratios in the rounds of some processes, and what the rounds say of it."""
    ratios = np.concatenate(processes)
    interval = overall_interval(processes)
    if interval is None and len(ratios) >= FEW_ROUNDS:
        interval = Interval(float(ratios.min()), float(ratios.max()))
    return float(np.median(ratios)), interval


def _with_floor(middle: float, interval: Interval) -> Interval:
    """Widened by what two processes differ in anyway, which no number of rounds shows."""
    floor = Z * PROCESS_FLOOR * math.sqrt(2)
    below = math.hypot(math.log(middle / interval.low), floor)
    above = math.hypot(math.log(interval.high / middle), floor)
    return Interval(middle * math.exp(-below), middle * math.exp(above))


def _ratios(baseline: Samples, other: Samples) -> np.ndarray:
    pairs = zip(baseline.rounds(), other.rounds(), strict=False)
    return np.array([np.median(b) / np.median(o) for b, o in pairs])


@dataclass(frozen=True)
class RoundReferee:
    """Ends a race when its question is answered: who wins, and by how much."""

    baseline: int
    """The number of the contestant that all are compared with; it stays to the end."""
    may_win: Sequence[bool]
    """Whether each contestant computes what the original computes."""
    precision: float
    """The half width of a speed-up's interval, relative to it, that is good enough."""

    def rule(self, rounds: Sequence[np.ndarray]) -> Ruling:
        """Who has lost for good, and whether more rounds would tell anything."""
        eligible = [n for n, times in enumerate(rounds) if self.may_win[n] and len(times)]
        if not eligible:
            return Ruling(frozenset(self._known(rounds)))
        leader = min(eligible, key=lambda n: float(np.median(rounds[n])))
        beaten = {n for n in eligible if n != leader and is_beaten(rounds[n], rounds[leader])}
        rivals = {*eligible} - beaten - {leader}
        answered = all(self._is_known(rounds[n], rounds[leader]) for n in rivals)
        answered &= self._is_known(rounds[self.baseline], rounds[leader], BY_HOW_MUCH)
        losers = {*beaten, *self._known(rounds)} - {self.baseline}
        return Ruling(frozenset(losers), answered)

    def _known(self, rounds: Sequence[np.ndarray]) -> Iterator[int]:
        """Those that cannot win and whose speed is known, near enough."""
        for number, times in enumerate(rounds):
            if self.may_win[number] or number == self.baseline:
                continue
            if self._is_known(times, rounds[self.baseline], LOOSE):
                yield number

    def _is_known(self, one: np.ndarray, other: np.ndarray, factor: float = 1.0) -> bool:
        middle, interval = _of_rounds(one, other)
        return interval is not None and interval.half_width <= factor * self.precision * middle


def is_beaten(one: np.ndarray, leader: np.ndarray) -> bool:
    """Whether the medians of the rounds say for good that one is slower than the leader."""
    ratio, interval = _of_rounds(one, leader)
    if interval is None:
        return False
    return _with_floor(ratio, interval).low > 1 and ratio >= LEAST_ADVANTAGE


def _of_rounds(one: np.ndarray, other: np.ndarray) -> tuple[float, Interval | None]:
    """How many times as slow one is, from the medians of the rounds that both have run."""
    common = min(len(one), len(other))
    return _ratio([one[:common] / other[:common]]) if common else (math.nan, None)


@dataclass(frozen=True)
class PerCopy:
    """A referee for contestants that run several copies of the inputs at once."""

    referee: Referee
    batches: Sequence[int]
    """How many copies one run of each contestant is."""

    def rule(self, rounds: Sequence[np.ndarray]) -> Ruling:
        """What the other referee says of the times per copy."""
        return self.referee.rule([r / b for r, b in zip(rounds, self.batches, strict=True)])


@dataclass(frozen=True)
class Elimination:
    """A referee that keeps only those that may still be the fastest."""

    may_win: Sequence[bool]
    """Whether each contestant computes what it should."""
    precision: float
    """The half width of the interval of a ratio, relative to it, that is good enough."""

    def rule(self, rounds: Sequence[np.ndarray]) -> Ruling:
        """Who is slower than the fastest for good, and whether only one is left."""
        eligible = [n for n, t in enumerate(rounds) if self.may_win[n] and len(t)]
        if not eligible or min(len(rounds[n]) for n in eligible) < LEAST_ROUNDS:
            return Ruling()
        leader = min(eligible, key=lambda n: float(np.median(rounds[n])))
        beaten = {n for n, t in enumerate(rounds) if n != leader and _is_out(t, rounds[leader])}
        ruling = RoundReferee(leader, self.may_win, self.precision).rule(rounds)
        losers = {*beaten, *ruling.losers}
        if all(n in losers for n in range(len(rounds)) if n != leader):
            losers.add(leader)  # there is nobody left that it could be compared with
        return Ruling(frozenset(losers), ruling.is_answered)


def _is_out(times: np.ndarray, leader: np.ndarray) -> bool:
    if len(times) < LEAST_ROUNDS:
        return False
    return is_clearly_slower(times, leader) or is_beaten(times, leader)


def is_clearly_slower(times: np.ndarray, leader: np.ndarray) -> bool:
    """Whether all rounds of one are slower than all of the leader by so much that few will do."""
    if min(len(times), len(leader)) < LEAST_ROUNDS:
        return False
    return bool(times.min() > CLEARLY * leader.max())
