"""A few configurations take turns with the best so far; who is slower drops out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from turnkeyml.errors import describe
from turnkeyml.measure import (
    LEAST_ADVANTAGE,
    Elimination,
    Interval,
    PerCopy,
    Rule,
    Samples,
    is_clearly_slower,
    median_interval,
    sample,
    speedup,
)
from turnkeyml.nouns import Configuration, Trial, TrialStatus
from turnkeyml.tuning.entrants import Entrant, described

SECONDS = 2.0
"""The most that each contestant may take in a wave, on average."""
ALONE_SECONDS = 0.5
"""For the default, if nothing can be raced with it."""
RULE = Rule(
    name="tune",
    least_runs=3,
    least_seconds=0.1,
    precision=0.02,
    cap_seconds=3.0,
    warmup_runs=2,
    warmup_seconds=0.1,
    warmup_cap_seconds=2.0,
    warmup_restless_seconds=0.5,
)
MILLISECOND = 1e6
"""In nanoseconds."""


@dataclass(frozen=True)
class Advantage:
    """How many times as fast as another a configuration is, per copy of the inputs."""

    ratio: float
    interval: Interval | None

    @property
    def is_clear(self) -> bool:
        """Whether it is faster for good."""
        known = self.interval is not None and self.interval.low > 1
        return known and self.ratio >= LEAST_ADVANTAGE


def race(entrants: Sequence[Entrant], anchor_time: float, seconds: float) -> list[Trial]:
    """One trial for each entrant; the first is the anchor, whose relative time is known.

    It ends when only one is left that may be the fastest, or after so many seconds.
    """
    rule = replace(RULE, race_seconds=max(1.0, seconds))
    if len(entrants) == 1:
        rule = replace(rule, cap_seconds=ALONE_SECONDS)
    referee = PerCopy(
        Elimination([e.wrong is None for e in entrants], rule.precision),
        [e.configuration.batch for e in entrants],
    )
    found = sample([e.entry.meter for e in entrants], rule, referee=referee)
    anchor = entrants[0], found[0]
    pairs = zip(entrants, found, strict=True)
    return _with_losers([_trial(one, samples, anchor, anchor_time) for one, samples in pairs])


def advantage(
    one: Configuration, samples: Samples, other: Configuration, others: Samples
) -> Advantage:
    """How many times as fast as the other the one is."""
    ratio, interval = speedup([others], [samples])
    interval = interval or _clear_range(samples, others)
    factor = one.batch / other.batch
    if interval is not None:
        interval = Interval(interval.low * factor, interval.high * factor)
    return Advantage(ratio * factor, interval)


def _clear_range(one: Samples, other: Samples) -> Interval | None:
    """The range of the ratios of too few rounds for an interval; None unless they are clear."""
    ours, theirs = (np.array([np.median(r) for r in s.rounds()]) for s in (one, other))
    common = min(len(ours), len(theirs))
    if not is_clearly_slower(theirs[:common], ours[:common]):
        return None
    ratios = theirs[:common] / ours[:common]
    return Interval(float(ratios.min()), float(ratios.max()))


def _trial(
    entrant: Entrant,
    samples: Samples | BaseException,
    anchor: tuple[Entrant, Samples | BaseException],
    anchor_time: float,
) -> Trial:
    one = entrant.configuration
    if isinstance(samples, BaseException):
        return Trial(one, TrialStatus.FAILED, describe(samples))
    median = float(np.median(samples.latencies))
    interval = median_interval(samples.latencies)
    status = TrialStatus.OPEN if entrant.wrong is None else TrialStatus.WRONG
    trial = Trial(
        one,
        status,
        entrant.wrong or "",
        latency=median / MILLISECOND,
        latency_low=interval.low / MILLISECOND if interval else None,
        latency_high=interval.high / MILLISECOND if interval else None,
        throughput=one.batch * 1e9 / median,
        relative_time=_relative_time(one, samples, anchor, anchor_time),
        peak_memory_bytes=entrant.entry.costs().peak_memory_bytes,
    )
    return described(trial, entrant)


def _relative_time(
    one: Configuration,
    samples: Samples,
    anchor: tuple[Entrant, Samples | BaseException],
    anchor_time: float,
) -> float | None:
    """The time over that of the default, by way of the anchor; None if that failed."""
    base = anchor[1]
    if isinstance(base, BaseException):
        return None
    return anchor_time / advantage(one, samples, anchor[0].configuration, base).ratio


def _with_losers(trials: list[Trial]) -> list[Trial]:
    """Trials that say which of them are slower than the fastest that may win."""
    right = [n for n, trial in enumerate(trials) if trial.is_right]
    if not right:
        return trials
    best = min(right, key=lambda n: trials[n].relative_time or 0.0)
    return [
        _beaten(trial, trials[best]) if n in right and n != best else trial
        for n, trial in enumerate(trials)
    ]


def _beaten(trial: Trial, best: Trial) -> Trial:
    assert trial.relative_time is not None
    assert best.relative_time is not None
    times = trial.relative_time / best.relative_time
    if times < LEAST_ADVANTAGE:
        return trial
    reason = f"{times:.3g} times as slow as {best.configuration.label}"
    return replace(trial, status=TrialStatus.BEATEN, reason=reason)
