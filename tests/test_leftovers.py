"""What a script leaves running is told as its own load, and never our own work."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest

from turnkeyml import benchmark_files
from turnkeyml.measure import DEFAULT_RULE, find_flags, grade_of
from turnkeyml.nouns import FlagKind
from turnkeyml.system import Activity, OwnLoad, Usage

from .test_conditions import GOOD, QUIET, evaluate
from .test_grade import conditions, performance

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the counters are those of Linux")

MODEL = """
import subprocess, sys, threading, _thread, time
import torch
net = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(4)))
net(torch.rand(64, 256))
def work():
    while True: pass
"""

LEFT = {
    "nothing": "",
    "a_thread": "threading.Thread(target=work, daemon=True).start()",
    "a_thread_that_only_the_system_knows": "_thread.start_new_thread(work, ())",
    "a_thread_that_sleeps": "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
    "a_child": "subprocess.Popen([sys.executable, '-c', 'while True: pass'])",
    "an_orphan": """
        program = f"{sys.executable} -c 'while True: pass' >/dev/null 2>&1 &"
        subprocess.run(["sh", "-c", program])
        """,
    "a_thread_and_a_child": """
        threading.Thread(target=work, daemon=True).start()
        subprocess.Popen([sys.executable, '-c', 'while True: pass'])
        """,
}

WATCHED = """
import dataclasses, json, os, signal
from turnkeyml.interpreter import adopt_orphans
from turnkeyml.system import children, note_leftovers, read_leftovers
adopt_orphans()
{script}
note_leftovers()
before = read_leftovers()
start = time.monotonic()
while time.monotonic() - start < 1:
    {meanwhile}
found = before.until(read_leftovers())
print(json.dumps(found and dataclasses.asdict(found)), flush=True)
for pid in children(os.getpid()):
    os.kill(pid, signal.SIGKILL)
os._exit(0)
"""


def script_of(name: str) -> str:
    return MODEL + textwrap.dedent(LEFT[name])


def watched(name: str, meanwhile: str = "time.sleep(0.1)") -> OwnLoad | None:
    """What is seen of what a script left over a second."""
    program = WATCHED.format(script=script_of(name), meanwhile=meanwhile)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    found = json.loads(done.stdout)
    return OwnLoad(**found) if found else None


@pytest.mark.parametrize(
    ("name", "threads", "processes"),
    [
        ("a_thread", 1, 0),
        ("a_thread_that_only_the_system_knows", 1, 0),
        ("a_child", 0, 1),
        ("an_orphan", 0, 1),
        ("a_thread_and_a_child", 1, 1),
    ],
)
def test_what_works_on_is_counted(name, threads, processes):
    found = watched(name)
    assert (found.threads, found.processes) == (threads, processes)
    assert found.cores > 0.05


def test_a_thread_that_sleeps_uses_nothing():
    found = watched("a_thread_that_sleeps")
    assert (found.threads, found.cores) == (0, 0.0)


def test_the_threads_of_our_own_runs_are_not_left_by_the_script():
    assert watched("nothing", meanwhile="net(torch.rand(64, 256))") is None
    found = watched("a_thread_that_sleeps", meanwhile="net(torch.rand(64, 256))")
    assert found.cores == 0


def test_a_process_that_has_ended_counts_for_nothing():
    assert Usage(1.0, processes={7: 3.0}).until(Usage(2.0, processes={7: 0.0})).cores == 0


# What is said about it


THREAD = OwnLoad(2.0, thread_seconds=1.8, threads=1)
PROCESSES = OwnLoad(2.0, process_seconds=1.8, processes=2)


@pytest.mark.parametrize(
    ("load", "text"),
    [
        (
            THREAD,
            "The script left 1 thread running that used 0.9 of 2 processors while its models were "
            "measured: end it before the script ends.",
        ),
        (
            PROCESSES,
            "The script left 2 processes running that used 0.9 of 2 processors while its models "
            "were measured: end them before the script ends.",
        ),
    ],
)
def test_it_is_said_with_what_to_do(load, text):
    (flag,) = find_flags(
        [replace(GOOD, own_load=load)], DEFAULT_RULE, replace(QUIET, own_cores=0.9)
    )
    assert (flag.kind, flag.text) == (FlagKind.OWN_LOAD, text)


def test_little_of_it_is_not_said():
    found = [replace(GOOD, own_load=replace(THREAD, thread_seconds=0.1))]
    assert not find_flags(found, DEFAULT_RULE, replace(QUIET, own_cores=0.05))


def test_it_lowers_the_grade_like_other_load():
    assert grade_of(performance(0.004), conditions(own_cores=0.1)) == "A"
    assert grade_of(performance(0.004), conditions(own_cores=0.6)) == "D"


def test_processes_of_the_script_are_no_other_programs():
    seen = (Activity(2.0, other=2.0),)
    alone = evaluate(replace(GOOD, activities=seen), DEFAULT_RULE).conditions
    assert (alone.other_cores, alone.own_cores) == (1.0, None)
    left = evaluate(replace(GOOD, activities=seen, own_load=PROCESSES), DEFAULT_RULE).conditions
    assert left.own_cores == pytest.approx(0.9)
    assert left.other_cores == pytest.approx(0.1)
    assert left.worst_other_cores == pytest.approx(0.1)
    threads = evaluate(replace(GOOD, activities=seen, own_load=THREAD), DEFAULT_RULE).conditions
    assert threads.other_cores == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["ort", "torch-eager"])
@pytest.mark.parametrize(("name", "what"), [("a_thread", "thread"), ("a_child", "process")])
def test_a_measurement_says_what_its_script_left(tmp_path, name, what, runtime):
    found = measure(tmp_path, name, runtime)
    (flag,) = [f for f in found.performance.flags if f.kind is FlagKind.OWN_LOAD]
    assert flag.text.startswith(f"The script left 1 {what} running")
    assert found.conditions.own_cores > 0.05


@pytest.mark.parametrize("runtime", ["ort", "torch-eager"])
def test_a_measurement_of_a_script_that_left_nothing_says_nothing(tmp_path, runtime):
    found = measure(tmp_path, "nothing", runtime)
    assert found.conditions.own_cores is None
    assert not [f for f in found.performance.flags if f.kind is FlagKind.OWN_LOAD]


def measure(tmp_path, name, runtime):
    script = tmp_path / "script.py"
    script.write_text(script_of(name))
    (result,) = benchmark_files(
        str(script), cache_dir=str(tmp_path / "cache"), runtime=[runtime], quick=True
    )
    ((found,),) = (row.evaluations for row in result.invocations)
    return found
