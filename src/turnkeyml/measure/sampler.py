"""One sampler for every runtime: the same warm-up, the same rule for when to stop.

Several contestants are measured in rounds, each for a moment in every round, so that whatever
happens on the machine happens to all of them. One alone is a race without opponents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure.meter import Meter, Slice, WarmUp
from turnkeyml.measure.rules import Rule, Stopping
from turnkeyml.system.activity import Activity

__all__ = ["Samples", "sample"]

SLICE_SECONDS = 0.1
RECOVERY_SECONDS = 0.01
"""Runs right before timing, as whatever came between leaves the caches with other things."""
LEAST_ROUNDS = 20
"""So that the rounds of a race can be compared with each other."""


@dataclass(frozen=True)
class Samples:
    """What was timed in one process, in nanoseconds; nothing is left out."""

    timed: np.ndarray
    """The samples in the order in which they were taken, each of ``block`` runs."""
    block: int
    slices: tuple[int, ...]
    """How many of them were taken in each round."""
    walls: tuple[int, ...]
    """Nanoseconds from the first to the last run of each round."""
    warmup: np.ndarray
    steady: bool
    stopped: str
    timer: float
    empty_call: float
    activities: tuple[Activity, ...] = ()
    """What else went on, from the warm-up on."""

    @property
    def latencies(self) -> np.ndarray:
        """Nanoseconds of one run, a sample each."""
        return self.timed / self.block

    @property
    def runs(self) -> int:
        return len(self.timed) * self.block

    @property
    def seconds(self) -> float:
        """Wall time of the timed runs."""
        return sum(self.walls) / 1e9

    def rounds(self) -> list[np.ndarray]:
        """The latencies of each round."""
        return np.split(self.latencies, np.cumsum(self.slices)[:-1])


def sample(
    meters: Sequence[Meter], rule: Rule, on_estimate: Callable[[float], None] | None = None
) -> list[Samples | BaseException]:
    """Measure all of them by one rule. One that fails costs the others nothing.

    ``on_estimate`` hears once how many seconds it takes at least.
    """
    least = LEAST_ROUNDS if len(meters) > 1 else 1
    contestants = [_Contestant(meter, rule, least) for meter in meters]
    if on_estimate:
        on_estimate(sum(c.estimate() for c in contestants))
    number = 0
    while not all(c.is_done(number) for c in contestants):
        turn = number % len(contestants)
        for contestant in contestants[turn:] + contestants[:turn]:
            contestant.play(number)
        number += 1
    return [c.samples() for c in contestants]


_COLD = WarmUp(np.zeros(1), steady=False, block=1, timer=0.0, empty_call=0.0)


class _Contestant:
    """One meter on its way to a result."""

    def __init__(self, meter: Meter, rule: Rule, least_rounds: int) -> None:
        self._meter = meter
        self._rule = rule
        self._least_rounds = least_rounds
        self._stopping = Stopping(rule)
        self._slices: list[Slice] = []
        self._count = 0
        self._failure: BaseException | None = None
        self._seconds = 0.0
        self._stopped: str | None = None
        self._warm: WarmUp = _COLD
        with self._failing():
            self._warm = meter.warm_up(rule)
            if self._warm.block == 1:  # otherwise they were timed in another way
                self._stopping.before = self._warm.times[len(self._warm.times) // 2 :]

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Whatever goes wrong ends this contestant's race, and no other's."""
        try:
            yield
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it goes to whoever asked
            self._failure, self._stopped = error, "failed"

    def estimate(self) -> float:
        """Seconds that the timed runs take at least."""
        if self._failure is not None:
            return 0.0
        rule, one = self._rule, self._warm.typical / 1e9
        if rule.iterations is not None:
            return rule.iterations * one
        return min(rule.cap_seconds, max(rule.least_seconds, rule.least_runs * one))

    def is_done(self, rounds: int) -> bool:
        """Whether there is nothing more to do after so many rounds."""
        return self._is_out or (self._stopped is not None and rounds >= self._least_rounds)

    @property
    def _is_out(self) -> bool:
        """A contestant that has enough goes on with the others; one at its limit does not."""
        return self._stopped in ("cap", "count", "failed")

    def play(self, rounds: int) -> None:
        """Take part in a round, after so many others."""
        if self._is_out:
            return
        with self._failing():
            samples = self._next(rounds)
            self._add(self._meter.take(samples, self._warm.block, self._recovery()))

    def _add(self, part: Slice) -> None:
        self._slices.append(part)
        self._count += len(part.times)
        self._seconds += max(part.wall / 1e9, part.activity.seconds)  # preparation takes time too
        runs = self._count * self._warm.block
        if self._stopping.is_due(self._count, runs, self._seconds):
            self._stopped = self._stopping.reason(self._latencies(), runs, self._seconds)

    def _recovery(self) -> int:
        """Runs that do not count; where others have run in between, at least one."""
        fitting = int(RECOVERY_SECONDS * 1e9 / max(1.0, self._warm.typical))
        return max(fitting, int(self._least_rounds > 1))

    def _next(self, rounds: int) -> int:
        """How many samples to take in the next round."""
        typical = max(1.0, self._warm.typical * self._warm.block)
        fitting = max(1, int(SLICE_SECONDS * 1e9 / typical))
        if self._rule.iterations is None:
            return fitting
        left = self._rule.iterations - self._count
        rounds_left = self._least_rounds - rounds
        return min(left, fitting if rounds_left <= 1 else math.ceil(left / rounds_left))

    def _latencies(self) -> np.ndarray:
        return np.concatenate([s.times for s in self._slices]) / self._warm.block

    def samples(self) -> Samples | BaseException:
        """What was measured, or what went wrong."""
        if self._failure is not None:
            return self._failure
        return Samples(
            timed=np.concatenate([s.times for s in self._slices]),
            block=self._warm.block,
            slices=tuple(len(s.times) for s in self._slices),
            walls=tuple(s.wall for s in self._slices),
            warmup=self._warm.times,
            steady=self._warm.steady,
            stopped=self._stopped or "count",
            timer=self._warm.timer,
            empty_call=self._warm.empty_call,
            activities=(self._warm.activity, *(s.activity for s in self._slices)),
        )
