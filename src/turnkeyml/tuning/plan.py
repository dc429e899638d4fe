"""What to try next, from what is known so far. No clock, no process: it can be replayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from turnkeyml.nouns import Configuration, Trial, TrialStatus
from turnkeyml.tuning.space import Space

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
