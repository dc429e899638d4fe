"""One sampler for every runtime: the same warm-up, the same rule for when to stop.

Several contestants are measured in rounds, each for a moment in every round, so that whatever
happens on the machine happens to all of them. One alone is a race without opponents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from turnkeyml.measure.contestant import NOTHING, Series
from turnkeyml.measure.meter import Meter, Samples
from turnkeyml.measure.rules import GROWTH, Rule
from turnkeyml.measure.weather import WINDOW_SECONDS, Weather
from turnkeyml.system import Activity

LEAST_ROUNDS = 20
"""So that the rounds of a race can be compared with each other."""

LEAST_CALM = 1 / 3
"""Of the time: where less of it is calm, everything counts, since waiting is of no use."""

WARMING, TIMING, PAUSING = "warming", "timing", "pausing"
"""What a measurement may be doing; when it pauses, it waits for other load to pass."""


@dataclass(frozen=True)
class Progress:
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
    on_progress: Callable[[Progress], None] | None = None,
    referee: Referee | None = None,
    weather: Weather | None = None,
) -> list[Samples | BaseException]:
    """Measure all of them by one rule. One that fails costs the others nothing.

    ``on_estimate`` hears once how many seconds it takes at least, ``on_progress`` after each round
    how far it is. The ``referee`` ends a race that has a limit as soon as its question is answered;
    ``weather`` lets the rounds wait for a calm moment.
    """
    least = LEAST_ROUNDS if len(meters) > 1 else 1
    if len(meters) > 1:
        for meter in meters:
            meter.rest()
    contestants = []
    for meter in meters:
        if on_progress:
            on_progress(Progress(0.0, len(meters), WARMING))
        contestants.append(Series(meter, rule, least))
    if on_estimate:
        on_estimate(sum(c.estimate() for c in contestants))
    if rule.iterations is not None:  # so many runs, come what may
        referee = weather = None
    race = _Race(contestants, rule, on_progress, referee, weather)
    race.run()
    return [c.samples(race.paused_seconds) for c in contestants]


@dataclass
class _Race:
    """The rounds of some contestants until there is nothing more to learn."""

    contestants: list[Series]
    rule: Rule
    on_progress: Callable[[Progress], None] | None
    referee: Referee | None
    weather: Weather | None
    _number: int = 0
    _judged: int = 0
    _window: Activity = NOTHING
    """What went on since it was last decided whether rounds count."""
    _calm_seconds: float = 0.0
    _stormy_seconds: float = 0.0

    @property
    def paused_seconds(self) -> float:
        return self.weather.paused_seconds if self.weather else 0.0

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
        """Let the latest rounds count, or set them aside and wait for a calm moment."""
        if self.weather is None or not self.weather.most_seconds or self._is_hopeless():
            self._count_all()
            return
        if self._window.seconds < WINDOW_SECONDS:
            return
        if not self.weather.is_stormy(self._window):
            self._calm_seconds += self._window.seconds
            self._count_all()
            return
        self._stormy_seconds += self._window.seconds
        self._window = NOTHING
        for contestant in self.contestants:
            contestant.set_aside()
        if not self.weather.is_over:
            self._tell(PAUSING)
            self.weather.wait()
        if self._is_hopeless():  # what was measured counts
            for contestant in self.contestants:
                contestant.restore()

    def _is_hopeless(self) -> bool:
        """Whether the time for waiting is used up and there is little calm to be had."""
        assert self.weather is not None
        everything = self._calm_seconds + self._stormy_seconds
        return self.weather.is_over and self._calm_seconds < LEAST_CALM * everything

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
            self._end_all("time")
        counted = max(c.rounds for c in self.contestants)
        if self.referee is None or counted < GROWTH * self._judged:
            return
        self._judged = counted
        ruling = self.referee.rule([c.round_medians() for c in self.contestants])
        for number in ruling.losers:
            self.contestants[number].end("lost")
        enough = all(c.has_least() for c in self.contestants if not c.is_out)
        if ruling.is_answered and counted >= LEAST_ROUNDS and enough:
            self._end_all("answered")

    def _end_all(self, reason: str) -> None:
        for contestant in self.contestants:
            contestant.end(reason)

    @property
    def _seconds(self) -> float:
        return sum(c.seconds for c in self.contestants) + self.paused_seconds

    def _tell(self, doing: str = TIMING) -> None:
        if self.on_progress:
            left = sum(not c.is_out for c in self.contestants)
            self.on_progress(Progress(self._seconds, left, doing))
