"""How far apart the processors are: looking, waiting, recording, and what is said about it."""

from __future__ import annotations

import itertools
import os
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from turnkeyml.display import cautions
from turnkeyml.measure import (
    DEFAULT_RULE,
    QUICK_RULE,
    RIGOROUS_RULE,
    Distance,
    MachineFacts,
    ProcessResult,
    Rule,
    Samples,
    SessionInfo,
    SessionMeter,
    are_apart,
    bring_together,
    evaluation_of,
    extremes,
    load_distances,
    may_move,
    memory_speed,
    pass_a_token_around,
    save_evaluation,
)
from turnkeyml.measure import meter as meters
from turnkeyml.measure import session as opening
from turnkeyml.nouns import Evaluation, FlagKind, Grade
from turnkeyml.runtimes import Request, find_device, find_runtime

NEAR, FAR = 1.5, 3.9
ROUNDS, EACH = 20, 50
VIRTUAL = "AuthenticAMD fpu hypervisor lahf_lm"


def test_a_look_tells_a_number_and_leaves_the_affinity_alone():
    before = os.sched_getaffinity(0)
    found = Distance().look()
    assert os.sched_getaffinity(0) == before
    assert found is None or 0.3 < found < 100


def test_one_processor_is_at_no_distance():
    assert Distance([0]).look() is None


def test_processors_that_are_gone_are_no_error():
    before = os.sched_getaffinity(0)
    assert Distance([100_000, 100_001]).look() is None
    assert os.sched_getaffinity(0) == before


def test_a_few_odd_looks_do_not_count_as_extremes():
    low, high = extremes([NEAR] * 50 + [30.0])
    assert (low, high) == (NEAR, NEAR)
    assert extremes([]) is None
    assert extremes([float("nan")]) is None


@pytest.mark.parametrize(
    ("cpu", "shared", "processors", "may"),
    [
        (VIRTUAL, "0-1", {0, 1}, True),
        (VIRTUAL, "0-3,8", {1, 8}, True),
        ("AuthenticAMD fpu lahf_lm", "0-1", {0, 1}, False),
        ("GenuineIntel fpu hypervisor lahf_lm", "0-1", {0, 1}, False),
        (VIRTUAL, "0", {0, 1}, False),
        (VIRTUAL, "0", {0}, False),
        (VIRTUAL, "0-15", set(range(16)), False),
        (VIRTUAL, "rubbish", {0, 1}, False),
    ],
)
def test_only_some_virtual_machines_move_processors(tmp_path, cpu, shared, processors, may):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(f"{cpu}\n")
    cache = tmp_path / f"sys/devices/system/cpu/cpu{min(processors)}/cache/index3"
    cache.mkdir(parents=True)
    (cache / "shared_cpu_list").write_text(f"{shared}\n")
    assert may_move(tmp_path, processors) is may


def test_without_a_description_of_the_caches_nothing_is_assumed(tmp_path):
    assert not may_move(tmp_path, {0, 1})


@pytest.mark.parametrize("looks", [[NEAR], [None], [FAR, FAR, NEAR], [FAR, None]])
def test_processors_are_pulled_together_until_they_are(looks):
    found, pulled = iter(looks), []
    distance, _ = bring_together(lambda: next(found), 15.0, pulled.append)
    assert distance == looks[-1]
    assert len(pulled) == len(looks) - 1


def test_pulling_ends_when_its_time_is_over():
    distance, waited = bring_together(lambda: FAR, 0.05, time.sleep)
    assert distance == FAR
    assert waited >= 0.05


def test_a_token_goes_round_all_processors_and_leaves_us_where_we_were():
    allowed = os.sched_getaffinity(0)
    threads = threading.active_count()
    pass_a_token_around(0.05)
    assert os.sched_getaffinity(0) == allowed
    assert threading.active_count() == threads


def test_a_meter_brings_the_processors_together_if_the_rule_lets_it(monkeypatch):
    monkeypatch.setattr("turnkeyml.measure.meter.may_move", lambda: True)
    looks = iter([FAR, NEAR, *[NEAR] * 99])
    meter = SessionMeter(Idle(), look=lambda: next(looks))
    meter.warm_up(replace(QUICK_RULE, placement_seconds=5.0))
    assert meter.take(1, 1).distance == NEAR
    looks = iter([FAR] * 99)
    meter = SessionMeter(Idle(), look=lambda: next(looks))
    meter.warm_up(QUICK_RULE)
    part = meter.take(1, 1)
    assert (part.distance, part.waited) == (FAR, 0.0)


def test_only_a_rigorous_measurement_waits():
    assert DEFAULT_RULE.placement_seconds == 0
    assert RIGOROUS_RULE.placement_seconds > 0
    assert RIGOROUS_RULE.within(10.0).placement_seconds <= 0.5


class Idle:
    """A session that does nothing."""

    changes_inputs = False
    asynchronous = False

    def prepare(self) -> None: ...

    def run(self) -> None: ...


def test_a_meter_looks_now_and_then(monkeypatch):
    looks = itertools.count(1)
    meter = SessionMeter(Idle(), look=lambda: float(next(looks)))
    assert [meter.take(1, 1).distance for _ in range(3)] == [1.0, 1.0, 1.0]
    monkeypatch.setattr(meters, "LOOK_SECONDS", 0.0)
    assert meter.take(1, 1).distance == 2.0


def test_a_meter_that_is_not_told_to_does_not_look():
    assert SessionMeter(Idle()).take(1, 1).distance is None


def samples_of(distances: tuple[float | None, ...], slow: float = 1.06) -> Samples:
    """Rounds that take longer while the processors are far apart."""
    random = np.random.default_rng(3)
    latencies = [
        1e7 * (slow if d == FAR else 1.0) * random.normal(1, 0.005, EACH) for d in distances
    ]
    timed = np.concatenate(latencies).astype(np.int64)
    return Samples(
        timed=timed,
        block=1,
        slices=(EACH,) * len(distances),
        walls=tuple(int(part.sum()) for part in latencies),
        warmup=np.ones(1, dtype=np.int64),
        steady=True,
        stopped="precise",
        timer=50.0,
        empty_call=50.0,
        distances=distances,
    )


def evaluated(*distances: float | None, threads: int = 2, may_move: bool = False) -> Evaluation:
    sitting = ProcessResult(
        samples_of(distances), SessionInfo(0.1, site=MachineFacts(may_move=may_move))
    )
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    return evaluation_of([sitting], device, runtime, threads, Rule())


def kinds(evaluation: Evaluation) -> set[FlagKind]:
    assert evaluation.performance is not None
    return {flag.kind for flag in evaluation.performance.flags}


def test_the_distance_is_recorded_and_kept_with_the_samples(tmp_path):
    distances = (None, *(NEAR,) * (ROUNDS - 2), FAR)
    sitting = ProcessResult(samples_of(distances), SessionInfo(0.1))
    evaluation = evaluated(*distances)
    save_evaluation(tmp_path, [sitting, sitting], evaluation)
    first, second = load_distances(tmp_path / "samples.npz")
    assert len(first) == len(second) == ROUNDS * EACH
    assert np.isnan(first[0])
    assert (first[EACH], first[-1]) == pytest.approx((NEAR, FAR))
    assert evaluation.conditions.processor_distance == NEAR


def test_samples_of_older_versions_have_no_distance(tmp_path):
    np.savez(tmp_path / "samples.npz", timed=np.ones(5), processes=np.array([2, 3]))
    assert [len(d) for d in load_distances(tmp_path / "samples.npz")] == [2, 3]
    assert np.isnan(np.concatenate(load_distances(tmp_path / "samples.npz"))).all()


def test_processors_that_move_are_flagged_and_no_drift_is_blamed_on_the_model():
    moved = (NEAR,) * 12 + (FAR,) * 8
    assert kinds(evaluated(*moved)) == {FlagKind.PLACEMENT}
    unknown = replace(samples_of(moved), distances=())
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    record = evaluation_of([ProcessResult(unknown, SessionInfo(0.1))], device, runtime, 2, Rule())
    assert FlagKind.DRIFT in kinds(record)


def test_processors_that_stay_are_not_flagged():
    assert kinds(evaluated(*(NEAR,) * ROUNDS)) == set()
    assert kinds(evaluated(*(1.4, 1.5, 1.6, 1.7) * 5)) == set()
    assert kinds(evaluated(*(None,) * ROUNDS)) == set()


def test_one_thread_does_not_care():
    assert FlagKind.PLACEMENT not in kinds(evaluated(*(NEAR,) * 12, *(FAR,) * 8, threads=1))


@pytest.mark.parametrize(("may", "flagged"), [(True, {FlagKind.PLACEMENT}), (False, set())])
def test_processors_that_are_apart_all_the_time_are_flagged_where_they_need_not_be(may, flagged):
    evaluation = evaluated(*(FAR,) * ROUNDS, may_move=may)
    assert are_apart(evaluation.conditions.processor_distance)
    assert evaluation.conditions.processors_apart is may
    assert kinds(evaluation) == flagged
    assert evaluation.grade is (Grade.C if may else Grade.A)
    assert [bool(cautions([evaluation]))] == [may]


def test_the_speed_of_the_memory_is_plausible():
    found = memory_speed()
    assert found is not None
    assert 0.1 < found < 10_000


def test_the_record_has_the_middle_of_what_the_memory_was_seen_to_do():
    sitting = ProcessResult(
        replace(samples_of((NEAR,) * 4), memory_speeds=(19.0, 20.0)), SessionInfo(0.1)
    )
    other = ProcessResult(replace(sitting.samples, memory_speeds=(20.0, 25.0)), SessionInfo(0.1))
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    record = evaluation_of([sitting, other], device, runtime, 2, Rule())
    assert record.conditions.memory_speed == 20.0


@pytest.mark.parametrize(
    ("asynchronous", "threads", "looks"), [(False, 2, True), (False, 1, False), (True, 2, False)]
)
def test_we_look_where_threads_pass_data_to_each_other(asynchronous, threads, looks):
    """What runs on an accelerator has one thread here, whatever it was given."""

    class Session:
        changes_inputs = False

        def run(self):
            return None

        synchronize = prepare = run

    session = Session()
    session.asynchronous = asynchronous
    meter = opening._meter(find_runtime("ort", "x86"), session, Request(threads=threads))
    assert (meter._look is not None) == looks
