"""How many times as slow is the second of two measurements, and how well is that known?

Two medians from two runs of a program differ for three reasons besides a real change. Each run has
only so many samples (*within*). A machine that wanders during a run wanders between two runs at
least as much (*wander*). And even on a quiet machine two processes that do the same thing differ
by about 0.6%, because their memory lies elsewhere (*floor*). The interval of a single run knows
the first only: compared by that alone, unchanged models often look changed.

Everything here is a function of numbers alone: a median is represented by *draws*, a few thousand
logarithms of where it may as well have been, so that ratios are differences and means are means.

Draws are slow for tens of thousands of samples. A *guess* says the same without random numbers, as
weighted points whose sums are convolutions. It decides where the draws could not decide otherwise;
the rest is drawn.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure.statistics import PROCESS_FLOOR as FLOOR
from turnkeyml.measure.statistics import Z, correlation_time, median_interval, student
from turnkeyml.nouns import Word

DRAWS = 4000
ENDS = (2.5, 97.5)
"""The percentiles at the ends of an interval of 95%."""

MOMENT = 0.004
"""The relative standard deviation between measurements of several processes each, minutes apart:
the processes of one measurement share its moment."""

ROUNDING = 1e-9
"""Equal medians differ by less; widened to the floor, their rounding errors would be a shift."""
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


def ratio_generator(*names: str) -> np.random.Generator:
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
    low, high = np.exp(np.percentile(draws, ENDS))
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


class GeometricMean:
    """The geometric mean of ratios that are added one by one. They are taken as independent."""

    def __init__(self) -> None:
        self.count = 0
        self._logarithms = 0.0
        self._draws = np.zeros(DRAWS)

    def add(self, ratio: float, draws: np.ndarray) -> None:
        """Add a ratio and the draws of its logarithm."""
        self.count += 1
        self._logarithms += math.log(ratio)
        self._draws += draws

    def ratio(self) -> Ratio | None:
        """Return the mean and its 95% interval; None before the first ratio."""
        if not self.count:
            return None
        low, high = np.exp(np.percentile(self._draws / self.count, ENDS))
        return Ratio(math.exp(self._logarithms / self.count), float(low), float(high))


def _between(
    processes: Sequence[np.ndarray], random: np.random.Generator, least: float
) -> np.ndarray:
    """By Student's t of the medians of the processes, around the median of all samples."""
    centre, error, freedom = _between_processes(processes, least)
    draws = centre + random.standard_t(freedom, DRAWS) * error
    return draws + random.normal(0.0, MOMENT, DRAWS)


def _between_processes(processes: Sequence[np.ndarray], least: float) -> tuple[float, float, int]:
    """The logarithm of the median of all samples, its standard error, and the degrees of freedom
    of that."""
    logs = np.log([np.median(values) for values in processes])
    count = len(processes)
    error = max(float(np.std(logs, ddof=1)), FLOOR) / math.sqrt(count)
    centre = math.log(float(np.median(np.concatenate(processes))))
    return centre, max(error, least), count - 1


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
    return np.log(_quantiles(np.sort(values), random.beta(shape, shape, DRAWS)))


def _quantiles(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The same as ``np.quantile``, which takes a hundred times as long for thousands of shares."""
    places = shares * (len(ordered) - 1)
    below = np.minimum(places.astype(np.int64), max(0, len(ordered) - 2))
    low, high = ordered[below], ordered[np.minimum(below + 1, len(ordered) - 1)]
    part, step = places - below, high - low
    return np.where(part < 0.5, low + step * part, high - step * (1 - part))


def _at_least_the_floor(deviations: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same shape, widened where it is narrower than two processes are known to differ."""
    spread = float(np.std(deviations))
    if spread < ROUNDING:
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


POINTS = 257
"""Of a distribution; odd, so that one is in the middle."""
REACH = 5.0
"""Standard deviations on either side that the points cover."""
BINS = 1024
"""Of the grid on which distributions are added."""
SCATTER = 4.0
"""By how many standard errors of the draws their interval may differ from the guessed one."""
CLEAR = 1.6
"""The twenty random orders tell the expected variance to a tenth: wander is certain from this
factor above the threshold on, and excluded from this factor below it."""
NEGLIGIBLE = 0.02
"""Of the variance of the floor: a smaller one changes no interval."""
EXACT_RANKS = 0.03
"""By how much of their distance the ranks of a recorded interval may be unknown."""
FEW_RANKS = 50


@dataclass(frozen=True)
class Points:
    """A distribution as weighted points; the weights have the sum 1."""

    values: np.ndarray
    weights: np.ndarray

    def deviation(self) -> float:
        """Return the standard deviation."""
        mean = self.weights @ self.values
        return math.sqrt(max(0.0, float(self.weights @ (self.values - mean) ** 2)))

    def scaled(self, factor: float) -> Points:
        return Points(self.values * factor, self.weights)


@dataclass(frozen=True)
class Guess:
    """The logarithm of a median without random numbers: a sum of independent parts."""

    centre: float
    variance: float = 0.0
    """Of the normal part."""
    parts: tuple[Points, ...] = ()

    def widened(self, deviation: float) -> Guess:
        """Return the guess with another normal part."""
        return Guess(self.centre, self.variance + deviation**2, self.parts)


class Distribution:
    """The logarithm of a ratio of two medians, by the guesses of both.

    ``extra`` is added to it with a random share between 0 and 1.
    """

    def __init__(self, first: Guess, second: Guess, extra: float = 0.0) -> None:
        parts = [*second.parts, *(part.scaled(-1.0) for part in first.parts)]
        variance = first.variance + second.variance
        if variance:
            parts.append(_normal().scaled(math.sqrt(variance)))
        if extra:
            parts.append(_shares().scaled(extra))
        low, step, weights = _sum_of(parts)
        ends = low + step * (np.arange(len(weights)) + 0.5)  # of the bin around each point
        self._values = second.centre - first.centre + ends
        self._shares = np.cumsum(weights)

    def ratio(self, first: float, second: float) -> Ratio:
        """Return the ratio of the medians with its 95% interval."""
        low, high = np.exp(self._at(np.array(ENDS) / 100))
        return Ratio(second / first, float(low), float(high))

    def verdict(self, first: float, second: float) -> SpeedVerdict | None:
        """Return the verdict; None where draws could decide otherwise."""
        share = ENDS[0] / 100
        scatter = SCATTER * math.sqrt(share * (1 - share) / DRAWS)
        near = np.array([share - scatter, share + scatter])
        lows, highs = np.exp(self._at(near)), np.exp(self._at(1 - near))
        value = second / first
        found = {verdict_on(Ratio(value, low, high)) for low in lows for high in highs}
        return found.pop() if len(found) == 1 else None

    def draws(self, random: np.random.Generator) -> np.ndarray:
        """Return draws of the logarithm."""
        return self._at(random.random(DRAWS))

    def _at(self, shares: np.ndarray) -> np.ndarray:
        return np.interp(shares, self._shares, self._values)


def guess_from_interval(median: float, low: float | None, high: float | None) -> Guess | None:
    """What ``draws_from_interval`` draws from; None where it returns None."""
    if low is None or high is None or not 0 < low <= high:
        return None
    deviation = (math.log(high) - math.log(low)) / (2 * Z)
    return Guess(math.log(median), max(deviation, FLOOR) ** 2)


def guess_from_samples(
    processes: Sequence[np.ndarray],
    least: float = 0.0,
    interval: tuple[float, float] | None = None,
) -> Guess | None:
    """What ``draws_from_samples`` draws from; None where that is not clear without drawing.

    ``interval`` is the recorded 95% interval of the median of a single process. Its ranks tell how
    many samples are independent, which is slow to find out from the samples.
    """
    if not all(len(values) and values.min() > 0 for values in processes):
        return None
    if len(processes) > 1:
        centre, error, freedom = _between_processes(processes, least)
        return Guess(centre, MOMENT**2, (_student(freedom).scaled(error),))
    values = processes[0]
    ordered = np.sort(values)
    median = float(np.median(ordered))
    independent = _independent(ordered, interval)
    if independent is None:
        time = correlation_time(values)
        if median_interval(values, correlation=time) is None:
            return None
        independent = max(1.0, len(values) / time)
    wander = _clear_wander_variance(values, ordered, median)
    if wander is None:
        return None
    ranked = _ranked(ordered, independent)
    part = Points(np.log(ranked.values) - math.log(median), ranked.weights)
    deviation = part.deviation()
    if deviation < ROUNDING:
        return Guess(math.log(median), FLOOR**2 + wander)
    return Guess(math.log(median), wander, (part.scaled(max(1.0, FLOOR / deviation)),))


def _independent(ordered: np.ndarray, interval: tuple[float, float] | None) -> float | None:
    """The number of independent samples, by the ranks of the ends of the recorded interval.

    None where there is none, or equal values leave its ranks open.
    """
    if interval is None or not 0 < interval[0] < interval[1]:
        return None
    left = np.searchsorted(ordered, interval, side="left")
    right = np.searchsorted(ordered, interval, side="right")
    unknown, distance = int((right - left - 1).sum()), float(right[1] - left[0] - 2)
    exact = (right > left).all() and unknown <= EXACT_RANKS * distance
    if distance < FEW_RANKS or not exact:
        return None
    return min(float(len(ordered)), (Z * len(ordered) / distance) ** 2)


def _clear_wander_variance(values: np.ndarray, ordered: np.ndarray, median: float) -> float | None:
    """The same as ``_wander_variance`` without random orders; None where these decide."""
    if len(values) < LEAST_WANDERING:
        return 0.0
    found = _stretch_variance(values / median)
    if found <= NEGLIGIBLE * FLOOR**2:
        return 0.0
    expected = (_ranked(ordered, len(values) // STRETCHES).deviation() / median) ** 2
    if found * CLEAR < CHANCE * expected:
        return 0.0
    return found - expected if found > CLEAR * CHANCE * expected else None


def _ranked(ordered: np.ndarray, count: float) -> Points:
    """The medians of so many values that are drawn from these."""
    shape = (count + 1) / 2
    reach = min(0.5, REACH / (2 * math.sqrt(count + 2)))
    shares = 0.5 + reach * _steps()[1:-1]
    logarithms = (shape - 1) * np.log(4 * shares * (1 - shares))
    weights = np.exp(logarithms - logarithms.max())
    return Points(_quantiles(ordered, shares), weights / weights.sum())


@functools.cache
def _steps() -> np.ndarray:
    return np.linspace(-1.0, 1.0, POINTS)


@functools.cache
def _normal() -> Points:
    values = REACH * _steps()
    weights = np.exp(-(values**2) / 2)
    return Points(values, weights / weights.sum())


@functools.cache
def _shares() -> Points:
    """All numbers between 0 and 1 alike."""
    return Points((_steps() + 1) / 2, np.full(POINTS, 1 / POINTS))


@functools.cache
def _student(freedom: int) -> Points:
    """Student's t; the points are the denser, the nearer to the middle."""
    reach = student(freedom + 1) ** 2.5  # less than a thousandth lies beyond
    angles = _steps() * math.atan(reach / math.sqrt(freedom))
    values = math.sqrt(freedom) * np.tan(angles)
    weights = np.cos(angles) ** (freedom - 1)  # the density times the width of a step
    return Points(values, weights / weights.sum())


def _sum_of(parts: Iterable[Points]) -> tuple[float, float, np.ndarray]:
    """The sum of independent distributions on a grid: its first value, its step, the weights."""
    parts = list(parts)
    lows = [float(part.values.min()) for part in parts]
    reach = sum(float(part.values.max()) - low for part, low in zip(parts, lows, strict=True))
    step = (reach or 1.0) / (BINS - 1 - 2 * len(parts))
    spectrum = np.ones(BINS // 2 + 1, dtype=complex)
    for part, low in zip(parts, lows, strict=True):
        places = (part.values - low) / step
        below = places.astype(np.int64)
        beyond = part.weights * (places - below)
        weights = np.bincount(below, part.weights - beyond, BINS)
        spectrum *= np.fft.rfft(weights + np.bincount(below + 1, beyond, BINS))
    return sum(lows), step, np.maximum(np.fft.irfft(spectrum, BINS), 0.0)
