"""Decide when to stop warming up and when to stop measuring.

No clock: what is decided here can be tried on any series of numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from turnkeyml.measure.statistics import correlation_time, drift, median_interval
from turnkeyml.nouns import StopReason

STEADY = 0.01
"""A warm-up is over when its last two stretches differ by less than this, or than their noise."""

GROWTH = 1.1
"""The rule looks again when there are this many times as many samples as when it last looked."""

HINT = 1.5
"""Standard errors of change from the first to the last third that make us measure on: a drift that
is there will show, and one that is not will fade."""

LEAST_HINT = 0.0025
"""A smaller change, however sure, is of no consequence."""

HINT_SHARE = 1 / 3
"""Of the cap, for how long a mere hint keeps us measuring."""

LEAST_INDEPENDENT = 30
"""Runs that are independent of each other, fewer of which do not tell how much they depend."""

SETTLED_LOOKS = 5
SETTLED = 0.05
"""The noise has settled when it was the same, within this much, the last few times we looked."""

RESTLESS_SHARE = 0.25
"""Of the cap, after which noise that does not settle may end the measurement."""
RESTLESS_LOOKS = 3
WAVE_SECONDS = 0.2
"""Runs that depend on each other for longer than this show waves, and not just noise."""
FAR_OFF = 2.0
"""Times the cap: where the precision was further away than this each time we looked, more runs of
the same kind do not help."""


@dataclass(frozen=True)
class Rule:
    """How long to warm up and how long to measure. Times are in seconds of one process."""

    name: str = "default"
    iterations: int | None = None
    """Exactly so many timed runs; otherwise as many as the rest of the rule asks for."""
    least_runs: int = 100
    least_seconds: float = 2.0
    precision: float = 0.01
    """The half width of the 95% interval of the median, relative to it, that is good enough."""
    cap_seconds: float = 30.0
    processes: int = 1
    warmup_runs: int = 5
    warmup_seconds: float = 0.5
    warmup_most_runs: int = 1_000_000
    warmup_cap_seconds: float = 15.0
    warmup_restless_seconds: float = 3.0
    """After which only a warm-up that gets faster, or slower, goes on; one that wavers does not."""
    pause_seconds: float = 0.0
    """The most that is spent on waiting for other load to pass."""
    placement_seconds: float = 0.0
    """The most that each process spends on bringing processors together that a hypervisor has moved
    apart."""
    race_seconds: float | None = None
    """The most for the rounds of a race, pauses included. A race with such a limit asks only who
    wins, and by how much; without one each contestant is measured as if it were alone."""
    budget_seconds: float | None = None
    """What a user is willing to spend on the timed runs of all processes; see ``within``."""

    @classmethod
    def exactly(cls, iterations: int) -> Rule:
        """So many timed runs; whoever says how many wants no more than is needed before them."""
        return cls(name="iterations", iterations=iterations, warmup_seconds=0.2)

    def within(self, seconds: float) -> Rule:
        """The same, with so many seconds to spend on the timed runs of all processes.

        Whoever gives more time wants it used: only the precision, or noise that is known so well
        that the time will not do, ends it before. Pauses come on top, a quarter of it at most,
        except in a race.
        """
        share = seconds / self.processes
        return replace(
            self,
            least_seconds=min(self.least_seconds, share),
            cap_seconds=share,
            pause_seconds=share / 4,
            placement_seconds=min(self.placement_seconds, share / 4),
            race_seconds=share,
            budget_seconds=seconds,
        )


DEFAULT_RULE = Rule(pause_seconds=10.0, race_seconds=40.0)
QUICK_RULE = Rule(
    name="quick",
    least_runs=10,
    least_seconds=0.1,
    precision=0.05,
    cap_seconds=3.0,
    warmup_runs=2,
    warmup_seconds=0.1,
    warmup_cap_seconds=3.0,
    warmup_restless_seconds=1.0,
    race_seconds=12.0,
)
RIGOROUS_RULE = Rule(
    name="rigorous",
    least_runs=140,
    cap_seconds=120.0,
    processes=5,
    pause_seconds=30.0,
    placement_seconds=15.0,
)
"""Five processes of at least 140 samples: more than the 662 that a p99 needs."""


def is_steady(times: np.ndarray) -> bool:
    """Whether a warm-up has stopped changing: its last two quarters agree."""
    if len(times) < 2:
        return True  # one run tells nothing, least of all that it is not
    quarter = max(1, len(times) // 4)
    earlier, later = times[-2 * quarter : -quarter], times[-quarter:]
    before, after = float(np.median(earlier)), float(np.median(later))
    noise = [median_interval(part) for part in (earlier, later)]
    tolerance = math.hypot(*(i.half_width if i else 0.0 for i in noise))
    return abs(after - before) <= max(STEADY * before, tolerance)


def is_moving(times: np.ndarray) -> bool:
    """Whether a warm-up still goes in one direction: each of its quarters differs from the one
    before by more than a little, all of them the same way."""
    quarter = len(times) // 4
    if not quarter:
        return True
    medians = np.array([np.median(part) for part in np.split(times[-4 * quarter :], 4)])
    steps = np.diff(medians) / medians[:-1]
    return bool((steps > STEADY).all() or (steps < -STEADY).all())


@dataclass
class Stopping:
    """Decides when a measurement may stop, and why."""

    rule: Rule
    before: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """The latencies right before the timed ones, which help to see a drift."""
    _looked_at: int = 0
    _noise: list[float] = field(default_factory=list)
    _far_off: int = 0

    def is_due(self, samples: int, runs: int, seconds: float) -> bool:
        """Whether it is time to look; every time would cost more than it tells."""
        rule = self.rule
        if rule.iterations is not None:
            return runs >= rule.iterations
        enough = runs >= rule.least_runs and seconds >= rule.least_seconds
        return seconds >= rule.cap_seconds or (enough and samples >= GROWTH * self._looked_at)

    def reason(self, latencies: np.ndarray, runs: int, seconds: float) -> StopReason | None:
        """Return why to stop now, or None to go on."""
        rule = self.rule
        if rule.iterations is not None:
            return StopReason.COUNT if runs >= rule.iterations else None
        self._looked_at = len(latencies)
        correlation = correlation_time(latencies)
        width = relative_half_width(latencies, correlation)
        independent = min(LEAST_INDEPENDENT, rule.least_runs)
        known = len(latencies) >= independent * correlation or width <= rule.precision / 3
        if width <= rule.precision and runs >= rule.least_runs and known:
            return None if self._may_drift(latencies, seconds) else StopReason.PRECISE
        if seconds >= rule.cap_seconds:
            return StopReason.CAP
        # Both look each time: they remember what they saw.
        hopeless = self._hopeless(width, len(latencies), seconds)
        if not self._is_far_off(width, seconds) and not hopeless:
            return None
        wave = correlation * seconds / len(latencies)
        bursts = correlation > 2 and wave > WAVE_SECONDS
        return StopReason.RESTLESS if bursts else StopReason.SETTLED

    def _may_drift(self, latencies: np.ndarray, seconds: float) -> bool:
        """Whether a drift may be hidden in what is precise so far, and there is time to see."""
        if seconds >= HINT_SHARE * self.rule.cap_seconds or drift(latencies).significant:
            return False
        change = drift(np.concatenate([self.before, latencies]))
        return abs(change.deviations) > HINT and abs(change.relative) > LEAST_HINT

    def _hopeless(self, width: float, count: int, seconds: float) -> bool:
        """Whether the noise is known well, and with it that the cap comes before the precision."""
        if not math.isfinite(width):
            return False
        self._noise = [*self._noise, width * math.sqrt(count)][-SETTLED_LOOKS:]
        if len(self._noise) < SETTLED_LOOKS:
            return False
        settled = max(self._noise) <= (1 + SETTLED) * min(self._noise)
        needed = seconds * (width / self.rule.precision) ** 2
        return settled and needed > self.rule.cap_seconds

    def _is_far_off(self, width: float, seconds: float) -> bool:
        """Whether the precision stays far off, so that there is nothing to wait for."""
        rule = self.rule
        if rule.budget_seconds is not None or seconds < RESTLESS_SHARE * rule.cap_seconds:
            return False
        needed = seconds * (width / rule.precision) ** 2
        self._far_off = self._far_off + 1 if needed > FAR_OFF * rule.cap_seconds else 0
        return self._far_off >= RESTLESS_LOOKS


def relative_half_width(latencies: np.ndarray, correlation: float | None = None) -> float:
    """Of the interval of the median; infinite where there is none yet."""
    interval = median_interval(latencies, correlation=correlation)
    median = float(np.median(latencies))
    return interval.half_width / median if interval and median else math.inf
