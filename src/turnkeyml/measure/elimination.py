"""Rounds in which whoever is slower drops out as soon as that is known.

A race asks by how much the winner wins. Where many are tried, it matters only who may still be the
best, so that the time goes to those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure.race import RoundReferee, is_beaten
from turnkeyml.measure.sampler import Referee, Ruling

LEAST_ROUNDS = 3
CLEARLY = 1.2
"""Whoever takes this many times as long in its best round as the leader in its worst one is slower,
with fewer rounds than an interval needs."""


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
