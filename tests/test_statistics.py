"""Figures from series of times: how much they say, and that what they say about it is true."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest

from turnkeyml.measure import (
    DEFAULT_RULE,
    QUICK_RULE,
    RIGOROUS_RULE,
    Interval,
    Rule,
    Samples,
    SessionMeter,
    flags,
    is_moving,
    relative_half_width,
    sample,
    statistics,
)
from turnkeyml.nouns import Conditions

LATENCY = 5e6
"""Nanoseconds of a run of the made-up models."""

STREAMS = 150
RUNS = 6000
"""In each stream; more than any measurement of them takes."""


def alternating(count: int) -> np.ndarray:
    """1, 2, …, count in an order in which neighbours lie on different sides of the median."""
    half = count // 2
    numbers = np.arange(1.0, count + 1)
    mixed = np.empty(count)
    mixed[0::2], mixed[1::2] = numbers[: count - half], numbers[count - half :]
    return mixed


def correlated(rho: float, streams: int, runs: int, random: np.random.Generator) -> np.ndarray:
    """Normal noise in which each value remembers ``rho`` of the one before it."""
    fresh = random.standard_normal((runs, streams)) * np.sqrt(1 - rho**2)
    series = np.empty((runs, streams))
    series[0] = random.standard_normal(streams)
    for i in range(1, runs):
        series[i] = rho * series[i - 1] + fresh[i]
    return series.T


@pytest.mark.parametrize(("percent", "needed"), [(50, 11), (90, 64), (95, 130), (99, 662)])
def test_a_percentile_is_left_blank_below_the_count_that_it_needs(percent, needed):
    assert statistics.percentile(np.arange(needed - 1), percent) is None
    assert statistics.percentile(np.arange(needed), percent) is not None


def test_a_percentile_is_a_value_that_was_measured():
    values = np.random.default_rng(0).permutation(np.arange(1.0, 1001))
    found = [statistics.percentile(values, percent) for percent in (50, 90, 95, 99)]
    assert found == [500, 900, 950, 990]


@pytest.mark.parametrize(("count", "ranks"), [(6, (1, 6)), (7, (1, 7)), (100, (40, 61))])
def test_the_ranks_of_an_interval_are_those_of_the_textbook(count, ranks):
    assert statistics.median_interval(alternating(count), z=1.96) == Interval(*ranks)


def test_the_interval_is_no_narrower_than_that_of_the_textbook():
    found = statistics.median_interval(alternating(1000))
    assert found.low <= 469
    assert found.high >= 532


@pytest.mark.parametrize("count", range(6))
def test_five_samples_are_too_few_for_an_interval(count):
    assert statistics.median_interval(alternating(count)) is None


def test_values_that_are_all_the_same_have_an_interval_without_width():
    assert statistics.median_interval(np.full(50, 7.0)) == Interval(7, 7)


def test_the_correlation_time_of_independent_values_is_about_one():
    series = np.random.default_rng(1).standard_normal((50, 1000))
    assert np.mean([statistics.correlation_time(s) for s in series]) == pytest.approx(1.1, abs=0.1)


def test_the_correlation_time_of_correlated_values_is_what_theory_says():
    # Only the side of the median counts, so that lag k has (2/π)·asin(0.8^k) of correlation.
    theory = 1 + 2 * sum(2 / np.pi * np.arcsin(0.8**k) for k in range(1, 100))
    series = correlated(0.8, 50, 2000, np.random.default_rng(2))
    found = np.mean([statistics.correlation_time(s) for s in series])
    assert theory > 5
    assert found == pytest.approx(theory, rel=0.15)


def test_correlated_values_have_a_wider_interval():
    values = correlated(0.8, 1, 1000, np.random.default_rng(3))[0]
    in_order = statistics.median_interval(values)
    shuffled = statistics.median_interval(np.random.default_rng(4).permutation(values))
    assert in_order.half_width > 1.5 * shuffled.half_width


def test_the_interval_between_processes_is_students():
    found = statistics.between([10.0, 12.0, 11.0])
    assert (found.low, found.high) == pytest.approx((11 - 2.484, 11 + 2.484), abs=0.001)


def test_one_process_says_nothing_about_the_difference_between_processes():
    assert statistics.between([10.0]) is None


def test_many_processes_are_taken_as_ten():
    assert statistics.between(alternating(30).tolist()).half_width == pytest.approx(
        2.262 * np.std(alternating(30), ddof=1) / np.sqrt(30)
    )


def test_outliers_lie_beyond_tukeys_fences_on_either_side():
    middle = np.linspace(
        99, 101, 101
    )  # quartiles 99.5 and 100.5: fences 98 and 102, 96.5 and 103.5
    assert statistics.outliers(middle) == (0, 0)
    assert statistics.outliers(np.append(middle, [102.5, 97.5, 110, 90])) == (4, 2)


def test_the_spread_is_the_middle_half_relative_to_the_median():
    assert statistics.spread(np.linspace(99, 101, 101)) == pytest.approx(0.01)
    assert statistics.spread(np.zeros(10)) == 0


def test_a_drift_is_the_last_third_against_the_first():
    noise = 1 + 0.002 * np.random.default_rng(5).standard_normal(300)
    slower = statistics.drift(noise * np.linspace(1, 1.15, 300))
    faster = statistics.drift(noise * np.linspace(1.15, 1, 300))
    assert slower.relative == pytest.approx(0.1 / 1.025, abs=0.005)
    assert faster.relative == pytest.approx(-0.1 / 1.125, abs=0.005)
    assert slower.significant
    assert faster.significant


def test_what_is_small_or_may_be_chance_is_no_drift():
    random = np.random.default_rng(6)
    small = np.linspace(1, 1.02, 300) * (1 + 0.0005 * random.standard_normal(300))
    wild = np.exp(0.5 * random.standard_normal(60))
    assert not statistics.drift(small).significant
    assert not statistics.drift(wild).significant
    assert not statistics.drift(np.arange(1.0, 18)).significant


# What follows goes through the real sampler, with a clock that the model itself moves on.


class Model:
    """Takes as long as a series says, from one run to the next."""

    changes_inputs = False
    asynchronous = False

    def __init__(self, times: np.ndarray, level: Callable[[float], float] = lambda seconds: 1.0):
        self._times = iter(times.tolist())
        self._level = level
        self.now = 0

    def clock(self) -> int:
        return self.now

    def prepare(self) -> None: ...

    def run(self) -> None:
        self.now += int(self._level(self.now / 1e9) * next(self._times))


@pytest.fixture(scope="module", autouse=True)
def _quick_collector():
    """Each warm-up collects garbage; what other tests have imported need not be looked at."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def measure(model: Model, rule: Rule = DEFAULT_RULE) -> Samples:
    (samples,) = sample([SessionMeter(model, model.clock)], rule)
    if isinstance(samples, Exception):
        raise samples
    return samples


def kinds_of_flags(samples: Samples, rule: Rule = DEFAULT_RULE) -> set[str]:
    quiet = Conditions("", "", "", "", usable_cores=2, processors="0,1", threads=2)
    return {flag.kind for flag in flags.find_flags([samples], rule, quiet)}


def stable(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Noise of 1%; like all of these, the streams and the true median of each."""
    return LATENCY * (1 + 0.01 * random.standard_normal((STREAMS, RUNS))), np.full(STREAMS, LATENCY)


def noisy(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    noise = np.exp(0.1 * random.standard_normal((STREAMS, RUNS)))
    return LATENCY * noise, np.full(STREAMS, LATENCY)


def bimodal(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """60% or 70% of the runs in one mode, the others 5% to 20% slower."""
    share = random.choice([0.6, 0.7], STREAMS)
    gap = random.uniform(0.05, 0.2, STREAMS)
    slow = random.random((STREAMS, RUNS)) > share[:, None]
    noise = 1 + 0.01 * random.standard_normal((STREAMS, RUNS))
    truth = [_median_of_two_modes(*both) for both in zip(share, gap, strict=True)]
    return LATENCY * (1 + gap[:, None] * slow) * noise, LATENCY * np.array(truth)


def _median_of_two_modes(share: float, gap: float) -> float:
    fast, slow = NormalDist(1, 0.01), NormalDist(1 + gap, 0.01 * (1 + gap))
    low, high = 0.9, 1.3
    for _ in range(50):
        middle = (low + high) / 2
        below = share * fast.cdf(middle) + (1 - share) * slow.cdf(middle)
        low, high = (middle, high) if below < 0.5 else (low, middle)
    return low


def remembering(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Noise of 3% in which a slow run is followed by slow ones."""
    return LATENCY * (1 + 0.03 * correlated(0.8, STREAMS, RUNS, random)), np.full(STREAMS, LATENCY)


@pytest.fixture(
    scope="module", params=[stable, noisy, bimodal, remembering], ids=lambda k: k.__name__
)
def steady(request):
    """Many measurements of models that do not change, and the true median of each."""
    streams, medians = request.param(np.random.default_rng(7))
    return [measure(Model(times)) for times in streams], medians


def test_the_stated_intervals_contain_the_true_median(steady):
    measured, medians = steady
    found = [statistics.median_interval(s.latencies) for s in measured]
    hits = [i.low <= m <= i.high for i, m in zip(found, medians, strict=True)]
    assert np.mean(hits) >= 0.93


def test_the_stated_precision_is_reached(steady):
    measured, _ = steady
    precise = [s.latencies for s in measured if s.stopped == "precise"]
    assert len(precise) >= 0.95 * STREAMS
    assert max(map(relative_half_width, precise)) <= DEFAULT_RULE.precision


def test_what_does_not_drift_is_not_said_to(steady):
    measured, _ = steady
    assert np.mean(["drift" in kinds_of_flags(s) for s in measured]) <= 0.03


def flagged(level: Callable[[float], float], noise: float, rule: Rule = DEFAULT_RULE) -> list[bool]:
    """Whether four measurements of a model whose latency follows ``level`` say that it drifts."""
    found = []
    for seed in range(4):
        times = LATENCY * (1 + noise * np.random.default_rng(seed).standard_normal(RUNS))
        found.append("drift" in kinds_of_flags(measure(Model(times, level), rule), rule))
    return found


@pytest.mark.parametrize("noise", [0.005, 0.01, 0.03])
@pytest.mark.parametrize("total", [0.05, 0.1, 0.3])
def test_a_machine_that_gets_slower_is_always_flagged(total, noise):
    """By 5% to 30% over the shortest measurement that there is."""
    assert all(flagged(lambda seconds: 1 + total * seconds / DEFAULT_RULE.least_seconds, noise))


@pytest.mark.parametrize("noise", [0.005, 0.01, 0.03])
def test_a_machine_that_gets_slower_until_it_is_hot_is_always_flagged(noise):
    assert all(flagged(lambda seconds: 1 + 0.3 * min(1, seconds / 10), noise))


@pytest.mark.parametrize("noise", [0.005, 0.01, 0.03])
@pytest.mark.parametrize("height", [0.1, -0.1])
def test_a_step_in_the_middle_is_always_flagged(height, noise):
    rule = Rule.exactly(400)
    middle = rule.warmup_seconds + 200 * LATENCY / 1e9
    assert all(flagged(lambda seconds: 1 + height * (seconds > middle), noise, rule))


def waves(seconds: float) -> float:
    """Half as slow again every other second and a half."""
    return 1.5 if seconds % 3 > 1.5 else 1.0


def restless(rule: Rule = DEFAULT_RULE) -> Samples:
    times = 20 * LATENCY * (1 + 0.01 * np.random.default_rng(0).standard_normal(RUNS))
    return measure(Model(times, waves), rule)


def test_noise_that_comes_in_waves_ends_a_measurement_that_learns_nothing():
    samples = restless()
    assert samples.stopped == "restless"
    assert samples.seconds < DEFAULT_RULE.cap_seconds / 2
    assert relative_half_width(samples.latencies) > DEFAULT_RULE.precision
    assert "settled" in kinds_of_flags(samples)


def test_whoever_gives_a_budget_gets_it_spent():
    samples = restless(DEFAULT_RULE.within(60.0))
    assert samples.stopped == "cap"
    assert samples.seconds == pytest.approx(60, abs=1)


def test_a_budget_is_shared_by_the_processes():
    assert RIGOROUS_RULE.within(50.0).cap_seconds == 10
    assert QUICK_RULE.within(0.05).least_seconds == 0.05


def test_a_budget_does_not_make_a_precise_measurement_longer():
    times = LATENCY * (1 + 0.01 * np.random.default_rng(0).standard_normal(RUNS))
    assert measure(Model(times), DEFAULT_RULE.within(600.0)).seconds < 3


def test_a_warm_up_that_wavers_ends_before_its_cap():
    taken = restless().warmup.sum() / 1e9
    assert taken < 2 * DEFAULT_RULE.warmup_restless_seconds < DEFAULT_RULE.warmup_cap_seconds


def test_a_warm_up_that_goes_in_one_direction_is_moving():
    noise = 1 + 0.001 * np.random.default_rng(0).standard_normal(100)
    assert is_moving(np.linspace(2, 1, 100) * noise)
    assert is_moving(np.linspace(1, 2, 100) * noise)
    assert not is_moving(np.tile([1.0, 1.5, 1.0, 1.5], (25, 1)).T.ravel())
    assert not is_moving(noise)
