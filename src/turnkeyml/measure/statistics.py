"""From a series of times to figures with an honest idea of how good they are.

Everything here is a function of numbers alone: no clock, no machine.

Runs that follow each other are not independent. A machine that is slow now is slow a moment later,
so a hundred runs say less about the median than a hundred independent draws would. The
*correlation time* says how many runs it takes to learn something new, and every interval is
widened accordingly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Z = 2.1
"""Standard deviations on either side that make an interval of 95%.

A little more than the 1.96 of the normal distribution, because an interval is looked at again and
again and the measurement stops when it is narrow, which now and then is too soon."""

Z_DRIFT = 3.0
"""The same for 99.7%: a drift is claimed only where chance would rarely make one."""

STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t for 95% with 1, 2, 3, … degrees of freedom."""

DRIFT_THRESHOLD = 0.02

PROCESS_FLOOR = 0.006
"""The relative standard deviation between processes that run the same thing on a quiet machine."""

FEW = 1.2
"""By how much the interval of a percentile is wider if one independent value lies beyond it."""

SAMPLES_NEEDED = {50: 11, 90: 64, 95: 130, 99: 662}
"""Below these counts a percentile is not known well enough to be stated."""


@dataclass(frozen=True)
class Interval:
    """Where the true value is with a confidence of 95%."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Drift:
    """How the last third of a series compares with the first."""

    relative: float
    """The change of the median, relative to the first third."""
    deviations: float
    """The same in standard errors: how hard it is to explain by chance."""

    @property
    def significant(self) -> bool:
        """Whether it is too large to be ignored, and to be chance."""
        return abs(self.relative) > DRIFT_THRESHOLD and abs(self.deviations) > Z_DRIFT


def percentile(values: np.ndarray, percent: int) -> float | None:
    """The nearest-rank percentile, or None where the samples are too few for it."""
    if len(values) < SAMPLES_NEEDED[percent]:
        return None
    rank = math.ceil(percent / 100 * len(values))
    return float(np.partition(values, rank - 1)[rank - 1])


def median_interval(
    values: np.ndarray, z: float = Z, correlation: float | None = None
) -> Interval | None:
    """The interval of the median by order statistics, or None where the samples are too few.

    The number of values below the true median is binomial; its normal approximation, widened by
    the correlation time (that of the values, unless given) and rounded outward, gives the ranks.
    """
    count = len(values)
    if count < 2:
        return None
    together = correlation_time(values) if correlation is None else correlation
    half = z * math.sqrt(count * together) / 2
    low, high = math.floor((count + 1) / 2 - half), math.ceil((count + 1) / 2 + half)
    if low < 1:
        return None
    ordered = np.partition(values, (low - 1, high - 1))
    return Interval(float(ordered[low - 1]), float(ordered[high - 1]))


def percentile_ends(
    values: np.ndarray, percent: int, z: float = Z, least_correlation: float = 1.0
) -> tuple[float | None, float | None]:
    """The ends of the 95% interval of a percentile by order statistics; None for an end that lies
    beyond the samples.

    As that of the median: how many values lie below the true percentile is binomial, and values
    that depend on each other tell less. Where few independent ones lie beyond it, neither the
    correlation time nor the binomial is known well, and the interval is widened once more.
    ``least_correlation`` is a correlation time that is known from elsewhere; the values may be too
    few to show it.
    """
    count, share = len(values), percent / 100
    if count < SAMPLES_NEEDED[percent]:
        return None, None
    seen = max(correlation_time(values, percent), correlation_time(values))
    together = max(seen, least_correlation)
    if together >= count:
        return None, None
    beyond = count * min(share, 1 - share) / together
    half = z * (1 + FEW / max(1.0, beyond)) * math.sqrt(count * share * (1 - share) * together)
    low, high = math.floor(share * count - half), math.ceil(share * count + half) + 1
    ordered = np.sort(values)
    return (
        float(ordered[low - 1]) if low >= 1 else None,
        float(ordered[high - 1]) if high <= count else None,
    )


def overall_interval(processes: Sequence[np.ndarray]) -> Interval | None:
    """Of the median over several processes; where they differ more than their runs, that decides.

    Within a process runs depend on each other; how processes differ is looked at by itself.
    """
    correlation = float(np.mean([correlation_time(p) for p in processes]))
    within = median_interval(np.concatenate(processes), correlation=correlation)
    outer = between([float(np.median(p)) for p in processes])
    if within is None or outer is None:
        return within or outer
    return Interval(min(within.low, outer.low), max(within.high, outer.high))


def between(medians: Sequence[float]) -> Interval | None:
    """The interval of the mean of some processes' medians by Student's t, or None for one alone."""
    count = len(medians)
    if count < 2:
        return None
    centre = float(np.mean(medians))
    half = student(count) * float(np.std(medians, ddof=1)) / math.sqrt(count)
    return Interval(centre - half, centre + half)


def student(count: int) -> float:
    """Student's t that makes an interval of 95% of the mean of so many values."""
    return STUDENT[min(count - 1, len(STUDENT)) - 1]


def correlation_time(values: np.ndarray, percent: int = 50) -> float:
    """How many runs it takes, on average, until the next is independent of the first; at least 1.

    Of the series that matters for a percentile: on which side of it each value lies. The sum of the
    autocorrelations goes on as long as those of neighbouring lags together are positive.
    """
    level = np.median(values) if percent == 50 else np.percentile(values, percent)
    sides = (values > level).astype(np.float64)
    sides -= sides.mean()
    count = len(sides)
    if count < 4 or not sides.any():
        return 1.0
    size = _transform_size(2 * count - 1)
    spectrum = np.fft.rfft(sides, size)
    correlations = np.fft.irfft(spectrum * np.conj(spectrum), size)[:count]
    pairs = correlations[: count // 2 * 2].reshape(-1, 2).sum(axis=1) / correlations[0]
    ends = np.flatnonzero(pairs <= 0)
    total = pairs[: ends[0] if len(ends) else len(pairs)].sum()
    return float(max(1.0, 2 * total - 1))


def _transform_size(least: int) -> int:
    """The size of a Fourier transform that is fast: a power of two, or a few times one."""
    return min(odd << max(0, (-(-least // odd) - 1).bit_length()) for odd in (1, 3, 5, 9, 15))


def drift(values: np.ndarray) -> Drift:
    """Compare the medians of the first and the last third of a series."""
    third = len(values) // 3
    if third < 6:
        return Drift(0.0, 0.0)
    first, last = values[:third], values[-third:]
    before, after = float(np.median(first)), float(np.median(last))
    noise = math.hypot(_standard_error(first), _standard_error(last))
    change = after - before
    certain = math.copysign(math.inf, change) if change else 0.0
    return Drift(change / before, change / noise if noise else certain)


def _standard_error(values: np.ndarray) -> float:
    """Of the median, from the ranks around it; infinite where the samples are too few to tell.

    A slope is taken out first: what drifts would otherwise pass for noise and hide the drift.
    """
    count = len(values)
    halves = np.median(values[: count // 2]), np.median(values[-(count // 2) :])
    slope = (halves[1] - halves[0]) / (count / 2)
    interval = median_interval(values - slope * np.arange(count), z=1.0)
    return interval.half_width if interval else math.inf


def spread(values: np.ndarray) -> float:
    """What the middle half of the values spans, relative to the median."""
    low, median, high = np.percentile(values, (25, 50, 75))
    return float((high - low) / median) if median else 0.0


def outliers(values: np.ndarray) -> tuple[int, int]:
    """How many values lie beyond Tukey's inner and outer fences (1.5 and 3 times the quartiles'
    distance); those beyond the outer ones are among those beyond the inner ones."""
    low, high = np.percentile(values, (25, 75))
    step = high - low
    beyond = np.maximum(low - values, values - high)
    return int(np.count_nonzero(beyond > 1.5 * step)), int(np.count_nonzero(beyond > 3 * step))
