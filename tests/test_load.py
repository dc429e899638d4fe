"""Latency under load: the generator against queueing theory, the search, words and runtimes."""

from __future__ import annotations

import ctypes
import math
import os
import sys
import threading
import time

import numpy as np
import pytest

from tests.simulated import (
    MD1,
    MILLISECOND,
    MM1,
    SimulatedServer,
    deterministic,
    exponential,
)
from turnkeyml.errors import UsageError
from turnkeyml.measure import (
    QUICK_RULE,
    SAMPLES_NEEDED,
    Extent,
    LaneServer,
    Rule,
    closed_loop,
    extent_of,
    find_rate,
    is_overloaded,
    memory_of,
    open_loop,
    percentile,
    percentile_interval,
    poisson_arrivals,
    summary_of,
)
from turnkeyml.nouns import PERCENTILES, LoadPlan, Objective
from turnkeyml.options import concurrencies, load_of, objective, rates
from turnkeyml.system import GET_TIMER_SLACK, punctual

RATE, SERVICE = 70.0, 10.0
"""Requests per second and milliseconds: the server is busy for 70% of the time."""


def latencies_at(server: SimulatedServer, rate: float, count: int, seed: int) -> np.ndarray:
    trace = open_loop(server, poisson_arrivals(rate, count, seed))
    return trace.latencies / MILLISECOND


# The generator against theory


def test_a_schedule_has_the_rate_and_the_gaps_of_a_poisson_process() -> None:
    gaps = np.diff(poisson_arrivals(100.0, 40_000)) / 1e9
    assert np.mean(gaps) == pytest.approx(0.01, rel=0.02)
    assert np.std(gaps) == pytest.approx(0.01, rel=0.02)
    assert np.array_equal(poisson_arrivals(5.0, 10), poisson_arrivals(5.0, 10))


def test_rates_of_one_seed_differ_in_nothing_but_their_speed() -> None:
    slow, fast = poisson_arrivals(10.0, 100), poisson_arrivals(40.0, 100)
    assert np.allclose(slow, 4 * fast, atol=8)


@pytest.mark.parametrize(
    ("kind", "service"),
    [
        (MM1, lambda seed: exponential(SERVICE, 1000 + seed)),
        (MD1, lambda seed: deterministic(SERVICE)),
    ],
    ids=["M/M/1", "M/D/1"],
)
@pytest.mark.parametrize(("busy", "count"), [(0.6, 4_000), (0.9, 1_000)])
def test_percentiles_are_within_the_interval_that_theory_gives(
    kind, service, busy: float, count: int
) -> None:
    """Of many runs, the true percentile lies in the 95% interval of almost all."""
    runs, rate = 60, busy / SERVICE * 1e3
    theory = kind(rate, SERVICE)
    within = dict.fromkeys(PERCENTILES, 0)
    waited = []
    for seed in range(runs):
        trace = open_loop(SimulatedServer(service(seed)), poisson_arrivals(rate, count, seed))
        waited.append(float(trace.queueing.mean()) / MILLISECOND)
        for percent in PERCENTILES:
            low, high = percentile_interval(trace, percent)
            true = theory.percentile(percent)
            within[percent] += (low or 0.0) <= true <= (high or math.inf)
    assert min(within.values()) >= 0.9 * runs, within
    if busy < 0.9:  # a short run begins with an empty queue, which takes long to fill
        standard_error = np.std(waited, ddof=1) / math.sqrt(runs)
        assert abs(np.mean(waited) - theory.mean_queueing) < 3 * standard_error


def test_a_queue_that_cannot_keep_up_has_no_intervals() -> None:
    trace = open_loop(SimulatedServer(deterministic(SERVICE)), poisson_arrivals(1e3 / SERVICE, 900))
    assert memory_of(trace) == math.inf
    assert percentile_interval(trace, 90) == (None, None)


def test_clients_that_wait_make_no_waves() -> None:
    trace = closed_loop(SimulatedServer(deterministic(SERVICE)), 3, lambda sent, passed: sent < 300)
    assert memory_of(trace) == 1.0
    assert percentile_interval(trace, 90) == pytest.approx((3 * SERVICE, 3 * SERVICE))


def test_the_memory_of_a_queue_grows_as_it_gets_busy() -> None:
    lengths = []
    for rate in (50.0, 100.0, 150.0):
        server = SimulatedServer(deterministic(5.0))
        lengths.append(memory_of(open_loop(server, poisson_arrivals(rate, 100_000))))
    assert lengths == pytest.approx([1 / 2 / 0.75**2, 1 / 2 / 0.5**2, 1 / 2 / 0.25**2], rel=0.1)


def test_a_long_run_comes_close_to_theory() -> None:
    found = latencies_at(SimulatedServer(deterministic(SERVICE)), RATE, 200_000, seed=3)
    theory = MD1(RATE, SERVICE)
    for percent in PERCENTILES:
        assert percentile(found, percent) == pytest.approx(theory.percentile(percent), rel=0.04)
    assert found.mean() == pytest.approx(theory.mean_latency, rel=0.02)


def test_queueing_and_service_are_told_apart() -> None:
    trace = open_loop(SimulatedServer(deterministic(SERVICE)), poisson_arrivals(RATE, 5_000))
    load = summary_of(trace, "rate=70", 1)
    assert load.mean_service == load.median_service == SERVICE
    assert load.mean_queueing == pytest.approx(MD1(RATE, SERVICE).mean_queueing, rel=0.2)
    assert load.utilisation == pytest.approx(RATE * SERVICE / 1e3, rel=0.05)
    assert not load.overloaded


# Coordinated omission


def test_a_stall_shows_in_every_request_that_was_due_meanwhile() -> None:
    """A server that stops for a second, once: a naive loop reports one slow request."""
    stall, usual, at = 1_000.0, 1.0, 300

    def service(number: int) -> float:
        return (stall if number == at else usual) * MILLISECOND

    rate, count = 100.0, 1_000
    trace = open_loop(SimulatedServer(service), poisson_arrivals(rate, count))
    open_found = trace.latencies / MILLISECOND
    naive = closed_loop(SimulatedServer(service), 1, lambda sent, passed: sent < count)
    naive_found = naive.latencies / MILLISECOND

    assert percentile(naive_found, 99) == usual  # what a loop that waits would report
    assert (open_found > 100 * usual).sum() > 0.8 * rate * stall / 1e3  # those due in that second
    assert percentile(open_found, 95) > stall / 4
    assert open_found.max() >= stall


def test_a_late_generator_counts_against_the_latency() -> None:
    class LateServer(SimulatedServer):
        def sleep_until(self, moment: int) -> None:
            super().sleep_until(moment + 3 * MILLISECOND)  # the generator wakes up late

    trace = open_loop(LateServer(deterministic(1.0)), poisson_arrivals(10.0, 100))
    assert trace.lateness.min() == 3 * MILLISECOND
    assert trace.latencies.min() >= 4 * MILLISECOND
    assert summary_of(trace, "rate=10", 1).worst_lateness >= 3.0


# Closed loops, overload


@pytest.mark.parametrize(("clients", "lanes"), [(1, 1), (4, 1), (8, 2), (3, 8)])
def test_a_closed_loop_obeys_littles_law(clients: int, lanes: int) -> None:
    server = SimulatedServer(exponential(5.0, seed=1), lanes)
    trace = closed_loop(server, clients, lambda sent, passed: sent < 5_000)
    throughput = len(trace.due) / trace.wall
    assert throughput * trace.latencies.mean() == pytest.approx(clients, rel=0.01)
    assert trace.lateness.max() == 0
    assert not is_overloaded(trace)


def test_an_overloaded_server_is_called_so_and_its_backlog_given_up() -> None:
    trace = open_loop(SimulatedServer(deterministic(SERVICE)), poisson_arrivals(300.0, 3_000))
    load = summary_of(trace, "rate=300", 1, rate=300.0)
    assert load.overloaded
    assert load.answered < load.requests == 3_000
    assert load.answered / (trace.wall / 1e9) == pytest.approx(1e3 / SERVICE, rel=0.01)
    assert percentile(trace.latencies / MILLISECOND, 99) > 2_000  # it waited so long, at least


def test_a_busy_server_that_keeps_up_is_not_overloaded() -> None:
    for seed in range(10):
        server = SimulatedServer(deterministic(SERVICE))
        assert not is_overloaded(open_loop(server, poisson_arrivals(85.0, 2_000, seed)))


# The search for a rate


@pytest.mark.parametrize("percent", PERCENTILES)
def test_the_search_finds_the_rate_that_theory_gives(percent: int) -> None:
    limit = MM1(RATE, SERVICE).percentile(percent)
    found = find_rate(
        SimulatedServer(exponential(SERVICE, seed=7)),
        Objective(percent, limit),
        Extent(20_000, 200.0, 600.0, 0.02),
    )
    assert found.rate == pytest.approx(RATE, rel=0.08)
    assert found.exceeded_at is not None
    assert found.rate < found.exceeded_at <= found.rate * 1.1
    assert found.capacity == pytest.approx(1e3 / SERVICE, rel=0.1)
    assert percentile(found.trace.latencies / MILLISECOND, percent) <= limit
    assert len(found.trace.due) >= SAMPLES_NEEDED[percent]


def test_the_search_uses_every_instance() -> None:
    server = SimulatedServer(deterministic(SERVICE), lanes=4)
    found = find_rate(server, Objective(99, 10 * SERVICE), Extent(5_000, 20.0, 60.0, 0.05))
    assert found.rate is not None
    assert 350 < found.rate < 400  # of four times 100 per second


def test_no_rate_keeps_a_limit_below_the_service_time() -> None:
    server = SimulatedServer(deterministic(SERVICE))
    found = find_rate(server, Objective(99, SERVICE / 2), Extent(1_000, 10.0, 60.0, 0.05))
    assert found.rate is None
    assert found.trace.is_closed
    assert not found.probes


def test_no_rate_beyond_the_capacity_keeps_even_a_lax_limit() -> None:
    server = SimulatedServer(deterministic(SERVICE))
    found = find_rate(server, Objective(99, 60_000.0), Extent(1_000, 10.0, 60.0, 0.05))
    assert found.rate is not None
    assert 80 < found.rate <= 100


def test_a_probe_that_cannot_keep_the_objective_any_more_is_given_up() -> None:
    server = SimulatedServer(deterministic(SERVICE))
    found = find_rate(server, Objective(99, 1.01 * SERVICE), Extent(1_000, 10.0, 60.0, 0.05))
    broken = [probe for probe in found.probes if not probe.kept]
    assert broken
    assert all(probe.requests < 1_000 for probe in broken)


def test_a_single_disturbance_does_not_mislead_the_search() -> None:
    calls = 0

    def service(number: int) -> float:
        nonlocal calls
        calls += 1
        return (3_000.0 if calls == 3_000 else SERVICE) * MILLISECOND  # others had the machine

    found = find_rate(
        SimulatedServer(service), Objective(99, 20 * SERVICE), Extent(2_000, 10.0, 60.0, 0.05)
    )
    assert calls > 3_000
    assert found.rate is not None
    assert found.rate > 80


def test_a_search_ends_with_what_it_has_found_when_its_budget_is_spent() -> None:
    limit = Objective(99, 3 * SERVICE)
    spent = {}
    for budget in (1.0, 400.0):
        server = SimulatedServer(deterministic(SERVICE))
        found = find_rate(server, limit, Extent(0, budget, budget, 0.01, is_budget=True))
        assert found.rate is not None
        spent[budget] = len(found.probes), found.resolution
    assert spent[1.0][0] < spent[400.0][0]
    assert spent[1.0][1] > spent[400.0][1]


# How long


def test_a_load_is_kept_up_as_long_as_its_rule_says() -> None:
    assert extent_of(Rule()).count_at(1_000.0) == 10_000  # ten seconds
    assert extent_of(Rule()).count_at(20.0) == 1_000  # enough for a p99
    assert extent_of(Rule()).count_at(1.0) == 60  # a minute, and no p99
    assert extent_of(QUICK_RULE).count_at(1.0) == 10
    assert extent_of(Rule.exactly(77)).count_at(1_000.0) == 77
    assert extent_of(Rule().within(3.0)).count_at(100.0) == 300
    assert not extent_of(Rule.exactly(77)).goes_on(77, 0)
    searching = extent_of(Rule().within(70.0)).for_percentile(99)
    assert searching.count_at(100.0) == 1_000  # a seventh of the budget for each rate
    assert searching.count_at(1.0) == SAMPLES_NEEDED[99]  # but as many as a p99 needs


def test_the_percentiles_of_the_words_are_those_of_the_statistics() -> None:
    assert tuple(SAMPLES_NEEDED) == PERCENTILES


# Real time, real threads


class SleepingSession:
    """A session whose runs take a known time."""

    changes_inputs = False
    asynchronous = False

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.threads: set[int] = set()

    def prepare(self) -> None: ...

    def run(self) -> None:
        self.threads.add(threading.get_ident())
        time.sleep(self._seconds)

    def synchronize(self) -> None: ...


def test_real_threads_answer_in_real_time() -> None:
    sessions = [SleepingSession(0.002) for _ in range(2)]
    server = LaneServer(sessions)  # type: ignore[arg-type]
    trace = open_loop(server, poisson_arrivals(400.0, 200))
    closed = closed_loop(server, 4, lambda sent, passed: sent < 100)
    server.close()
    assert trace.answered.all()
    assert trace.service.min() >= 2 * MILLISECOND
    assert (trace.started >= trace.sent).all()
    assert (trace.sent >= trace.due).all()
    assert (trace.ended >= trace.started).all()
    assert len(closed.due) >= 100
    assert closed.answered.all()
    assert [len(session.threads) for session in sessions] == [1, 1]  # each in its own


def test_a_session_that_fails_ends_the_measurement() -> None:
    class Failing(SleepingSession):
        def run(self) -> None:
            raise RuntimeError("out of memory")

    server = LaneServer([Failing(0.0)])  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="out of memory"):
        open_loop(server, poisson_arrivals(100.0, 20))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked")
def test_a_punctual_thread_is_as_it_was_afterwards() -> None:
    slack = ctypes.CDLL(None).prctl
    before = slack(GET_TIMER_SLACK, 0, 0, 0, 0), os.nice(0)
    with punctual():
        assert slack(GET_TIMER_SLACK, 0, 0, 0, 0) == 1
        assert os.nice(0) == before[1]
    assert (slack(GET_TIMER_SLACK, 0, 0, 0, 0), os.nice(0)) == before


# Words


def test_loads_are_numbers_lists_and_ranges() -> None:
    assert concurrencies("1,2,4") == concurrencies((1, 2, 4)) == (1, 2, 4)
    assert concurrencies("1..16*2") == (1, 2, 4, 8, 16)
    assert concurrencies(3) == (3,)
    assert rates("10,20.5") == (10.0, 20.5)
    assert rates(0.5) == (0.5,)
    assert rates(None) == concurrencies(None) == ()
    assert objective("p99=50ms") == Objective(99, 50.0)
    assert objective("p90=1.5s") == Objective(90, 1500.0)
    assert objective("p50=250us") == Objective(50, 0.25)
    assert load_of({"rate": (10.0,), "instances": 2}) == LoadPlan(rates=(10.0,), instances=2)
    assert load_of({}) is None


@pytest.mark.parametrize(
    ("check", "word"),
    [
        (rates, "0"),
        (rates, "-5"),
        (rates, "fast"),
        (rates, "nan"),
        (rates, "inf"),
        (rates, ""),
        (rates, "10,,20"),
        (concurrencies, "0"),
        (concurrencies, "2.5"),
        (concurrencies, "-1"),
        (objective, "p42=50ms"),
        (objective, "p99=50"),
        (objective, "p99=50m"),
        (objective, "p99=0ms"),
        (objective, "p99=-1ms"),
        (objective, "99=50ms"),
        (objective, "p99"),
    ],
)
def test_wrong_words_get_one_sentence(check, word: str) -> None:
    with pytest.raises(UsageError) as error:
        check(word)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(".")
