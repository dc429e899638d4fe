"""From a trace of requests to figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from turnkeyml.measure.load.intervals import MILLISECOND, percentile_interval
from turnkeyml.measure.load.trace import Trace
from turnkeyml.measure.meter import Samples
from turnkeyml.measure.statistics import percentile
from turnkeyml.nouns import UnderLoad

KEPT_UP = 0.95
"""The share of the requests that are answered when the last one arrives, unless it is overload."""
LEAST_BACKLOG = 4
"""Requests per instance that make a backlog."""


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
        stopped="count",
        timer=0.0,
        empty_call=0.0,
    )
