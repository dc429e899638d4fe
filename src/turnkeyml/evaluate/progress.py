"""Saying what a long measurement does, now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

from turnkeyml.measure import PAUSING, WARMING, SamplingProgress

EVERY_SECONDS = 5.0

Tell = Callable[[float, str], None]
"""Hears for how many seconds a measurement has gone on and what it does."""


class Report:
    """Turns what a measurement knows of itself into words, at a bounded rate."""

    def __init__(
        self, tell: Tell | None, processes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell = tell
        self._processes = processes
        self._clock = clock
        self._process = 1
        self._began = self._told = clock()

    def next_process(self) -> None:
        """The measurement goes on in another process."""
        self._process += 1

    def loading(self, label: str) -> None:
        """A contestant of a race is loaded, which may mean that it is compiled."""
        self._say(f"loading {label}")

    def progress(self, progress: SamplingProgress) -> None:
        """A round is over, or a pause begins; most of them are not worth a word."""
        if self._clock() - self._told < EVERY_SECONDS:
            return
        if progress.doing == PAUSING:
            self._say("waiting for other load to pass")
        elif progress.doing == WARMING:
            self._say("warming up")
        elif progress.contestants > 1:
            self._say(f"{progress.contestants} contestants take turns")
        else:
            self._say("timing runs")

    def _say(self, doing: str) -> None:
        self._told = self._clock()
        if self._processes > 1:
            doing = f"{doing} (process {self._process} of {self._processes})"
        if self._tell:
            self._tell(self._told - self._began, doing)
