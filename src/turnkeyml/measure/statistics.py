"""From samples to the figures that are reported."""

from __future__ import annotations

import math

import numpy as np

from turnkeyml.measure.sampler import Samples
from turnkeyml.records import MeasuredPerformance

__all__ = ["percentile", "summarize"]

NANOSECONDS_PER_MILLISECOND = 1e6

SAMPLES_NEEDED = {50: 11, 90: 64, 95: 130, 99: 662}
"""Below these counts a percentile is not known well enough to be stated."""


def percentile(timed: np.ndarray, percent: int) -> float | None:
    """The nearest-rank percentile, or None where the samples are too few for it."""
    if len(timed) < SAMPLES_NEEDED[percent]:
        return None
    rank = math.ceil(percent / 100 * len(timed))
    return float(np.sort(timed)[rank - 1])


def summarize(samples: Samples) -> MeasuredPerformance:
    """The statistics of a set of samples, in milliseconds."""
    timed = samples.timed / NANOSECONDS_PER_MILLISECOND
    mean = float(np.mean(timed))
    return MeasuredPerformance(
        mean_latency=mean,
        throughput=1000.0 / mean,
        iterations=len(timed),
        median_latency=float(np.median(timed)),
        p90_latency=percentile(timed, 90),
        latency_standard_deviation=float(np.std(timed, ddof=1)) if len(timed) > 1 else 0.0,
        min_latency=float(np.min(timed)),
        max_latency=float(np.max(timed)),
        warmup_iterations=len(samples.warmup),
    )
