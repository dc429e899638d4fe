"""Trace each request from when it was due to its answer, and summarize latency and overload."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml.measure.meter import Samples
from turnkeyml.measure.statistics import percentile, percentile_ends
from turnkeyml.nouns import StopReason, UnderLoad

MILLISECOND = 1e6
"""In nanoseconds."""

KEPT_UP = 0.95
"""The share of the requests that are answered when the last one arrives, unless it is overload."""
LEAST_BACKLOG = 4
"""Requests per instance that make a backlog."""

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


def summary_of(trace: Trace, pattern: str, threads_per_instance: int, **facts: Any) -> UnderLoad:
    """What a trace says of a server; ``facts`` are further fields."""
    service, queueing = trace.service / MILLISECOND, trace.queueing / MILLISECOND
    late = trace.lateness / MILLISECOND
    return UnderLoad(
        pattern=pattern,
        requests=len(trace.due),
        answered=int(trace.answered.sum()),
        instances=trace.lanes,
        threads_per_instance=threads_per_instance,
        **_ends(trace),
        mean_queueing=float(queueing.mean()),
        median_queueing=percentile(queueing, 50),
        p99_queueing=percentile(queueing, 99),
        mean_service=float(service.mean()) if len(service) else 0.0,
        median_service=percentile(service, 50),
        p99_service=percentile(service, 99),
        utilisation=trace.utilisation,
        overloaded=is_overloaded(trace),
        p99_lateness=percentile(late, 99),
        worst_lateness=float(late.max()),
        generator_share=trace.generator_seconds / max(1e-9, trace.sending / 1e9),
        **facts,
    )


def _ends(trace: Trace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for percent in (90, 95, 99):
        low, high = percentile_interval(trace, percent)
        found |= {f"p{percent}_low": low, f"p{percent}_high": high}
    return found


def is_overloaded(trace: Trace) -> bool:
    """Whether requests arrived faster than they were answered, so that a backlog grew.

    Never in a closed loop, whose clients wait.
    """
    if trace.is_closed:
        return False
    if not trace.answered.all():
        return True
    left = int((trace.ended > trace.due[-1]).sum())
    return left > max((1 - KEPT_UP) * len(trace.due), LEAST_BACKLOG * trace.lanes)


def samples_of(trace: Trace) -> Samples:
    """The latencies as the samples of a measurement; the caller adds what else went on."""
    return Samples(
        timed=trace.latencies,
        block=1,
        slices=(len(trace.due),),
        walls=(max(1, trace.wall),),
        warmup=np.zeros(0, dtype=np.int64),
        steady=True,
        stopped=StopReason.COUNT,
        timer=0.0,
        empty_call=0.0,
    )


def percentile_interval(trace: Trace, percent: int) -> tuple[float | None, float | None]:
    """The ends of the 95% interval of a percentile of the latency, in milliseconds; None for an end
    that lies beyond what was measured."""
    values = trace.latencies / MILLISECOND
    return percentile_ends(values, percent, least_correlation=memory_of(trace))


def memory_of(trace: Trace) -> float:
    """How many requests it takes at least until the queue depends on earlier ones no more.

    A busy queue goes up and down so slowly that a measurement sees a few of these waves. One that
    missed the large ones sees little correlation as well, and would be sure of what is too low.
    Theory knows how long they are: (1 + c²) / (2 (1 - u)²) requests for Poisson arrivals, a share u
    of the time that the server is busy, and service times whose standard deviation is c times
    their mean. For u we take one standard error more than was measured. Infinite if that says that
    the server does not keep up; 1 for clients that wait for their answers.
    """
    if trace.is_closed or not trace.answered.any():
        return 1.0
    service = trace.service
    mean = float(service.mean())
    variation = float(service.var()) / mean**2 if mean else 0.0
    busy = trace.utilisation * (1 + math.sqrt((1 + variation) / len(service)))
    return (1 + variation) / (2 * (1 - busy) ** 2) if busy < 1 else math.inf
