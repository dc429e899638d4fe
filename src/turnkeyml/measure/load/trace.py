"""What became of each request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Answer = tuple[int, int, int]
"""The number of a request, when an instance took it and when it was answered, in nanoseconds."""


@dataclass(frozen=True)
class Trace:
    """What became of each request, in the order in which they were due; times in nanoseconds.

    What was not answered has the end of the measurement in ``started`` or ``ended``: it took at
    least so long.
    """

    due: np.ndarray
    """When each was to arrive, by the schedule; in a closed loop, when its client sent it."""
    sent: np.ndarray
    started: np.ndarray
    """When an instance took it."""
    ended: np.ndarray
    answered: np.ndarray
    """Whether each was answered at all."""
    lanes: int
    generator_seconds: float = 0.0
    """Processor time of the thread that sent the requests."""
    is_closed: bool = False
    """Whether clients waited for their answers, so that no backlog could grow."""

    @property
    def latencies(self) -> np.ndarray:
        """From when a request was due, not from when it was sent: to be late counts against us."""
        return self.ended - self.due

    @property
    def queueing(self) -> np.ndarray:
        return self.started - self.due

    @property
    def service(self) -> np.ndarray:
        """Of the requests that were answered."""
        return (self.ended - self.started)[self.answered]

    @property
    def lateness(self) -> np.ndarray:
        return self.sent - self.due

    @property
    def wall(self) -> int:
        """From when the first request was due to the last answer."""
        return int(self.ended.max() - self.due[0]) if len(self.due) else 0

    @property
    def utilisation(self) -> float:
        """The share of the time that an instance was busy, on average."""
        return float(self.service.sum()) / max(1, self.wall * self.lanes)

    @property
    def sending(self) -> int:
        """From when the first request was due to when the last one was."""
        return int(self.due[-1] - self.due[0]) if len(self.due) else 0


def trace_of(
    due: Sequence[int],
    sent: Mapping[int, int],
    answers: Sequence[Answer],
    *,
    lanes: int,
    end: int,
    generator_seconds: float = 0.0,
    is_closed: bool = False,
) -> Trace:
    """The trace of requests whose numbers are the places in ``due``; those without an answer end
    at ``end``."""
    count = len(due)
    started, ended = np.full(count, end), np.full(count, end)
    answered = np.zeros(count, dtype=bool)
    for number, start, stop in answers:
        started[number], ended[number], answered[number] = start, stop, True
    when = np.array([sent.get(number, end) for number in range(count)], dtype=np.int64)
    return Trace(
        np.asarray(due, dtype=np.int64),
        when,
        started,
        ended,
        answered,
        lanes,
        generator_seconds,
        is_closed,
    )
