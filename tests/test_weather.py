"""Measuring in the calm: when to wait, for how long, and what counts in the end."""

from __future__ import annotations

import os

import numpy as np
import pytest

from turnkeyml.measure import LONGEST_PAUSE, Interference, Rule, Samples, Slice, WarmUp, sample
from turnkeyml.system import Activity, Reading, activity

CALM = Activity(0.1, 0.0, 0.0, 0.0, 0.0)
LATENCY = 10_000_000
RULE = Rule(least_seconds=2.0, cap_seconds=20.0)


class Machine:
    """A clock that moves when somebody sleeps, and other programs that run at some times."""

    def __init__(self, *busy: tuple[float, float]) -> None:
        self.now = 0.0
        self._busy = busy
        self.pauses: list[float] = []

    def is_busy(self) -> bool:
        return any(begin <= self.now < end for begin, end in self._busy)

    def spend(self, seconds: float) -> float:
        """Let time pass; how many seconds of a processor the others had."""
        other = seconds if self.is_busy() else 0.0
        self.now += seconds
        return other

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self._other = self.spend(seconds)

    def read(self) -> Reading:
        total = sum(min(self.now, end) - begin for begin, end in self._busy if begin < self.now)
        return Reading(moment=self.now, own=0.0, busy=total, stolen=0.0, throttled=0.0)

    def interference(self, most: float) -> Interference:
        return Interference(most, processors=2, read=self.read, sleep=self.sleep)


class Meter:
    """A model that takes half as long again while other programs run."""

    def __init__(self, machine: Machine, latency: int = LATENCY) -> None:
        self._machine, self._latency = machine, latency

    def warm_up(self, rule: Rule) -> WarmUp:
        return WarmUp(np.full(10, self._latency), True, 1, 50.0, 30.0, CALM)

    def take(self, samples: int, block: int, recovery: int = 0) -> Slice:
        factor = 1.5 if self._machine.is_busy() else 1.0
        noise = 1 + 0.001 * np.random.default_rng(0).standard_normal(samples)
        times = (self._latency * factor * noise).astype(np.int64)
        seconds = float(times.sum()) / 1e9
        other = self._machine.spend(seconds)
        return Slice(times, int(times.sum()), Activity(seconds, other, 0.0, 0.0, 0.0))

    def rest(self) -> None: ...


def measure(machine: Machine, most: float = 10.0, rule: Rule = RULE) -> Samples:
    (samples,) = sample([Meter(machine)], rule, interference=machine.interference(most))
    assert isinstance(samples, Samples)
    return samples


def test_what_was_measured_while_others_ran_is_set_aside():
    samples = measure(Machine((1.0, 3.0)))
    assert np.median(samples.timed) == pytest.approx(LATENCY, rel=0.01)
    assert samples.timed.max() < 1.1 * LATENCY
    assert len(samples.set_aside) > 0
    assert 0 < samples.paused_seconds <= 4


def test_a_calm_machine_is_measured_without_a_pause():
    samples = measure(Machine())
    assert (samples.paused_seconds, len(samples.set_aside)) == (0, 0)


def test_where_there_is_no_calm_everything_counts():
    machine = Machine((0.0, 1e6))
    samples = measure(machine, most=5.0)
    assert samples.paused_seconds == pytest.approx(5.0)
    assert len(samples.set_aside) == 0
    assert np.median(samples.timed) == pytest.approx(1.5 * LATENCY, rel=0.01)
    assert samples.stopped == "precise"


def test_load_that_comes_and_goes_is_set_aside_even_when_waiting_is_over():
    machine = Machine(*((begin, begin + 0.7) for begin in np.arange(0.5, 60.0, 2.0)))
    samples = measure(machine, most=1.0, rule=Rule(least_seconds=4.0, cap_seconds=20.0))
    assert samples.paused_seconds == pytest.approx(1.0)
    assert np.median(samples.timed) == pytest.approx(LATENCY, rel=0.01)
    assert np.mean(samples.timed > 1.2 * LATENCY) < 0.15
    assert samples.stopped == "precise"


def test_what_is_set_aside_does_not_lengthen_a_measurement_without_limit():
    machine = Machine(*((begin, begin + 0.7) for begin in np.arange(0.5, 600.0, 2.0)))
    samples = measure(machine, most=1.0, rule=Rule(least_seconds=99.0, cap_seconds=10.0))
    assert samples.stopped == "cap"
    assert machine.now < 13.0


def test_the_samples_stay_in_the_order_in_which_they_were_taken():
    samples = measure(Machine((0.6, 1e6)), most=3.0)
    slow = samples.timed > 1.2 * LATENCY
    assert slow.any()
    assert not slow[0]
    assert (np.diff(slow.astype(int)) >= 0).all()


def test_pauses_become_longer_up_to_a_limit():
    machine = Machine((0.0, 1e6))
    measure(machine, most=20.0)
    assert machine.pauses[:3] == [0.5, 1.0, 2.0]
    assert max(machine.pauses) == LONGEST_PAUSE


def test_an_exact_number_of_runs_is_never_interrupted():
    machine = Machine((0.0, 1e6))
    samples = measure(machine, rule=Rule.exactly(50))
    assert (samples.runs, machine.pauses) == (50, [])


def test_a_stormy_round_counts_for_nobody_in_a_race():
    machine = Machine((1.0, 2.5))
    meters = [Meter(machine), Meter(machine, 2 * LATENCY)]
    one, other = sample(meters, RULE, interference=machine.interference(10.0))
    assert len(one.slices) == len(other.slices)
    assert len(one.set_aside) > 0
    assert len(other.set_aside) > 0
    assert max(one.timed.max(), other.timed.max() / 2) < 1.1 * LATENCY


@pytest.mark.parametrize(
    ("found", "disturbed"),
    [
        (Activity(0.5, 0.1, 0.0, 0.0), False),
        (Activity(0.5, 0.3, 0.0, 0.0), True),
        (Activity(0.5, 0.0, 0.02, 0.0), False),
        (Activity(0.5, 0.0, 0.1, 0.0), True),
        (Activity(0.5, 0.0, 0.0, 0.1), True),
        (Activity(0.5), False),
    ],
)
def test_a_storm_is_told_by_what_others_had(found, disturbed):
    assert Interference(1.0, processors=2).is_disturbed(found) is disturbed


def test_what_the_hypervisor_takes_is_waited_for_once():
    """It does not show while nothing runs."""
    machine = Machine()
    machine.interference(10.0).wait_until_quiet()
    assert machine.pauses == [0.5]


def test_those_who_started_us_are_no_other_programs(tmp_path):
    folder = tmp_path / "proc" / str(os.getppid())
    folder.mkdir(parents=True)
    ticks = 7 * os.sysconf("SC_CLK_TCK")
    counters = f"S 1 1 1 0 -1 0 0 0 0 0 {ticks - 3} 3 99 99 20 0 1 0 1"
    (folder / "stat").write_text(f"{os.getppid()} (a (strange) name) {counters}\n")
    own = activity.read_activity(tmp_path).own - activity.read_activity(tmp_path / "nothing").own
    assert own == pytest.approx(7, abs=0.5)
