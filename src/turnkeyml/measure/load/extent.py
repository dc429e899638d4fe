"""How long to keep up a load."""

from __future__ import annotations

import math
from dataclasses import dataclass

from turnkeyml.measure.statistics import SAMPLES_NEEDED
from turnkeyml.measure.stopping import Rule

CONFIRMING_TRIES = 2
"""Rates that a search tries after it has come close."""


@dataclass(frozen=True)
class Extent:
    """How many requests and how many seconds a load is kept up for."""

    requests: int
    """At least, unless ``most_seconds`` come first."""
    seconds: float
    """At least."""
    most_seconds: float
    resolution: float
    """How close the search for a rate comes to the boundary, relative to the rate."""
    exactly: int | None = None
    """Exactly so many requests, whatever that takes."""
    is_budget: bool = False
    """Whether the seconds are for all that a search tries, and not for each load."""
    search_seconds: float = math.inf
    """After which a search that has found a rate comes no closer to the boundary."""

    def count_at(self, rate: float) -> int:
        """How many requests to schedule at a rate."""
        if self.exactly is not None:
            return self.exactly
        seconds = min(max(self.seconds, self.requests / rate), self.most_seconds)
        return max(1, math.ceil(rate * seconds))

    def goes_on(self, sent: int, nanoseconds: int) -> bool:
        """Whether clients that wait for their answers send another request."""
        if self.exactly is not None:
            return sent < self.exactly
        seconds = nanoseconds / 1e9
        return seconds < self.seconds or (sent < self.requests and seconds < self.most_seconds)

    def for_percentile(self, percentile: int) -> Extent:
        """The same for each rate of a search, but with as many requests as tell a percentile, and
        the time that they take."""
        needed = max(self.requests, SAMPLES_NEEDED[percentile])
        tries = math.ceil(math.log2(1 / self.resolution)) + CONFIRMING_TRIES
        if not self.is_budget:
            return Extent(needed, self.seconds, math.inf, self.resolution, self.exactly)
        whole = self.seconds
        return Extent(needed, whole / tries, math.inf, self.resolution, search_seconds=whole)


DEFAULT = Extent(1_000, 10.0, 60.0, 0.05)
QUICK = Extent(SAMPLES_NEEDED[95], 2.0, 10.0, 0.1)
RIGOROUS = Extent(10_000, 60.0, 300.0, 0.02)


def extent_of(rule: Rule) -> Extent:
    """How long the rule of a measurement keeps up each load."""
    base = {"quick": QUICK, "rigorous": RIGOROUS}.get(rule.name, DEFAULT)
    if rule.iterations is not None:
        return Extent(rule.iterations, 0.0, math.inf, base.resolution, rule.iterations)
    if rule.budget_seconds is not None:
        seconds = rule.budget_seconds
        return Extent(0, seconds, seconds, base.resolution, is_budget=True)
    return base
