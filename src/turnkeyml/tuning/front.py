"""Which configurations are worth knowing: none of the others is as good in everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from turnkeyml.nouns import Trial


@dataclass(frozen=True)
class _Figure:
    """Something of which less is better."""

    value: float
    margin: float
    """The factor below which two values are the same."""

    def is_better(self, other: _Figure) -> bool:
        return self.value * self.margin < other.value


def with_front(trials: Sequence[Trial]) -> list[Trial]:
    """The trials, with those marked that no other one beats in time, throughput, errors and memory.

    Differences below a margin do not count, so that chance puts nothing on the front.
    """
    right = [t for t in trials if t.is_right]
    front = {t.configuration.label for t in right if not any(_dominates(o, t) for o in right)}
    return [replace(t, on_front=t.configuration.label in front) for t in trials]


def _dominates(one: Trial, other: Trial) -> bool:
    """Whether one is as good in everything, and better in something; of two that are the same in
    everything the faster one."""
    if one is other:
        return False
    pairs = list(zip(_figures(one), _figures(other), strict=True))
    if any(theirs.is_better(ours) for ours, theirs in pairs):
        return False
    better = any(ours.is_better(theirs) for ours, theirs in pairs)
    return better or (one.relative_time or 0.0) < (other.relative_time or 0.0)


def _figures(trial: Trial) -> list[_Figure]:
    """The time of a run and per copy of the inputs, the errors and the memory.

    The times are relative to the default's, as medians of different moments do not compare.
    """
    errors = trial.errors.relative if trial.errors else 0.0
    per_copy = trial.relative_time or 0.0
    return [
        _Figure(per_copy * trial.configuration.batch, 1.02),
        _Figure(per_copy, 1.02),
        _Figure(max(errors, 1e-6), 2.0),
        _Figure(float(trial.peak_memory_bytes or 0), 1.05),
    ]
