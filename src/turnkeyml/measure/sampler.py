"""Sample every runtime in the same way: rounds in turns, until a rule says stop.

Several contestants are measured in rounds, each for a moment in every round, so that whatever
happens on the machine happens to all of them. One alone is a race without opponents. A ``Series``
is the samples of one contestant so far: how much it is asked for, what counts, and when it ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from turnkeyml.measure.interference import WINDOW_SECONDS, Interference
from turnkeyml.measure.meter import Meter, Samples, Slice, WarmUp
from turnkeyml.measure.stopping import GROWTH, Rule, Stopping
from turnkeyml.nouns import StopReason
from turnkeyml.system import Activity, allowed_processors

LEAST_ROUNDS = 20
"""So that the rounds of a race can be compared with each other."""

LEAST_QUIET = 1 / 3
"""Of the time: where less of it is quiet, everything counts, since waiting is of no use."""

SLICE_SECONDS = 0.1
SLICE_ALONE_SECONDS = 0.25
"""How long a turn takes; without opponents there is less reason to interrupt the runs."""
RECOVERY_SECONDS = 0.01
"""Runs right before timing, as whatever came between leaves the caches with other things."""
SETTLING_SECONDS = 0.004
"""For each processor: it takes so long until threads that were stopped run well again. On 16
processors runs were slower by 5% in the first 30 ms and by 1.5% in the next 30."""
MOST_SETTLING_SECONDS = 0.1
LEAST_ACTIVITY_SECONDS = 1.0
"""The counters of the kernel are coarse: over less than this the warm-up helps to tell what else
went on. Otherwise it does not matter, as its runs do not count."""
LONG_RUN_SECONDS = 0.05
"""A run that takes longer does not notice what we do between two turns."""

WARMING, TIMING, PAUSING = "warming", "timing", "pausing"
"""What a measurement may be doing; when it pauses, it waits for other load to pass."""

NOTHING = Activity(0.0, 0.0, 0.0, 0.0, 0.0)
_COLD = WarmUp(np.zeros(1), steady=False, block=1, timer=0.0, empty_call=0.0)


@dataclass(frozen=True)
class SamplingProgress:
    """How far a measurement is."""

    seconds: float
    """That the timed runs and the pauses have taken so far."""
    contestants: int
    """That are still measured."""
    doing: str = TIMING


@dataclass(frozen=True)
class Ruling:
    """What the rounds of a race tell so far."""

    losers: frozenset[int] = frozenset()
    """Contestants, by number, that cannot win any more."""
    is_answered: bool = False
    """Whether it is known who wins and by how much, or that more rounds would not tell."""


class Referee(Protocol):
    """Whoever knows what a race is about."""

    def rule(self, rounds: Sequence[np.ndarray]) -> Ruling:
        """Decide by the median of each round, for each contestant."""


def sample(
    meters: Sequence[Meter],
    rule: Rule,
    on_estimate: Callable[[float], None] | None = None,
    *,
    on_progress: Callable[[SamplingProgress], None] | None = None,
    referee: Referee | None = None,
    interference: Interference | None = None,
) -> list[Samples | BaseException]:
    """Measure all of them by one rule. One that fails costs the others nothing.

    ``on_estimate`` hears once how many seconds it takes at least, ``on_progress`` after each round
    how far it is. The ``referee`` ends a race that has a limit as soon as its question is answered;
    ``interference`` lets the rounds wait for a quiet moment.
    """
    least = LEAST_ROUNDS if len(meters) > 1 else 1
    if len(meters) > 1:
        for meter in meters:
            meter.rest()
    contestants = []
    for meter in meters:
        if on_progress:
            on_progress(SamplingProgress(0.0, len(meters), WARMING))
        contestants.append(Series(meter, rule, least))
    if on_estimate:
        on_estimate(sum(c.estimate() for c in contestants))
    if rule.iterations is not None:  # so many runs, come what may
        referee = interference = None
    race = _Race(contestants, rule, on_progress, referee, interference)
    race.run()
    return [c.samples(race.paused_seconds) for c in contestants]


@dataclass
class _Race:
    """The rounds of some contestants until there is nothing more to learn."""

    contestants: list[Series]
    rule: Rule
    on_progress: Callable[[SamplingProgress], None] | None
    referee: Referee | None
    interference: Interference | None
    _number: int = 0
    _judged: int = 0
    _window: Activity = NOTHING
    """What went on since it was last decided whether rounds count."""
    _quiet_seconds: float = 0.0
    _disturbed_seconds: float = 0.0

    @property
    def paused_seconds(self) -> float:
        return self.interference.paused_seconds if self.interference else 0.0

    def run(self) -> None:
        while not self._is_over():
            turn = self._number % len(self.contestants)
            for contestant in self.contestants[turn:] + self.contestants[:turn]:
                self._window += contestant.play(self._number)
            self._number += 1
            self._take_in()
            self._ask_referee()
            self._tell()

    def _is_over(self) -> bool:
        return all(c.is_done(self._number) for c in self.contestants)

    def _take_in(self) -> None:
        """Let the latest rounds count, or set them aside and wait for a quiet moment."""
        if self.interference is None or not self.interference.most_seconds or self._is_hopeless():
            self._count_all()
            return
        if self._window.seconds < WINDOW_SECONDS:
            return
        if not self.interference.is_disturbed(self._window):
            self._quiet_seconds += self._window.seconds
            self._count_all()
            return
        self._disturbed_seconds += self._window.seconds
        self._window = NOTHING
        for contestant in self.contestants:
            contestant.set_aside()
        if not self.interference.is_over:
            self._tell(PAUSING)
            self.interference.wait_until_quiet()
        if self._is_hopeless():  # what was measured counts
            for contestant in self.contestants:
                contestant.restore()

    def _is_hopeless(self) -> bool:
        """Whether the time for waiting is used up and there is little quiet to be had."""
        assert self.interference is not None
        everything = self._quiet_seconds + self._disturbed_seconds
        return self.interference.is_over and self._quiet_seconds < LEAST_QUIET * everything

    def _count_all(self) -> None:
        self._window = NOTHING
        for contestant in self.contestants:
            contestant.count()

    def _ask_referee(self) -> None:
        """Whoever has lost drops out; when the question is answered, or the time over, all do."""
        limit = self.rule.race_seconds
        if len(self.contestants) < 2 or limit is None or self.rule.iterations is not None:
            return
        if self._seconds >= limit:
            self._end_all(StopReason.TIME)
        counted = max(c.rounds for c in self.contestants)
        if self.referee is None or counted < GROWTH * self._judged:
            return
        self._judged = counted
        ruling = self.referee.rule([c.round_medians() for c in self.contestants])
        for number in ruling.losers:
            self.contestants[number].end(StopReason.LOST)
        enough = all(c.has_least() for c in self.contestants if not c.is_out)
        if ruling.is_answered and counted >= LEAST_ROUNDS and enough:
            self._end_all(StopReason.ANSWERED)

    def _end_all(self, reason: StopReason) -> None:
        for contestant in self.contestants:
            contestant.end(reason)

    @property
    def _seconds(self) -> float:
        return sum(c.seconds for c in self.contestants) + self.paused_seconds

    def _tell(self, doing: str = TIMING) -> None:
        if self.on_progress:
            left = sum(not c.is_out for c in self.contestants)
            self.on_progress(SamplingProgress(self._seconds, left, doing))


class Series:
    """One meter that takes part in rounds, alone or against others."""

    def __init__(self, meter: Meter, rule: Rule, least_rounds: int) -> None:
        self._meter = meter
        self._rule = rule
        self._least_rounds = least_rounds
        self._stopping = Stopping(rule)
        self._latest: dict[int, Slice] = {}
        self._counted: dict[int, Slice] = {}
        self._aside: dict[int, Slice] = {}
        """Slices by the number of their round: taken, found to count, or found not to."""
        self._failure: BaseException | None = None
        self._stopped: StopReason | None = None
        self._warm: WarmUp = _COLD
        self.seconds = 0.0
        """That its turns have taken, whether they count or not."""
        self._waited_seconds = 0.0
        self.is_out = False
        """A contestant that has enough goes on with the others; one at its limit does not."""
        with self._failing():
            self._warm = meter.warm_up(rule)
            self._rest()
            if self._warm.block == 1:  # otherwise they were timed in another way
                self._stopping.before = self._warm.times[len(self._warm.times) // 2 :]

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Whatever goes wrong ends this contestant's race, and no other's."""
        try:
            yield
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it goes to whoever asked
            self._failure = error
            self.end(StopReason.FAILED)

    def end(self, reason: StopReason) -> None:
        """Take no further part; what it has reached already stays the reason."""
        if not self.is_out:
            self.is_out = True
            self._stopped = self._stopped or reason

    @property
    def _has_opponents(self) -> bool:
        return self._least_rounds > 1

    def _rest(self) -> None:
        if self._has_opponents:
            self._meter.rest()

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
        return self.is_out or (self._stopped is not None and rounds >= self._least_rounds)

    @property
    def rounds(self) -> int:
        """How many of them count."""
        return len(self._counted)

    def round_medians(self) -> np.ndarray:
        """Nanoseconds of one run, for each round that counts."""
        return np.array([np.median(s.times) for s in self._counted.values()]) / self._warm.block

    def has_least(self) -> bool:
        """Whether it has run as long as the rule asks for at least."""
        return self._counted_seconds() >= min(self._rule.least_seconds, self._rule.cap_seconds)

    def play(self, number: int) -> Activity:
        """Take part in the round of that number; what else went on meanwhile."""
        if self.is_out:
            return NOTHING
        with self._failing():
            part = self._meter.take(self._next(number), self._warm.block, self._recovery())
            self._rest()
            self.seconds += _seconds(part)
            self._waited_seconds += part.waited
            self._latest[number] = part
            return part.activity
        return NOTHING

    def count(self) -> None:
        """Let the latest rounds count, and see whether they are enough."""
        if not self._latest:
            return
        self._counted.update(self._latest)
        self._latest = {}
        samples, seconds = self._count(self._counted), self._counted_seconds()
        runs = samples * self._warm.block
        if self._stopping.is_due(samples, runs, seconds) and not self.is_out:
            self._stopped = self._stopping.reason(self._latencies(), runs, seconds)
            self.is_out = self._stopped in (StopReason.CAP, StopReason.COUNT)

    def set_aside(self) -> None:
        """Let the latest rounds not count; what they took is spent all the same."""
        self._aside.update(self._latest)
        self._latest = {}
        if self.seconds >= self._rule.cap_seconds:
            self.end(StopReason.CAP)

    def restore(self) -> None:
        """Let all count that was set aside."""
        self._latest = dict(sorted({**self._aside, **self._latest}.items()))
        self._aside = {}
        self.count()
        self._counted = dict(sorted(self._counted.items()))

    @staticmethod
    def _count(slices: dict[int, Slice]) -> int:
        return sum(len(s.times) for s in slices.values())

    def _counted_seconds(self) -> float:
        return sum(map(_seconds, self._counted.values()))

    def _recovery(self) -> int:
        """Runs that do not count; where others have run in between, at least one."""
        typical = max(1.0, self._warm.typical) / 1e9
        least = int(self._has_opponents or typical < LONG_RUN_SECONDS)
        seconds = settling_seconds() if self._has_opponents else RECOVERY_SECONDS
        return max(int(seconds / typical), least)

    def _next(self, number: int) -> int:
        """How many samples to take in the next round."""
        in_turns = max(SLICE_SECONDS, 2 * settling_seconds())
        seconds = in_turns if self._has_opponents else SLICE_ALONE_SECONDS
        typical = max(1.0, self._warm.typical * self._warm.block)
        fitting = max(1, int(seconds * 1e9 / typical))
        if self._rule.iterations is None:
            return fitting
        left = self._rule.iterations - self._count(self._counted)
        rounds_left = self._least_rounds - number
        return min(left, fitting if rounds_left <= 1 else math.ceil(left / rounds_left))

    def _latencies(self) -> np.ndarray:
        return _joined(self._counted) / self._warm.block

    def samples(self, paused_seconds: float) -> Samples | BaseException:
        """What was measured, or what went wrong."""
        if self._failure is not None:
            return self._failure
        self.count()
        if not self._counted:
            self.restore()
        slices = self._counted.values()
        activities = [s.activity for s in slices]
        if sum(a.seconds for a in activities) < LEAST_ACTIVITY_SECONDS:
            activities.insert(0, self._warm.activity)
        return Samples(
            timed=_joined(self._counted),
            block=self._warm.block,
            slices=tuple(len(s.times) for s in slices),
            walls=tuple(s.wall for s in slices),
            warmup=self._warm.times,
            steady=self._warm.steady,
            stopped=self._stopped or StopReason.COUNT,
            timer=self._warm.timer,
            empty_call=self._warm.empty_call,
            activities=tuple(activities),
            set_aside=_joined(self._aside),
            paused_seconds=paused_seconds + self._waited_seconds,
            distances=tuple(s.distance for s in slices),
        )


def settling_seconds() -> float:
    """For how long runs do not count after others have run."""
    wanted = SETTLING_SECONDS * len(allowed_processors())
    return min(max(RECOVERY_SECONDS, wanted), MOST_SETTLING_SECONDS)


def _seconds(part: Slice) -> float:
    return max(part.wall / 1e9, part.activity.seconds)  # preparation takes time too


def _joined(slices: dict[int, Slice]) -> np.ndarray:
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *(s.times for s in slices.values())])
