"""The stopwatch, the sampler, what is kept of their samples, and the process that measures."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby

import numpy as np
import pytest

from turnkeyml.cache import samples_file
from turnkeyml.measure import (
    DEFAULT_RULE,
    LEAST_ROUNDS,
    ProcessResult,
    Rule,
    Samples,
    SessionInfo,
    SessionMeter,
    evaluation_of,
    load_samples,
    relative_half_width,
    sample,
    save_evaluation,
)
from turnkeyml.runtimes import find_device, find_runtime

MICROSECOND, MILLISECOND, SECOND = 10**3, 10**6, 10**9

Latency = Callable[[int], float]


class Model:
    """Takes as long as it is told, on a clock that only it moves on; ``tick`` is what that costs.

    ``latency`` is in nanoseconds: a number, or a function of how often it has run.
    """

    asynchronous = False

    def __init__(self, latency: float | Latency, tick: int = 0, changes_inputs: bool = False):
        self._latency = latency if callable(latency) else lambda run: latency
        self._tick = tick
        self.changes_inputs = changes_inputs
        self.now = self.runs = self.preparations = 0

    def clock(self) -> int:
        self.now += self._tick
        return self.now

    def prepare(self) -> None:
        self.preparations += 1

    def run(self) -> None:
        self.runs += 1
        self.now += int(self._latency(self.runs))


def measure_all(*models: Model, rule: Rule = DEFAULT_RULE) -> list[Samples | Exception]:
    return sample([SessionMeter(m, m.clock) for m in models], rule)


def measure(model: Model, rule: Rule = DEFAULT_RULE) -> Samples:
    (samples,) = measure_all(model, rule=rule)
    if isinstance(samples, Exception):
        raise samples
    return samples


def evaluate(*samples: Samples, rule: Rule = DEFAULT_RULE):
    sittings = [ProcessResult(s, SessionInfo(0.1)) for s in samples]
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    return sittings, evaluation_of(sittings, device, runtime, 1, rule)


def flag(samples: Samples, kind: str) -> str:
    _, evaluation = evaluate(samples)
    return next((f.text for f in evaluation.performance.flags if f.kind == kind), "")


def lognormal(median: float, sigma: float) -> Latency:
    times = median * np.exp(sigma * np.random.default_rng(0).standard_normal(200_000))
    return lambda run: times[run]


# How long it measures


@pytest.mark.parametrize("iterations", [1, 7, 100])
def test_iterations_is_exactly_the_number_of_timed_runs(iterations):
    samples = measure(Model(10 * MILLISECOND), Rule.exactly(iterations))
    assert (len(samples.timed), samples.runs, samples.stopped) == (iterations, iterations, "count")


def test_iterations_is_exact_for_every_contestant_of_a_race():
    fast, slow = Model(MILLISECOND), Model(300 * MILLISECOND)
    found = measure_all(fast, slow, rule=Rule.exactly(45))
    assert [len(s.timed) for s in found] == [45, 45]


def test_a_slow_model_runs_a_hundred_times():
    samples = measure(Model(100 * MILLISECOND))
    assert DEFAULT_RULE.least_runs == 100
    assert 100 <= samples.runs <= 110
    assert samples.stopped == "precise"


def test_it_stops_as_soon_as_the_median_is_known():
    samples = measure(Model(5 * MILLISECOND))
    assert samples.stopped == "precise"
    assert DEFAULT_RULE.least_seconds <= samples.seconds < DEFAULT_RULE.least_seconds + 0.2


def test_it_goes_on_while_the_median_is_not_known():
    samples = measure(Model(lognormal(10 * MILLISECOND, 0.1)))
    assert samples.stopped == "precise"
    assert samples.seconds > 2 * DEFAULT_RULE.least_seconds
    assert relative_half_width(samples.latencies) <= DEFAULT_RULE.precision


def test_the_cap_cuts_a_very_slow_model_and_the_flag_says_so():
    samples = measure(Model(SECOND))
    assert samples.stopped == "cap"
    assert samples.runs == DEFAULT_RULE.cap_seconds
    assert f"limit of {DEFAULT_RULE.cap_seconds:g} s after {samples.runs} runs" in flag(
        samples, "cap"
    )
    assert "--iterations" in flag(samples, "cap")


def test_noise_that_no_time_will_overcome_ends_it_before_the_cap():
    samples = measure(Model(lognormal(MILLISECOND, 1.0)))
    assert samples.stopped == "settled"
    assert samples.seconds < DEFAULT_RULE.cap_seconds
    assert "--rigorous" in flag(samples, "settled")


def test_the_time_to_come_is_announced_once():
    heard = []
    models = [Model(10 * MILLISECOND), Model(20 * MILLISECOND)]
    sample([SessionMeter(m, m.clock) for m in models], Rule.exactly(20), heard.append)
    assert heard == [pytest.approx(0.6)]


# The warm-up


def test_the_warm_up_is_long_enough_in_runs():
    assert len(measure(Model(SECOND), Rule.exactly(1)).warmup) >= DEFAULT_RULE.warmup_runs


def test_the_warm_up_is_long_enough_in_time():
    for rule in (DEFAULT_RULE, Rule.exactly(1)):
        warmup = measure(Model(MILLISECOND), rule).warmup
        assert warmup.sum() >= rule.warmup_seconds * SECOND


def test_the_warm_up_goes_on_while_the_model_gets_faster():
    samples = measure(Model(lambda run: (1 + 2 * max(0, 1 - run / 200)) * 10 * MILLISECOND))
    assert len(samples.warmup) >= 200
    assert samples.steady
    assert set(samples.timed) == {10 * MILLISECOND}


def test_the_warm_up_of_a_model_that_never_becomes_steady_ends_at_its_cap():
    samples = measure(Model(lambda run: 1.02**run * MILLISECOND), Rule.exactly(1))
    taken = samples.warmup.cumsum() / SECOND
    assert not samples.steady
    assert taken[-2] < DEFAULT_RULE.warmup_cap_seconds <= taken[-1]


def test_runs_of_the_warm_up_are_kept_but_not_counted():
    samples = measure(Model(lambda run: (5 if run <= 20 else 1) * MILLISECOND), Rule.exactly(50))
    _, evaluation = evaluate(samples)
    assert samples.warmup[:20].tolist() == [5 * MILLISECOND] * 20
    assert evaluation.performance.max_latency == 1
    assert evaluation.performance.warmup_iterations == len(samples.warmup)


# The stopwatch


@pytest.mark.parametrize("latency", [200, MICROSECOND, 10 * MICROSECOND, 49 * MICROSECOND])
def test_short_models_are_timed_in_blocks_that_make_the_clock_negligible(latency):
    tick = 50
    warm = SessionMeter(model := Model(latency, tick), model.clock).warm_up(
        Rule(warmup_seconds=0.01)
    )
    assert warm.timer == tick
    assert warm.block > 1
    assert warm.timer / (warm.block * latency) <= 0.00125  # they seem longer one by one


def test_a_block_is_reported_as_what_one_of_its_runs_took():
    model = Model(10 * MICROSECOND, tick=50)
    part = SessionMeter(model, model.clock).take(samples=4, block=100)
    assert part.times.tolist() == [100 * 10 * MICROSECOND + 50] * 4


def test_models_that_change_their_inputs_are_timed_one_by_one_with_fresh_ones():
    model = Model(MICROSECOND, tick=50, changes_inputs=True)
    meter = SessionMeter(model, model.clock)
    warm = meter.warm_up(Rule(warmup_seconds=0.001))
    meter.take(10, warm.block)
    assert warm.block == 1
    assert model.preparations == model.runs


def test_with_iterations_runs_are_timed_one_by_one():
    samples = measure(Model(20 * MICROSECOND, tick=50), Rule.exactly(30))
    assert (samples.block, len(samples.timed)) == (1, 30)


def test_a_call_of_nothing_costs_something_but_little():
    warm = SessionMeter(Model(0)).warm_up(Rule(warmup_seconds=0.01))
    assert 0 < warm.empty_call < 2 * MICROSECOND


def test_throughput_is_runs_over_the_time_from_the_first_to_the_last():
    tick = MILLISECOND  # between two runs the clock is read twice
    _, evaluation = evaluate(measure(Model(9 * MILLISECOND, tick), Rule.exactly(100)))
    found = evaluation.performance
    assert found.mean_latency == 10
    assert found.throughput == pytest.approx(1000 / 11, rel=0.02)
    assert found.throughput == pytest.approx(found.iterations / found.wall_seconds)


def test_the_wall_time_has_no_more_than_the_runs_and_what_lies_between_them():
    model = Model(9 * MILLISECOND, tick=MILLISECOND)
    part = SessionMeter(model, model.clock).take(samples=5, block=1)
    assert part.times.tolist() == [10 * MILLISECOND] * 5
    assert part.wall == (5 * 10 + 4) * MILLISECOND


def test_nothing_is_left_out_of_the_samples():
    slow = dict.fromkeys(range(90, 95), 500 * MILLISECOND)
    model = Model(lambda run: slow.get(run, 10 * MILLISECOND))
    _, evaluation = evaluate(samples := measure(model, Rule.exactly(200)))
    found = evaluation.performance
    assert found.samples == len(samples.timed) == sum(samples.slices)
    assert np.count_nonzero(samples.timed > 10 * MILLISECOND) >= 4
    assert found.mean_latency == pytest.approx(samples.timed.mean() / MILLISECOND)
    assert (found.max_latency, found.far_outliers) == (500, np.sum(samples.timed > 1e7))


def test_processes_that_differ_have_an_interval_that_says_so():
    medians = [9.8, 9.9, 10, 10.1, 10.2]
    times = [lognormal(m * MILLISECOND, 0.001) for m in medians]
    _, evaluation = evaluate(*(measure(Model(t), Rule.exactly(140)) for t in times))
    assert evaluation.performance.median_low == pytest.approx(9.8, abs=0.02)
    assert evaluation.performance.median_high == pytest.approx(10.2, abs=0.02)


# Taking turns


def test_contestants_take_turns_and_begin_in_turn():
    log = []
    models = [Model(lambda run, name=n: log.append(name) or 10 * MILLISECOND) for n in "ABC"]
    measure_all(*models, rule=Rule.exactly(60))
    turns = "".join(name for name, _ in groupby(log))
    assert turns == "ABC" + "ABCBCACAB" * 6 + "ABCBCA"


def test_every_contestant_takes_part_in_every_round():
    found = measure_all(Model(MILLISECOND), Model(70 * MILLISECOND), Model(10 * MILLISECOND))
    rounds = {len(s.slices) for s in found}
    assert len(rounds) == 1
    assert rounds.pop() >= LEAST_ROUNDS


@pytest.mark.parametrize("when", [3, 40], ids=["warming up", "being timed"])
def test_a_contestant_that_fails_does_not_hurt_the_others(when):
    def latency(run: int) -> float:
        return 10 * MILLISECOND if run < when else math.sqrt(-1)

    broken, good = measure_all(Model(latency), Model(10 * MILLISECOND), rule=Rule.exactly(30))
    assert isinstance(broken, ValueError)
    assert len(good.timed) == 30


# What is kept


@pytest.mark.parametrize(("longest", "kept_as"), [(3 * SECOND, "uint32"), (5 * SECOND, "int64")])
def test_saved_samples_are_exactly_those_measured(tmp_path, longest, kept_as):
    first = measure(Model(lambda run: longest - run), Rule.exactly(50))
    second = measure(Model(13 * MICROSECOND, tick=50))
    save_evaluation(tmp_path, *evaluate(first, second))
    loaded = load_samples(samples_file(tmp_path))
    with np.load(samples_file(tmp_path)) as arrays:
        assert arrays["timed"].dtype == kept_as
    for samples, found in zip((first, second), loaded, strict=True):
        assert np.array_equal(found, samples.timed / samples.block / MILLISECOND)


# The process that measures


def test_the_worker_imports_numpy_and_its_runtime_but_no_torch():
    check = (
        "import sys, turnkeyml.measure.worker, turnkeyml.runtimes.onnxruntime.session; "
        "print([m for m in ('torch', 'onnx', 'transformers', 'rich', 'yaml') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr
