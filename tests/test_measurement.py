"""The sampler, the statistics, and the process that measures."""

import subprocess
import sys
import time

import numpy as np
import pytest

from turnkeyml.measure.sampler import Rule, Samples, sample
from turnkeyml.measure.statistics import percentile, summarize


class Session:
    def __init__(self, seconds=0.0):
        self.runs = self.preparations = 0
        self.seconds = seconds

    def prepare(self):
        self.preparations += 1

    def run(self):
        self.runs += 1
        time.sleep(self.seconds)

    def outputs(self):
        return {}


@pytest.mark.parametrize("iterations", [1, 7, 100])
def test_iterations_is_exactly_the_number_of_timed_runs(iterations):
    session = Session()
    samples = sample(session, Rule(iterations, warmup_seconds=0.01))
    assert len(samples.timed) == iterations
    assert session.runs == iterations + len(samples.warmup)
    assert session.preparations == session.runs


def test_warm_up_is_long_enough_in_runs_and_in_time():
    quick = sample(Session(), Rule(1, warmup_runs=5, warmup_seconds=0.1))
    assert quick.warmup.sum() > 0.05e9
    slow = sample(Session(0.05), Rule(1, warmup_runs=5, warmup_seconds=0.1))
    assert len(slow.warmup) >= 5


def test_warm_up_of_a_very_slow_model_ends_at_the_cap():
    rule = Rule(1, warmup_runs=1000, warmup_seconds=0.0, warmup_cap_seconds=0.1)
    assert len(sample(Session(0.03), rule).warmup) < 10


def test_the_time_to_come_is_announced_once():
    heard = []
    sample(Session(0.01), Rule(20, warmup_seconds=0.05), heard.append)
    assert len(heard) == 1
    assert heard[0] == pytest.approx(0.2, rel=0.5)


def test_statistics_are_those_of_the_samples():
    timed = np.arange(1, 101) * 1_000_000
    result = summarize(Samples(np.array([5]), timed))
    assert result.mean_latency == pytest.approx(50.5)
    assert result.throughput == pytest.approx(1000 / 50.5)
    assert result.median_latency == pytest.approx(50.5)
    assert result.p90_latency == pytest.approx(90)
    assert (result.min_latency, result.max_latency) == (1, 100)
    assert result.latency_standard_deviation == pytest.approx(np.std(timed / 1e6, ddof=1))
    assert (result.iterations, result.warmup_iterations) == (100, 1)
    assert result.latency_units == "milliseconds (ms)"
    assert result.throughput_units == "inferences per second (IPS)"


def test_a_percentile_that_the_samples_cannot_tell_is_left_blank():
    assert percentile(np.arange(63), 90) is None
    assert percentile(np.arange(64), 90) == 57


def test_the_worker_imports_numpy_and_its_runtime_but_no_torch():
    check = (
        "import sys, turnkeyml.measure.worker, turnkeyml.runtimes.ort; "
        "print([m for m in ('torch', 'onnx', 'transformers', 'rich', 'yaml') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr
