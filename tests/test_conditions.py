"""What else went on while we measured, and how that is said."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from turnkeyml.measure import (
    DEFAULT_RULE,
    ProcessResult,
    Rule,
    Samples,
    SessionInfo,
    SessionMeter,
    evaluation_of,
    find_flags,
    sample,
)
from turnkeyml.nouns import Conditions, Evaluation
from turnkeyml.runtimes import find_device, find_runtime
from turnkeyml.system import Activity, Reading, activity, machine

OURS = sorted(machine.allowed_processors())
TICK = 1 / os.sysconf("SC_CLK_TCK")


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


# The quota of the control groups


def test_a_quota_of_cgroup_v2_is_in_cores(tmp_path):
    files = {"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "150000 100000\n"}
    assert machine.cpu_quota(write(tmp_path, files)) == 1.5


def test_the_tightest_of_nested_groups_counts(tmp_path):
    files = {
        "proc/self/cgroup": "0::/outer/middle/inner\n",
        "sys/fs/cgroup/outer/cpu.max": "400000 100000\n",
        "sys/fs/cgroup/outer/middle/cpu.max": "200000 100000\n",
        "sys/fs/cgroup/outer/middle/inner/cpu.max": "max 100000\n",
    }
    assert machine.cpu_quota(write(tmp_path, files)) == 2


def test_in_a_container_our_group_is_the_root_of_what_is_mounted(tmp_path):
    files = {
        "proc/self/cgroup": "0::/kubepods/pod1/of-the-host\n",
        "sys/fs/cgroup/cpu.max": "50000 100000\n",
    }
    assert machine.cpu_quota(write(tmp_path, files)) == 0.5


@pytest.mark.parametrize("mount", ["cpu,cpuacct", "cpu"])
def test_a_quota_of_cgroup_v1_is_in_cores(tmp_path, mount):
    files = {
        "proc/self/cgroup": "7:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n",
        f"sys/fs/cgroup/{mount}/job/cpu.cfs_quota_us": "300000\n",
        f"sys/fs/cgroup/{mount}/job/cpu.cfs_period_us": "100000\n",
        f"sys/fs/cgroup/{mount}/cpu.cfs_quota_us": "-1\n",
        f"sys/fs/cgroup/{mount}/cpu.cfs_period_us": "100000\n",
    }
    assert machine.cpu_quota(write(tmp_path, files)) == 3


def test_no_limit_is_no_quota(tmp_path):
    files = {"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "max 100000\n"}
    assert machine.cpu_quota(write(tmp_path, files)) is None


def test_without_control_groups_there_is_no_quota(tmp_path):
    assert machine.cpu_quota(tmp_path) is None


# The counters of the kernel


def test_busy_and_stolen_time_are_those_of_our_processors(tmp_path):
    # user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice
    row = "100 10 20 5000 300 3 7 40 60 6"
    foreign = f"cpu{max(OURS) + 1} 9999 9999 9999 9999 9999 9999 9999 9999 0 0"
    lines = ["cpu 1 1 1 1 1 1 1 1 0 0", *(f"cpu{n} {row}" for n in OURS), foreign, "intr 12 3"]
    reading = activity.read_activity(write(tmp_path, {"proc/stat": "\n".join(lines) + "\n"}))
    assert reading.busy == pytest.approx(140 * TICK * len(OURS))
    assert reading.stolen == pytest.approx(40 * TICK * len(OURS))


@pytest.mark.parametrize(
    ("group", "folder", "line"),
    [
        ("0::/job", "job", "usage_usec 99\nnr_throttled 4\nthrottled_usec 2500000"),
        ("4:cpu:/job", "cpu/job", "nr_periods 9\nnr_throttled 4\nthrottled_time 2500000000"),
    ],
    ids=["v2", "v1"],
)
def test_throttled_time_is_in_seconds(tmp_path, group, folder, line):
    files = {"proc/self/cgroup": f"{group}\n", f"sys/fs/cgroup/{folder}/cpu.stat": f"{line}\n"}
    assert activity.read_activity(write(tmp_path, files)).throttled == 2.5


def test_the_quota_of_an_outer_group_throttles_us_too(tmp_path):
    # The kernel counts it where the quota is: the group that we are in says 0.
    files = {
        "proc/self/cgroup": "0::/outer/inner\n",
        "sys/fs/cgroup/outer/cpu.max": "150000 100000\n",
        "sys/fs/cgroup/outer/cpu.stat": "usage_usec 99\nthrottled_usec 3000000\n",
        "sys/fs/cgroup/outer/inner/cpu.max": "max 100000\n",
        "sys/fs/cgroup/outer/inner/cpu.stat": "usage_usec 99\nthrottled_usec 0\n",
    }
    assert activity.read_activity(write(tmp_path, files)).throttled == 3


def test_heat_is_counted_over_our_processors(tmp_path):
    place = "sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count"
    files = {place.format(n): "3\n" for n in OURS} | {place.format(max(OURS) + 1): "99\n"}
    assert activity.read_activity(write(tmp_path, files)).overheated == 3 * len(OURS)


def test_what_the_kernel_does_not_tell_is_not_known(tmp_path):
    reading = activity.read_activity(tmp_path)
    known = (reading.busy, reading.stolen, reading.throttled, reading.overheated)
    assert known == (None, None, None, None)


def test_this_kernel_tells_how_busy_it_is():
    before = activity.read_activity()
    sum(range(3_000_000))
    assert activity.read_activity().busy >= before.busy > 0


def test_other_programs_had_what_was_not_ours():
    before = Reading(moment=10, own=1, busy=5, stolen=1, throttled=0, overheated=7)
    later = Reading(moment=14, own=4, busy=10, stolen=1.5, throttled=0.25, overheated=9)
    found = before.until(later)
    assert found == Activity(seconds=4, other=2, stolen=0.5, throttled=0.25, overheated=2)
    assert found.other_cores == 0.5


def test_what_is_not_known_once_is_not_known_in_sum():
    assert (Activity(1.0, 0.5, 0.0) + Activity(1.0, None, 0.1)).other is None


def test_coarse_counters_invent_no_other_programs():
    """We alone run, in slices shorter than the kernel's tick, which it counts as a whole one."""
    moments = [0.2 * TICK * k for k in range(101)]
    readings = [Reading(moment=m, own=m, busy=m // TICK * TICK) for m in moments]
    slices = [before.until(later) for before, later in pairwise(readings)]
    assert sum(slices, Activity(0.0, 0.0, 0.0, 0.0, 0.0)).other_cores < 0.1


# What is said about it: in one sentence, as it may stand alone below a number

QUIET = Conditions("", "", "", "", usable_cores=2, processors="0,1", threads=2)


def samples_of(latencies: np.ndarray, **changes: object) -> Samples:
    timed = latencies.astype(np.int64)
    samples = Samples(
        timed=timed,
        block=1,
        slices=(len(timed),),
        walls=(int(timed.sum()),),
        warmup=timed[:5],
        steady=True,
        stopped="precise",
        timer=50.0,
        empty_call=30.0,
    )
    return replace(samples, **changes)


NORMAL = 1e7 * (1 + 0.01 * np.random.default_rng(0).standard_normal(200))
GOOD = samples_of(NORMAL)


def test_nothing_is_said_about_a_good_measurement():
    assert find_flags([GOOD], DEFAULT_RULE, QUIET) == ()


@pytest.mark.parametrize(
    ("kind", "conditions", "words"),
    [
        ("load", {"other_cores": 0.4}, ["0.4 of 2 processors", "stop them"]),
        ("load", {"other_cores": 0.05, "worst_other_cores": 0.9}, ["0.9 at worst", "stop them"]),
        ("steal", {"stolen_share": 0.03}, ["hypervisor", "3%", "dedicated machine"]),
        (
            "quota",
            {"throttled_seconds": 0.5, "cpu_quota": 1.5},
            ["quota of 1.5 cores", "0.5 s", "--threads"],
        ),
        ("heat", {"overheated": 3}, ["3 times", "heat", "cool it"]),
        ("threads", {"threads": 8}, ["more threads (8) than cores (2)", "--threads 2"]),
    ],
)
def test_what_went_on_is_said_with_what_to_do(kind, conditions, words):
    (flag,) = find_flags([GOOD], DEFAULT_RULE, replace(QUIET, **conditions))
    assert flag.kind == kind
    assert [w for w in words if w not in flag.text] == []
    assert flag.text.endswith(".")
    assert ". " not in flag.text


@pytest.mark.parametrize(
    ("kind", "samples", "words"),
    [
        (
            "timer",
            samples_of(NORMAL, timer=1e5),
            ["1.0% of each sample", "needs inputs of its own"],
        ),
        ("few", samples_of(NORMAL[:4]), ["4 samples are too few", "measure longer"]),
        ("unsteady", samples_of(NORMAL, steady=False), ["warm-up", "--rigorous"]),
        (
            "variation",
            samples_of(NORMAL * np.tile([1, 1.4], 100)),
            ["34%", "--threads"],
        ),
    ],
)
def test_what_is_wrong_with_the_samples_is_said_with_what_to_do(kind, samples, words):
    (flag,) = find_flags([samples], DEFAULT_RULE, QUIET)
    assert flag.kind == kind
    assert [w for w in words if w not in flag.text] == []
    assert flag.text.endswith(".")
    assert ". " not in flag.text


def test_what_an_option_has_caused_is_said_with_the_option():
    chosen = Rule.exactly(4)
    (timer,) = find_flags([samples_of(NORMAL, timer=1e5)], chosen, QUIET)
    (few,) = find_flags([samples_of(NORMAL[:4])], chosen, QUIET)
    assert "without --iterations" in timer.text
    assert "leave out --iterations or raise it" in few.text


def test_processes_that_differ_are_said_to():
    (flag,) = find_flags([samples_of(NORMAL), samples_of(1.1 * NORMAL)], DEFAULT_RULE, QUIET)
    assert flag.kind == "processes"
    assert "they differ" in flag.text


@pytest.mark.parametrize(
    "conditions",
    [
        {"other_cores": 0.05, "worst_other_cores": 0.2},
        {"stolen_share": 0.005},
        {"throttled_seconds": 0.01},
        {"overheated": 0},
        {"other_cores": None, "stolen_share": None, "throttled_seconds": None, "overheated": None},
    ],
)
def test_what_does_not_matter_or_is_not_known_is_not_said(conditions):
    assert find_flags([GOOD], DEFAULT_RULE, replace(QUIET, **conditions)) == ()


# The same with this machine


class Work:
    """About a millisecond of one processor."""

    changes_inputs = False
    asynchronous = False

    def prepare(self) -> None: ...

    def run(self) -> None:
        sum(range(30_000))


def evaluate(samples: Samples, rule: Rule) -> Evaluation:
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    return evaluation_of([ProcessResult(samples, SessionInfo(0.1))], device, runtime, 1, rule)


def kinds(evaluation: Evaluation) -> set[str]:
    return {flag.kind for flag in evaluation.performance.flags}


def test_every_evaluation_has_a_grade():
    short, rule = samples_of(NORMAL[:3], stopped="count"), Rule.exactly(3)
    assert [evaluate(GOOD, DEFAULT_RULE).grade, evaluate(short, rule).grade] == ["A", "D"]


def test_a_program_that_burns_a_processor_is_noticed():
    rule = Rule(least_seconds=1.5, cap_seconds=1.5, warmup_seconds=0.1)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        (samples,) = sample([SessionMeter(Work())], rule)
    finally:
        busy.kill()
        busy.wait()
    evaluation = evaluate(samples, rule)
    assert "load" in kinds(evaluation)
    assert evaluation.conditions.other_cores > 0.25


def test_a_single_tick_is_no_other_program():
    tick = Activity(0.1 * TICK, other=0.9 * TICK, stolen=0.0, throttled=0.0, overheated=0.0)
    assert "load" not in kinds(evaluate(replace(GOOD, activities=(tick,)), DEFAULT_RULE))
