"""How well the percentiles of a queue are known."""

from __future__ import annotations

import math

from turnkeyml.measure.load.trace import Trace
from turnkeyml.measure.statistics import percentile_ends

MILLISECOND = 1e6
"""In nanoseconds."""


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
