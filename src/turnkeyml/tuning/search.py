"""What to try next, and how: a few configurations at a time take turns with the best so far."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.evaluate import Entry, Runner
from turnkeyml.measure import (
    LEAST_ADVANTAGE,
    QUICK_RULE,
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
from turnkeyml.tuning.acceptance import (
    Measured,
    MetricLimit,
    Tolerance,
    limit_of,
    measure_metric,
    why_wrong,
)
from turnkeyml.tuning.space import Space
from turnkeyml.tuning.variants import Rig
from turnkeyml.verify import COSINE

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


@dataclass
class Entrant:
    """A configuration whose process is open."""

    configuration: Configuration
    runner: Runner
    wrong: str | None
    """Why it cannot win; None if it can."""
    metric: float | None
    _stack: contextlib.ExitStack

    @property
    def entry(self) -> Entry:
        assert self.runner.entry is not None
        return self.runner.entry

    def close(self) -> None:
        """End its process."""
        self._stack.close()


class Judge:
    """Decides which configurations are right."""

    def __init__(
        self, tolerance: Tolerance | None = None, metric: str | None = None, drop: float = 0.01
    ) -> None:
        self.tolerance = tolerance
        self._metric = metric
        self._drop = drop
        self._limit: MetricLimit | None = None
        self._known: dict[tuple[str, str], Measured] = {}

    @property
    def in_words(self) -> str:
        """What counts as right."""
        parts = [str(self.tolerance)] if self.tolerance else []
        parts += [f"the metric in {self._metric}"] if self._metric else []
        return " and ".join(parts) or "a trusted verdict"

    def why_wrong(self, entry: Entry) -> str | None:
        """Why the outputs are not right; None if they are, as far as the metric does not tell."""
        if self._metric and self.tolerance is None:
            return None
        return why_wrong(entry.verification, entry.errors, self.tolerance)

    def measure(self, rig: Rig, configuration: Configuration) -> Measured | None:
        """The metric, once for each runtime and precision; None without one.

        The first that is measured is the default, which the others are compared with.
        """
        if self._metric is None:
            return None
        key = configuration.runtime, configuration.precision
        if key not in self._known:
            self._known[key] = measure_metric(self._metric, rig.contestant(configuration))
        if self._limit is None:
            self._limit = limit_of(self._known[key], self._drop)
        return self._known[key]

    def why_too_low(self, found: Measured | None) -> str | None:
        """Why the metric is not good enough; None if it is."""
        return self._limit.why_wrong(found.value) if found and self._limit else None


def enter(
    rig: Rig, configuration: Configuration, judge: Judge, *, is_anchor: bool = False
) -> Entrant | Trial:
    """Load and verify a configuration; the trial instead if there is nothing to be timed.

    What others are compared with is timed even if it is not right.
    """
    failed = TrialStatus.FAILED
    stack = contextlib.ExitStack()
    try:
        contestant = rig.contestant(configuration)
        metric = judge.measure(rig, configuration)
    except TurnkeyError as error:
        return Trial(configuration, failed, str(error))
    runner = Runner(contestant)
    if not runner.enter(stack, 0):
        reason = runner.outcome(QUICK_RULE, rig.device, configuration.threads).evaluation.reason
        return Trial(configuration, failed, reason or "")
    entrant = Entrant(configuration, runner, None, metric.value if metric else None, stack)
    entrant.wrong = judge.why_wrong(entrant.entry) or judge.why_too_low(metric)
    if entrant.wrong and not is_anchor and not _is_worth_timing(entrant, judge):
        entrant.close()
        return described(Trial(configuration, TrialStatus.WRONG, entrant.wrong), entrant)
    return entrant


def described(trial: Trial, entrant: Entrant) -> Trial:
    """A trial with what is known of the outputs of an entrant."""
    entry = entrant.entry
    verdict = entry.verification.verdict if entry.verification else None
    return replace(trial, errors=entry.errors, verdict=verdict, metric=entrant.metric)


def _is_worth_timing(entrant: Entrant, judge: Judge) -> bool:
    """Whether a tolerance may accept what the verdict does not, and a hint is to say its gain."""
    decided = judge.tolerance is not None or entrant.metric is not None
    errors = entrant.entry.errors
    return not decided and errors is not None and errors.cosine >= COSINE


REACH = 1.3
"""How much another number of threads, or arguments, may gain: whatever is slower than the best by
more than this is not looked at any further."""
MOST_CONTENDERS = 3
"""The runtimes with a precision whose threads and arguments are tried."""
NOT_WORSE = 1.01
"""Arguments that take at most this many times as long are combined with others."""


def next_wave(space: Space, trials: Sequence[Trial], most: int) -> list[Configuration]:
    """Up to ``most`` configurations to try next; none if the search is over.

    First every runtime and precision; then of those that are within reach of the best the threads,
    the batches, the arguments one by one and their combinations.
    """
    known = {trial.configuration.label for trial in trials}
    for stage in (_base, _threads, _batches, _arguments, _combinations):
        left = [c for c in stage(space, trials) if c.label not in known]
        if left:
            return list({c.label: c for c in left}.values())[:most]
    return []


def best_of(trials: Sequence[Trial]) -> Trial | None:
    """The fastest that may win; None if there is none."""
    right = [trial for trial in trials if trial.is_right]
    return min(right, key=lambda t: t.relative_time or 0.0, default=None)


def rivals_of(trials: Sequence[Trial], most: int, within: float) -> list[Trial]:
    """The fastest that may win, up to ``most``, within a factor of the best."""
    best = best_of(trials)
    if best is None:
        return []
    near = [t for t in trials if t.is_right and _time(t) <= within * _time(best)]
    return sorted(near, key=_time)[:most]


def _base(space: Space, trials: Sequence[Trial]) -> Iterator[Configuration]:
    """Another number of threads does not make right what is wrong, nor run what fails."""
    hopeless = {
        (t.configuration.runtime, t.configuration.precision)
        for t in trials
        if t.status in (TrialStatus.WRONG, TrialStatus.FAILED)
    }
    for one in space.base():
        if (one.runtime, one.precision) not in hopeless:
            yield one


def _threads(space: Space, trials: Sequence[Trial]) -> Iterator[Configuration]:
    """The numbers of threads next to the best of each contender, until they stop helping."""
    for trial in _contenders(trials):
        one = trial.configuration
        if one.threads not in space.threads:
            continue
        position = space.threads.index(one.threads)
        for threads in space.threads[max(0, position - 1) : position + 2]:
            yield replace(one, threads=threads)


def _arguments(space: Space, trials: Sequence[Trial]) -> Iterator[Configuration]:
    """Each value of each argument alone."""
    for trial in _contenders([t for t in trials if len(t.configuration.arguments) == 0]):
        for name, values in space.arguments[trial.configuration.runtime].items():
            for value in values[1:]:
                yield replace(trial.configuration, arguments={name: value})


def _combinations(space: Space, trials: Sequence[Trial]) -> Iterator[Configuration]:
    """The best of each contender with every other argument that did not hurt by itself, and the
    number of threads next to it."""
    for trial in _contenders(trials):
        one = trial.configuration
        alone = [
            other.configuration.arguments
            for other in trials
            if _is_alone(other, one) and _time(other) <= NOT_WORSE * _plain_time(trials, one)
        ]
        for given in alone:
            if one.arguments and not {*given} & {*one.arguments}:
                yield replace(one, arguments={**one.arguments, **given})
    yield from _threads(space, trials)


def _batches(space: Space, trials: Sequence[Trial]) -> Iterator[Configuration]:
    """The next larger batch of each contender, until it stops helping."""
    for trial in _contenders(trials):
        one = trial.configuration
        if one.batch in space.batches:
            position = space.batches.index(one.batch)
            for batch in space.batches[position : position + 2]:
                yield replace(one, batch=batch)


def _is_alone(trial: Trial, one: Configuration) -> bool:
    """Whether a trial differs from the plain form of a configuration in one argument."""
    other = trial.configuration
    same = (other.runtime, other.precision, other.batch) == (one.runtime, one.precision, one.batch)
    return trial.is_right and same and len(other.arguments) == 1


def _plain_time(trials: Sequence[Trial], one: Configuration) -> float:
    """The time of the same runtime and precision without any arguments."""
    plain = [
        _time(t)
        for t in trials
        if t.is_right
        and not t.configuration.arguments
        and (t.configuration.runtime, t.configuration.precision) == (one.runtime, one.precision)
    ]
    return min(plain, default=0.0)


def _contenders(trials: Sequence[Trial]) -> list[Trial]:
    """The best trial of each runtime and precision within reach of the best of all."""
    best: dict[tuple[str, str], Trial] = {}
    for trial in sorted((t for t in trials if t.is_right), key=_time):
        key = trial.configuration.runtime, trial.configuration.precision
        best.setdefault(key, trial)
    found = list(best.values())
    return [t for t in found if _time(t) <= REACH * _time(found[0])][:MOST_CONTENDERS]


def _time(trial: Trial) -> float:
    return trial.relative_time or 0.0
