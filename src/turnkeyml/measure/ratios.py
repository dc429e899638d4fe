"""How many times as slow is the second of two measurements, and how well is that known?

Two medians from two runs of a program differ for three reasons besides a real change. Each run has
only so many samples (*within*). A machine that wanders during a run wanders between two runs at
least as much (*wander*). And even on a quiet machine two processes that do the same thing differ
by about 0.6%, because their memory lies elsewhere (*floor*). The interval of a single run knows
the first only: compared by that alone, unchanged models often look changed.

Everything here is a function of numbers alone: a median is represented by *draws*, a few thousand
logarithms of where it may as well have been, so that ratios are differences and means are means.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure.statistics import PROCESS_FLOOR as FLOOR
from turnkeyml.measure.statistics import Z, correlation_time, median_interval
from turnkeyml.nouns import Word

__all__ = [
    "Ratio",
    "SpeedVerdict",
    "draws_from_interval",
    "draws_from_samples",
    "generator",
    "geometric_mean",
    "ratio_of",
    "verdict_on",
]

DRAWS = 4000

MOMENT = 0.004
"""The relative standard deviation between measurements of several processes each, minutes apart:
the processes of one measurement share its moment."""

STRETCHES = 10
LEAST_WANDERING = 60
"""Samples below which the stretches would be too short to have medians worth comparing."""
CHANCE = 2.41
"""The variance of ten medians exceeds the expected one by this factor once in a hundred times: the
99% point of chi-squared with 9 degrees of freedom, divided by 9."""
SHUFFLES = 20
"""Random orders of the same samples, for what the variance would be without wandering."""

LEAST_CHANGE = 1.01
"""A smaller change is not called one, however sure it is."""
SAME_WITHIN = 1.03
"""Two medians are the same if the whole interval of their ratio lies within this factor of 1."""


class SpeedVerdict(Word):
    """What a ratio and its interval say about the second of two measurements."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"
    UNCLEAR = "UNCLEAR"
    """Neither: measure longer, or on a quieter machine."""


@dataclass(frozen=True)
class Ratio:
    """The second median over the first, and where it lies with a confidence of 95%."""

    value: float
    low: float
    high: float


def generator(*names: str) -> np.random.Generator:
    """Random numbers that are the same whenever the same names are compared."""
    return np.random.default_rng(zlib.crc32("\0".join(names).encode()))


def draws_from_samples(
    processes: Sequence[np.ndarray], random: np.random.Generator, least: float = 0.0
) -> np.ndarray | None:
    """Draws of the median from the samples of each process, or None where they are too few.

    Several processes show by themselves how much processes differ, so that nothing has to be added
    for wander and floor, but a little for the moment that they share. The floor and ``least``, a
    relative standard deviation, then only guard against processes that agree by chance.
    """
    if not all(len(values) and values.min() > 0 for values in processes):
        return None
    if len(processes) > 1:
        return _between(processes, random, least)
    return _within(processes[0], random)


def draws_from_interval(
    median: float, low: float | None, high: float | None, random: np.random.Generator
) -> np.ndarray | None:
    """Draws of the median from its 95% interval; None where there is no interval.

    Whether the machine wandered cannot be seen in an interval; only the floor is added.
    """
    if low is None or high is None or not 0 < low <= high:
        return None
    deviation = (math.log(high) - math.log(low)) / (2 * Z)
    return math.log(median) + random.normal(0.0, max(deviation, FLOOR), DRAWS)


def ratio_of(first: float, second: float, draws: np.ndarray) -> Ratio:
    """The ratio of two medians; the draws are those of its logarithm."""
    low, high = np.exp(np.percentile(draws, (2.5, 97.5)))
    return Ratio(second / first, float(low), float(high))


def verdict_on(ratio: Ratio) -> SpeedVerdict:
    """SLOWER or FASTER where the interval excludes 1 and the change is worth the word.

    SAME needs evidence too: an interval that is narrow, and close to 1. The rest is UNCLEAR.
    """
    if ratio.low > 1 and ratio.value >= LEAST_CHANGE:
        return SpeedVerdict.SLOWER
    if ratio.high < 1 and ratio.value <= 1 / LEAST_CHANGE:
        return SpeedVerdict.FASTER
    if ratio.low >= 1 / SAME_WITHIN and ratio.high <= SAME_WITHIN:
        return SpeedVerdict.SAME
    return SpeedVerdict.UNCLEAR


def geometric_mean(ratios: Sequence[float], draws: Sequence[np.ndarray]) -> Ratio:
    """Of some ratios and the draws of their logarithms. The rows are taken as independent."""
    centre = float(np.mean(np.log(ratios)))
    total = np.zeros(DRAWS)
    for one in draws:
        total += one
    low, high = np.exp(np.percentile(total / len(draws), (2.5, 97.5)))
    return Ratio(math.exp(centre), float(low), float(high))


def _between(
    processes: Sequence[np.ndarray], random: np.random.Generator, least: float
) -> np.ndarray:
    """By Student's t of the medians of the processes, around the median of all samples."""
    logs = np.log([np.median(values) for values in processes])
    count = len(processes)
    error = max(float(np.std(logs, ddof=1)), FLOOR) / math.sqrt(count)
    centre = math.log(float(np.median(np.concatenate(processes))))
    draws = centre + random.standard_t(count - 1, DRAWS) * max(error, least)
    return draws + random.normal(0.0, MOMENT, DRAWS)


def _within(values: np.ndarray, random: np.random.Generator) -> np.ndarray | None:
    """By what a bootstrap would find, with the floor and the wander of a single process."""
    if median_interval(values) is None:
        return None
    centre = math.log(float(np.median(values)))
    deviations = _at_least_the_floor(_bootstrap(values, random) - centre, random)
    wander = math.sqrt(_wander_variance(values, random))
    return centre + deviations + random.normal(0.0, wander, DRAWS)


def _bootstrap(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Logarithms of the medians of resampled series, without resampling.

    The median of n values drawn anew is the value at a rank that is distributed like the middle
    one of n uniform numbers, which is a Beta distribution. Values that follow each other are not
    independent, so that n is the number of those that are.
    """
    independent = max(1.0, len(values) / correlation_time(values))
    shape = (independent + 1) / 2
    return np.log(np.quantile(values, random.beta(shape, shape, DRAWS)))


def _at_least_the_floor(deviations: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same shape, widened where it is narrower than two processes are known to differ."""
    spread = float(np.std(deviations))
    if spread == 0:
        return random.normal(0.0, FLOOR, DRAWS)
    return deviations * max(1.0, FLOOR / spread)


def _wander_variance(values: np.ndarray, random: np.random.Generator) -> float:
    """How much the medians of ten stretches vary beyond what a random order explains.

    Relative to the median, squared; 0 where chance explains it. It is added in full, because a
    longer run does not average out what happens between two runs.
    """
    if len(values) < LEAST_WANDERING:
        return 0.0
    relative = values / np.median(values)
    found = _stretch_variance(relative)
    shuffled = [_stretch_variance(random.permutation(relative)) for _ in range(SHUFFLES)]
    expected = float(np.mean(shuffled))
    return found - expected if found > CHANCE * expected else 0.0


def _stretch_variance(values: np.ndarray) -> float:
    length = len(values) // STRETCHES
    stretches = values[: length * STRETCHES].reshape(STRETCHES, length)
    return float(np.var(np.median(stretches, axis=1), ddof=1))
