"""How inputs end: whatever ends one is in the records of its builds, and ends nothing else."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from turnkeyml.api import build_stats, build_summaries
from turnkeyml.cache import (
    ABANDONED,
    BuildFolder,
    BuildState,
    PhaseEnd,
    Work,
    begin_work,
    build_folders,
    end_work,
    load_state,
    read_stats,
    retire_evaluations,
    update_stats,
    write_state,
)
from turnkeyml.nouns import BuildStatus, Evaluation, InputResult, from_dict
from turnkeyml.system import TreeMemory

from .conftest import SMALL_MODEL

MODEL = """
import os, signal, sys, time
import torch

def called_by(name):
    frame = sys._getframe()
    while frame is not None and not frame.f_code.co_filename.endswith(name):
        frame = frame.f_back
    return frame is not None

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, x):
        if called_by("{phase}"):
            {act}
        return self.layer(x)

Model()(torch.rand(2, 4))
"""
BUILDING, MEASURING = "build/builder.py", "evaluate/measuring.py"
SLEEP = "open(__file__ + '.there', 'w').close(); time.sleep(600)"


def model_script(folder: Path, name: str, phase: str, act: str) -> Path:
    """A script whose model does something where it is built or measured."""
    path = folder / f"{name}.py"
    path.write_text(MODEL.format(phase=phase, act=act))
    return path


def plain_script(folder: Path, name: str, body: str) -> Path:
    """A script that calls a model and then does something."""
    path = folder / f"{name}.py"
    call = "SmallModel()(torch.rand(1, 4))\nimport os, signal, sys, time\n"
    path.write_text(SMALL_MODEL + call + textwrap.dedent(body))
    return path


def command(cache: Path, *words: object) -> list[str]:
    return [sys.executable, "-m", "turnkeyml", *map(str, words), "-d", str(cache)]


def run(cache: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(cache, *words), capture_output=True, text=True, timeout=250)


def results_of(done: subprocess.CompletedProcess[str]) -> dict[str, InputResult]:
    results = [from_dict(InputResult, r) for r in json.loads(done.stdout)["results"]]
    return {Path(result.input.path).stem: result for result in results}


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 100
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def records(cache: Path, stem: str) -> tuple[dict, dict]:
    """The state and the stats of the build of a script, as the commands read them."""
    (found,) = build_stats(f"{stem}_*", cache_dir=str(cache))
    return found.state or {}, found.stats


class Caches:
    """The same commands for every end: what a person sees of it."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache

    def status(self, stem: str) -> tuple[str | None, str]:
        """The status and the reason in the report, which the gate of compare reads as well."""
        path = self.cache.parent / "report.json"
        done = run(self.cache, "cache", "report", "-o", path)
        assert done.returncode == 0, done.stderr
        rows = json.loads(path.read_text())
        (row,) = [r for r in rows if r["build_name"].startswith(stem)]
        return row["status"], row["reason"]

    def failed(self) -> set[str]:
        """What ``cache delete --failed`` would delete."""
        found = build_summaries(cache_dir=str(self.cache))
        return {build.name.rpartition("_")[0] for build in found if build.failed}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Inputs that end in their own ways while they are built or measured, in one run."""
    folder = tmp_path_factory.mktemp("ended")
    scripts = [
        model_script(folder, "exits_in_build", BUILDING, "os._exit(7)"),
        model_script(folder, "dies_in_build", BUILDING, "os.kill(os.getpid(), 9)"),
        model_script(folder, "grows_in_build", BUILDING, "x = bytearray(1 << 31); time.sleep(60)"),
        model_script(folder, "dies_in_measurement", MEASURING, "os.kill(os.getpid(), 11)"),
        model_script(folder, "good", "nowhere", "pass"),
    ]
    words = ("--runtime", "ort", "torch-eager", "--iterations", 5, "--memory-limit", "1500M")
    done = run(folder / "cache", *scripts, *words, "--jobs", 2, "--json")
    return Caches(folder / "cache"), results_of(done)


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("exits_in_build", "failed_build", "The process exited with code 7 "),
        ("dies_in_build", "killed", "The process was killed by signal 9 (SIGKILL) "),
        ("grows_in_build", "killed", "out of memory at "),
        ("dies_in_measurement", "failed", "The process was killed by signal 11 (SIGSEGV"),
    ],
)
def test_every_end_is_in_the_record_of_its_build(ended, name, status, reason):
    caches, results = ended
    told = results[name].failure
    assert told.startswith(reason)
    state, stats = records(caches.cache, name)
    if status == "failed":  # the build is whole, its measurements are not
        assert state["build_status"] == "successful_build"
        assert {e["runtime"] for e in stats["evaluations"]} == {"ort", "torch-eager"}
        assert {(e["status"], e["reason"]) for e in stats["evaluations"]} == {("failed", told)}
    else:
        assert (state["build_status"], state["failure"]["message"]) == (status, told)
        assert (stats["build"]["status"], stats["build"]["failure"]) == (status, told)
        assert caches.status(name) == (status, told)
        assert results[name].invocations[0].build_status == status
    assert "working" not in stats


def test_what_was_killed_has_failed_for_the_commands_of_the_cache(ended):
    caches, _ = ended
    lost = {"exits_in_build", "dies_in_build", "grows_in_build", "dies_in_measurement"}
    assert caches.failed() == lost
    listed = run(caches.cache, "cache", "list")
    assert lost <= {line.rpartition("_")[0] for line in listed.stdout.splitlines()}
    assert records(caches.cache, "good")[0]["build_status"] == "successful_build"


def test_a_killed_build_is_not_measured_again_and_the_reason_is_told(ended):
    caches, results = ended
    (name,) = [f.name for f in build_folders(caches.cache) if f.name.startswith("dies_in_build")]
    done = run(caches.cache, "cache", "benchmark", name, "--json")
    (build,) = json.loads(done.stdout)["builds"]
    (evaluation,) = build["evaluations"]
    why = results["dies_in_build"].failure.rstrip(".")
    assert evaluation["reason"] == f"the build failed ({why}); run its script again"


@pytest.mark.slow
def test_the_gate_sees_a_build_that_was_killed(ended, tmp_path):
    """The same script was measured before, and is killed now."""
    caches, _ = ended
    before = tmp_path / "before"
    (tmp_path / "scripts").mkdir()
    good = model_script(tmp_path / "scripts", "dies_in_build", BUILDING, "pass")
    assert run(before, good, "--iterations", 5).returncode == 0
    words = ("compare", before, caches.cache, "--fail-on", "failed")
    program = [sys.executable, "-m", "turnkeyml", *map(str, words)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert "failed: dies_in_build_" in done.stdout + done.stderr


@pytest.fixture(scope="module")
def timed_out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("timed_out")
    scripts = [
        model_script(folder, "hangs_in_build", BUILDING, SLEEP),
        model_script(folder, "hangs_in_measurement", MEASURING, SLEEP),
        plain_script(folder, "stops_itself", "os.kill(os.getpid(), signal.SIGSTOP)"),
    ]
    words = ("--runtime", "torch-eager", "ort", "--iterations", 5, "--timeout", 20, "--jobs", 3)
    done = run(folder / "cache", *scripts, *words, "--json")
    return Caches(folder / "cache"), results_of(done)


@pytest.mark.slow
def test_a_timeout_in_a_build_is_its_status(timed_out):
    caches, results = timed_out
    assert results["hangs_in_build"].failure.startswith("timeout after 20 s ")
    assert caches.status("hangs_in_build") == ("timeout", results["hangs_in_build"].failure)
    assert caches.failed() == {"hangs_in_build", "hangs_in_measurement"}


@pytest.mark.slow
def test_a_timeout_in_a_measurement_is_in_its_evaluations(timed_out):
    caches, results = timed_out
    told = results["hangs_in_measurement"].failure
    assert told.startswith("timeout after 20 s while measuring with ")
    state, stats = records(caches.cache, "hangs_in_measurement")
    assert state["build_status"] == "successful_build"
    assert [e["reason"] for e in stats["evaluations"]] == [told, told]


@pytest.mark.slow
def test_a_script_that_stops_itself_is_told_as_that(timed_out):
    told = timed_out[1]["stops_itself"].failure
    assert told.startswith("The process was stopped by signal 19 (SIGSTOP) while the script ran")


@pytest.mark.parametrize(
    ("number", "phase", "status"),
    [
        (signal.SIGKILL, BUILDING, "killed"),
        pytest.param(signal.SIGKILL, MEASURING, "failed", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, BUILDING, "killed", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, MEASURING, "failed", marks=pytest.mark.slow),
    ],
)
def test_the_end_of_the_whole_run_is_in_the_record(tmp_path, number, phase, status):
    """After SIGKILL nothing is left that could write it: the readers find out."""
    script, cache = model_script(tmp_path, "sleeps", phase, SLEEP), tmp_path / "cache"
    words = command(cache, script, "--runtime", "torch-eager", "ort", "--iterations", 5)
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(Path(f"{script}.there").exists)
        (folder,) = build_folders(cache)
        (running,) = build_summaries(cache_dir=str(cache))
        assert (running.failed, bool(running.evaluations)) == (False, False)
        process.send_signal(number)
        process.wait(60)
    wait_for(lambda: not folder.is_held)
    told, reason = Caches(cache).status("sleeps") if phase == BUILDING else _measured(cache)
    assert (told, reason.startswith("interrupted")) == (status, True)
    assert Caches(cache).failed() == {"sleeps"}
    if phase == BUILDING:
        assert load_state(folder.name, cache).build_status is BuildStatus.KILLED
        assert records(cache, "sleeps")[0]["build_status"] == "killed"


def _measured(cache: Path) -> tuple[str, str]:
    """The status and the reason that all measurements of the one build have."""
    _, stats = records(cache, "sleeps")
    ((status, reason),) = {(e["status"], e["reason"]) for e in stats["evaluations"]}
    assert len(stats["evaluations"]) == 2
    return status, reason


def measurement(median: float | None, **more: object) -> Evaluation:
    data = {"device_type": "x86", "device": "a CPU", "runtime": "ort", "precision": "fp32"}
    if median is None:
        return from_dict(Evaluation, {**data, "status": "failed", "reason": "it broke", **more})
    return from_dict(Evaluation, {**data, "measured_at": "2026-01-01T00:00:00+0000", **more})


@pytest.fixture
def measured(tmp_path):
    """A build that was measured, and whose next measurement was killed together with the run."""
    folder = BuildFolder(tmp_path, "net_12345678")
    folder.path.mkdir()
    with folder.lock():
        update_stats(folder, model_name="net", evaluations=[measurement(1.0)])
        begin_work(folder, Work(evaluations=(measurement(None, reason=""),)))
    return folder


def test_an_interruption_does_not_replace_a_measurement_that_succeeded(measured):
    assert [e["status"] for e in read_stats(measured)["evaluations"]] == ["successful"]
    end_work(measured, ABANDONED)
    assert [e["status"] for e in read_stats(measured)["evaluations"]] == ["successful"]
    (line,) = measured.history.read_text().splitlines()
    assert json.loads(line)["reason"] == ABANDONED.message


def test_a_timeout_replaces_a_measurement_that_succeeded(measured):
    end_work(measured, PhaseEnd(BuildStatus.TIMEOUT, "timeout after 9 s"))
    (evaluation,) = read_stats(measured)["evaluations"]
    assert (evaluation["status"], evaluation["reason"]) == ("failed", "timeout after 9 s")
    (line,) = measured.history.read_text().splitlines()
    assert json.loads(line)["status"] == "successful"


def test_a_build_that_is_killed_is_seen_beside_measurements_that_stay(tmp_path):
    """Those of the live model stay where its file is built anew."""
    folder = BuildFolder(tmp_path, "net_12345678")
    folder.path.mkdir()
    live, file = measurement(1.0, runtime="torch-eager"), measurement(1.0, artifact="onnx/a.onnx")
    running = BuildState("net", BuildStatus.RUNNING, "0", "torch", "1" * 8, "2" * 8, {}, {})
    planned = tuple(measurement(None, runtime=r, reason="") for r in ("torch-eager", "ort"))
    with folder.lock():
        update_stats(folder, model_name="net", evaluations=[live, file])
        begin_work(folder, Work(builds=True, evaluations=planned))
        write_state(folder, running)
        retire_evaluations(folder, keep_live=True)
    end_work(folder, PhaseEnd(BuildStatus.TIMEOUT, "timeout after 9 s"))
    stats = read_stats(folder)
    assert stats["build"]["status"] == "timeout"
    found = [(e["runtime"], e["status"], e["reason"]) for e in stats["evaluations"]]
    assert found == [
        ("torch-eager", "successful", None),
        ("ort", "failed", "timeout after 9 s"),
    ]


def test_what_another_process_holds_is_left_to_it(measured):
    with measured.lock():
        assert end_work(measured, PhaseEnd(BuildStatus.TIMEOUT, "timeout")) is None
        assert "working" in read_stats(measured)


@pytest.fixture(scope="module")
def signaled(tmp_path_factory):
    """Scripts that send signals to what is near them, in one run."""
    folder = tmp_path_factory.mktemp("signaled")
    grandparent = """
        stat = open(f"/proc/{os.getppid()}/stat").read()
        import subprocess
        subprocess.Popen(["sleep", "619"], start_new_session=True)
        os.kill(int(stat.rpartition(")")[2].split()[1]), 9)
        time.sleep(60)
    """
    scripts = [
        plain_script(folder, "terminates_group", "os.killpg(0, signal.SIGTERM); time.sleep(60)"),
        plain_script(folder, "kills_group", "os.kill(0, signal.SIGKILL)"),
        plain_script(folder, "kills_parent", "os.kill(os.getppid(), 9); time.sleep(60)"),
        plain_script(folder, "stops_parent", "os.kill(os.getppid(), signal.SIGSTOP)"),
        plain_script(folder, "leads_group", "os.setpgrp(); assert os.getpgrp() == os.getpid()"),
        plain_script(folder, "kills_grandparent", grandparent),
        plain_script(folder, "good", ""),
    ]
    done = run(folder / "cache", *scripts, "--analyze-only", "--json")
    return done, results_of(done)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("terminates_group", "The process was killed by signal 15 (SIGTERM) while the script ran."),
        ("kills_group", "The process was killed by signal 9 (SIGKILL) while the script ran, by it"),
        ("kills_parent", "The parent of the process was killed by signal 9 (SIGKILL) while the"),
        ("kills_grandparent", "The parent of the process was killed by signal 9 (SIGKILL) while"),
    ],
)
def test_a_script_that_signals_what_is_near_it_ends_itself_alone(signaled, name, told):
    done, results = signaled
    assert results[name].failure.startswith(told)
    assert "memory" not in results[name].failure
    assert done.returncode == 1


@pytest.mark.parametrize("name", ["stops_parent", "leads_group", "good"])
def test_the_others_of_the_run_succeed(signaled, name):
    result = signaled[1][name]
    assert result.ok
    assert result.invocations


def test_what_lost_its_parents_is_killed(signaled):
    lost = [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "619"]]
    assert lost == []


def test_a_script_gets_the_interrupt_and_time_to_clean_up(tmp_path):
    """It has a session of its own, to which a terminal would not send one."""
    body = """
        try:
            open(__file__ + ".there", "w").close()
            time.sleep(600)
        finally:
            open(__file__ + ".cleaned", "w").write(str(os.getsid(0)))
    """
    script = plain_script(tmp_path, "cleans_up", body)
    words = command(tmp_path / "cache", script, "--analyze-only")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        wait_for(Path(f"{script}.there").exists)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()[-1]) == (130, "turnkey: interrupted")
    assert int(Path(f"{script}.cleaned").read_text()) != os.getsid(0)


@pytest.mark.slow
def test_a_pause_from_the_terminal_stops_the_script_until_it_goes_on(tmp_path):
    body = "print(os.getpid(), flush=True)\nfor n in range(100): time.sleep(0.02)\n"
    script = plain_script(tmp_path, "counts", body)
    words = command(tmp_path / "cache", script, "--analyze-only")
    # A group of its own, as a shell gives each command: the kernel does not pause an orphaned one.
    leave = functools.partial(os.setpgid, 0, 0)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=leave)  # noqa: PLW1509
    assert process.stdout is not None
    child = psutil.Process(int(process.stdout.readline()))
    process.send_signal(signal.SIGTSTP)
    wait_for(lambda: child.status() == psutil.STATUS_STOPPED)
    wait_for(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=100)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def remembered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remembered")
    forks = """
        data = bytearray(os.urandom(1 << 20) * 400)
        children = [os.fork() for _ in range(1)]
        for _ in range(5):
            if 0 not in children:
                children.append(os.fork())
        time.sleep(3)
        if 0 in children:
            os._exit(0)
    """
    shares = """
        import mmap
        shared = mmap.mmap(-1, 1500 << 20)
        for _ in range(1500):
            shared.write(b"x" * (1 << 20))
        time.sleep(60)
    """
    scripts = [plain_script(folder, "forks", forks), plain_script(folder, "shares", shares)]
    words = ("--analyze-only", "--memory-limit", "1200M", "--jobs", 2, "--json")
    return results_of(run(folder / "cache", *scripts, *words))


@pytest.mark.slow
def test_pages_that_forked_processes_share_count_once(remembered):
    assert remembered["forks"].ok, remembered["forks"].failure


@pytest.mark.slow
def test_shared_memory_counts(remembered):
    assert remembered["shares"].failure.startswith("out of memory at 1.")


def test_memory_is_read_exactly_only_where_it_may_exceed_the_limit():
    """Four processes that share 200 MB have 200 MB, and at a glance no more than 800."""
    program = """
        import os, sys
        data = bytearray(os.urandom(1 << 20) * 200)
        for _ in range(3):
            if os.fork() == 0:
                break
        print(flush=True)
        sys.stdin.read()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(4):
        process.stdout.readline()
    glance, exact = TreeMemory(process.pid).used(2 << 30), TreeMemory(process.pid).used(300 << 20)
    process.stdin.close()
    process.wait(30)
    assert glance > 700 << 20
    assert 190 << 20 < exact < 300 << 20
