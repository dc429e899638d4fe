"""Inputs as jobs of a real Slurm; ``.ci/slurm-up`` starts one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from turnkeyml.api import make_plan
from turnkeyml.cache import SlurmRunFolder
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.launch import (
    Launch,
    Limits,
    SlurmOptions,
    Submitter,
    open_run,
    parse_arguments,
    results,
)
from turnkeyml.launch.slurm import controller
from turnkeyml.nouns import Input, InputResult, Plan, Task, events

BLANK = "import time\n"
"""A script that needs no torch of its own and has no model: the quickest input there is."""

SUBMITTER = """
import sys
from turnkeyml.launch.pool import Limits
from turnkeyml.launch.run import Launch, results
from turnkeyml.launch.slurm.run import SlurmOptions
from turnkeyml.nouns import Input, Plan, Task

class Watcher:
    def input_started(self, item, position, total): print("started", item.name, flush=True)
    def event(self, item, event): print(type(event).__name__, item.name, flush=True)
    def tick(self): pass
    def input_finished(self, result): print("finished", result.input.name, flush=True)
    def note(self, line): print(line, file=sys.stderr, flush=True)
    def close(self): pass

cache, jobs, *files = sys.argv[1:]
tasks = [Task(Input(file), Plan(cache, analyze_only=True)) for file in files]
launch = Launch((), (), Limits(), slurm=SlurmOptions(max_jobs=int(jobs)))
list(results(tasks, Watcher(), None, launch, many=True))
"""


@pytest.fixture(scope="session")
def slurm() -> None:
    """A cluster that answers; where there is none the tests that want it are skipped."""
    why = "sinfo is not installed"
    if shutil.which("sinfo"):
        answer = subprocess.run(["sinfo", "-h"], capture_output=True, text=True, timeout=60)
        why = "" if answer.returncode == 0 else answer.stderr.strip()
    if why and os.environ.get("TURNKEY_REQUIRE_SLURM"):
        pytest.fail(f"no Slurm here: {why}")
    if why:
        pytest.skip(f"no Slurm here: {why}")


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever happens in a test, its jobs and its run folder are gone afterwards."""
    before = set(queue()) if "slurm" in request.fixturenames else set()
    yield
    if "slurm" in request.fixturenames:
        ours = [job for job in queue() if job not in before]
        subprocess.run(["scancel", "--quiet", *ours] if ours else ["true"], check=False)


class Watcher:
    """Remembers what it was shown; a test may act on an event."""

    def __init__(self, act: Callable[[Input, events.Event], None] | None = None) -> None:
        self.started: list[str] = []
        self.finished: list[str] = []
        self.notes: list[str] = []
        self.closed = False
        self._act = act

    def input_started(self, item: Input, position: int, total: int) -> None:
        self.started.append(item.name)

    def event(self, item: Input, event: events.Event) -> None:
        if self._act:
            self._act(item, event)

    def tick(self) -> None: ...

    def input_finished(self, result: InputResult) -> None:
        self.finished.append(result.input.name)

    def note(self, line: str) -> None:
        self.notes.append(line)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def evaluate(slurm: None, cache: Path) -> Callable[..., dict[str, InputResult]]:
    """Evaluates files on the cluster; the results by the names of the files."""

    def run(*files: Path, plan=None, watcher=None, resume=False, seconds=None, **options):
        plan = plan or Plan(str(cache), analyze_only=True)
        tasks = [Task(Input(str(file)), plan) for file in files]
        launch = Launch(
            (), (), Limits(seconds=seconds), resume=resume, slurm=SlurmOptions(**options)
        )
        found = results(tasks, watcher or Watcher(), None, launch, many=True)
        return {tasks[index].input.name: result for index, result in found}

    return run


def queue(*words: str) -> list[str]:
    """The ids of the jobs that are pending or running."""
    command = ["squeue", "--me", "-h", "-r", "-t", "PENDING,RUNNING", "-o", "%i", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def wait_until(condition: Callable[[], object], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.1)


def processes(word: str) -> list[int]:
    """Those with this word in their command line, which are not about to be reaped."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def submitter(cache: Path, jobs: int, *files: Path) -> subprocess.Popen[str]:
    """A process that submits, apart from the test, as if on a terminal of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", SUBMITTER, str(cache), str(jobs), *map(str, files)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def read_until(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout
    for said in process.stdout:
        if said.strip() == line:
            return
    pytest.fail(f"it never said {line!r}")


def leftovers(cache: Path) -> list[str]:
    return [p.name for p in (cache / ".slurm").rglob("*") if p.is_file()]


def test_inputs_are_measured_in_an_array_and_a_failing_one_costs_its_own_row(
    evaluate, script, cache
):
    good = script("m = SmallModel(); m(torch.ones(2, 4))", name="good.py")
    raising = script("raise ValueError('not today')", name="raising.py", prelude="")
    dying = script("import os; os._exit(3)", name="dying.py", prelude="")
    watcher = Watcher()
    plan = make_plan(device="x86", runtime="ort", iterations=20, cache_dir=str(cache))
    rows = evaluate(good, raising, dying, plan=plan, watcher=watcher)
    assert rows["good.py"].ok
    assert rows["good.py"].performances[0].iterations == 20
    assert rows["raising.py"].script.error == "ValueError: not today"
    failure = rows["dying.py"].failure
    assert failure.startswith("The process exited with code 3 while the script ran (job ")
    assert Path(failure.split(" is in ")[1].rstrip(".")).exists()
    assert sorted(watcher.finished) == sorted(watcher.started) == sorted(rows)
    assert watcher.closed
    assert len(leftovers(cache)) == 2, "the logs of the failures, and nothing else"


def test_when_all_is_well_nothing_is_left(evaluate, script, cache):
    evaluate(script("print('hello')", prelude=""))
    assert not (cache / ".slurm").exists()


def test_a_timeout_ends_the_whole_tree_in_time(evaluate, script):
    word = f"{os.getpid()}.5"
    slow = script(
        f"""
        import subprocess, time
        subprocess.Popen(["sleep", "{word}"])
        subprocess.Popen(["sh", "-c", "sleep {word} & exit"], start_new_session=True)
        time.sleep(300)
        """,
        name="slow.py",
        prelude="",
    )
    began = time.monotonic()
    rows = evaluate(slow, seconds=15)
    took = time.monotonic() - began
    assert rows["slow.py"].failure == (
        "timeout after 15 s while the script ran; --timeout gives it longer"
    )
    assert 15 <= took < 15 + 5, "at most two of them to be started and two to be seen off"
    wait_until(lambda: not processes(f"sleep\0{word}"), 3)


def test_what_a_script_leaves_behind_ends_with_it(evaluate, script):
    word = f"{os.getpid()}.7"
    body = f'import subprocess; subprocess.Popen(["sh", "-c", "sleep {word} & exit"])'
    assert evaluate(script(body, prelude=""))["script.py"].ok
    wait_until(lambda: not processes(f"sleep\0{word}"), 3)


def test_jobs_that_are_killed_say_how(evaluate, script):
    slow = "import time; time.sleep(120)"
    cancelled = script(slow, name="cancelled.py", prelude="")
    killed = script(slow, name="killed.py", prelude="")
    fine = script(BLANK, name="fine.py", prelude="")

    def kill(item: Input, event: events.Event) -> None:
        if not isinstance(event, events.ScriptStarted):
            return
        if item.name == "cancelled.py":
            names = queue()
            ids = [j for j in names if j.endswith("_0")]
            subprocess.run(["scancel", ids[-1]], check=True)
        elif item.name == "killed.py":
            (child,) = processes("/2.json")
            os.kill(child, signal.SIGKILL)

    rows = evaluate(cancelled, killed, fine, watcher=Watcher(kill))
    assert rows["fine.py"].ok
    assert rows["cancelled.py"].failure.startswith(
        "The job was cancelled (scancel) while the script ran (job "
    )
    assert rows["killed.py"].failure.startswith("The process was killed by signal 9 (SIGKILL")


def test_an_interrupt_cancels_our_jobs_and_no_others(slurm, script, cache):
    other = subprocess.run(
        ["sbatch", "--parsable", "--output=/dev/null", "--wrap", "sleep 60"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    files = [script("import time; time.sleep(90)", f"s{n}.py", prelude="") for n in range(6)]
    process = submitter(cache, 6, *files)
    read_until(process, "ScriptStarted s0.py")
    assert len(queue()) == 7
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) != 0
    assert queue() == [other]
    assert not (cache / ".slurm").exists()


@pytest.mark.parametrize("known", [0, 1], ids=["nothing_known", "finished_ones_known"])
def test_a_lost_submitter_is_replaced(evaluate, script, cache, tmp_path, known):
    marks = tmp_path / "marks"
    marks.mkdir()
    body = f"""
    import os, sys, time, uuid
    name = os.path.basename(__file__)
    open(os.path.join({str(marks)!r}, name + uuid.uuid4().hex), "w").close()
    time.sleep(12 if name == "running.py" else 0)
    """
    names = ["quick.py", "running.py", "later.py"]
    files = [script(body, name=name, prelude="") for name in names]
    process = submitter(cache, 2, *files)
    read_until(process, "finished quick.py")
    wait_until(lambda: any(marks.glob("running*")))
    process.kill()
    process.wait()
    if any(marks.glob("later*")):
        pytest.fail("the test was too slow: everything had been submitted")
    with pytest.raises(
        UsageError,
        match=r"still in the queue; follow them with --resume, or cancel them with `scancel",
    ):
        evaluate(*files)
    rows = evaluate(*files[known:], resume=True)
    assert sorted(rows) == sorted(names[known:])
    assert all(row.ok for row in rows.values())
    for name in names:
        assert len(list(marks.glob(f"{name}*"))) == 1, f"{name} ran more or less than once"
    assert not (cache / ".slurm").exists()


def test_there_are_never_more_jobs_in_flight_than_allowed(evaluate, script):
    files = [script(BLANK, name=f"s{n}.py", prelude="") for n in range(6)]
    before = len(queue())
    seen: list[int] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            seen.append(len(queue()) - before)
            time.sleep(0.1)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        rows = evaluate(*files, max_jobs=2)
    finally:
        over.set()
        thread.join()
    assert len(rows) == 6
    assert max(seen) == 2


def test_sixty_inputs(evaluate, script, cache):
    files = [script(BLANK, name=f"s{n}.py", prelude="") for n in range(60)]
    rows = evaluate(*files, max_jobs=20)
    assert len(rows) == 60
    assert all(row.ok for row in rows.values())
    assert not (cache / ".slurm").exists()


def test_a_silent_controller_is_asked_again(evaluate, script, tmp_path, monkeypatch):
    """The squeue in front of the real one fails once, as while slurmctld is restarted."""
    shim = tmp_path / "bin" / "squeue"
    shim.parent.mkdir()
    shim.write_text(
        f"#!/bin/sh\n"
        f'echo x >>{tmp_path}/calls; [ "$(wc -l <{tmp_path}/calls)" -ne 2 ] && '
        f'exec {shutil.which("squeue")} "$@"\n'
        "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1\n",
    )
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}:{os.environ['PATH']}")
    watcher = Watcher()
    rows = evaluate(script(BLANK, prelude=""), watcher=watcher)
    assert rows["script.py"].ok
    assert len(watcher.notes) == 1
    assert "Unable to contact slurm controller" in watcher.notes[0]


def test_a_bad_partition_is_told_in_the_words_of_sbatch(evaluate, script, cache):
    with pytest.raises(TurnkeyError, match=r"sbatch refused the jobs: .*artition"):
        evaluate(script(BLANK, prelude=""), arguments=parse_arguments("partition=nowhere"))
    assert not (cache / ".slurm").exists()


def test_without_slurm_one_sentence_says_so(cache, script, monkeypatch):
    monkeypatch.setenv("PATH", "")
    task = Task(Input(str(script(BLANK, prelude=""))), Plan(str(cache), analyze_only=True))
    launch = Launch((), (), Limits(), slurm=SlurmOptions())
    with pytest.raises(
        UsageError, match="sbatch was not found; run this on a login node of a Slurm"
    ):
        list(results([task], Watcher(), None, launch, many=True))


def test_arguments_become_options_of_sbatch():
    assert parse_arguments("partition=gpu --gres=gpu:1 exclusive comment='a b'") == (
        "--partition=gpu",
        "--gres=gpu:1",
        "--exclusive",
        "--comment=a b",
    )


@pytest.mark.parametrize("word", ["=gpu", "-p=gpu", "time=", "array=1-5", "--wrap=ls", "'"])
def test_arguments_that_make_no_sense_are_refused(word):
    with pytest.raises(UsageError, match="Slurm argument"):
        parse_arguments(word)


def tasks_of(cache: Path, *names: str) -> list[Task]:
    return [Task(Input(name), Plan(str(cache), analyze_only=True)) for name in names]


def leave_run(cache: Path, *names: str) -> SlurmRunFolder:
    """What a submitter leaves that was killed before it had submitted anything."""
    with open_run(tasks_of(cache, *names), False, pytest.fail) as (run, _):
        return run.folder


DAMAGED = {
    "empty": "",
    "cut": '{"host": "h", "pid": 1, "tas',
    "not_a_record": "[1, 2]",
    "no_tasks": '{"host": "h", "pid": 1}',
    "wrong_types": '{"host": "h", "pid": 1, "tasks": 3, "jobs": {"1": "x"}}',
    "foreign_jobs": '{"host": "h", "pid": 1, "tasks": [], "jobs": {"../../x": 1}}',
    "deep": "[" * 100_000,
    "huge": '{"host": "h", "pid": 1' + "0" * 400 + ', "tasks": [], "jobs": {}}',
    "odd_bytes": "\udcff",
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("resume", [False, True])
def test_a_damaged_record_is_named_and_stops_nothing(cache, text, resume):
    damaged = leave_run(cache, "a.py").record
    damaged.write_bytes(text.encode(errors="surrogateescape"))
    notes: list[str] = []
    with open_run(tasks_of(cache, "a.py"), resume, notes.append) as (run, positions):
        assert run.folder.record != damaged
        assert positions == [1]
    (note,) = notes
    assert str(damaged) in note
    assert note.count(".") - str(damaged).count(".") == 1, "one sentence"


def test_a_folder_of_another_kind_is_passed_over(cache):
    (cache / ".slurm" / "other").mkdir(parents=True)
    (cache / ".slurm" / "file").write_text("")
    leave_run(cache, "a.py")


def test_a_run_goes_on_beside_a_damaged_record(evaluate, script, cache):
    damaged = cache / ".slurm" / "20200101-000000-0-1" / "run.json"
    damaged.parent.mkdir(parents=True)
    damaged.write_text('{"tasks"')
    watcher = Watcher()
    rows = evaluate(script(BLANK, prelude=""), watcher=watcher)
    assert rows["script.py"].ok
    (note,) = watcher.notes
    assert str(damaged) in note
    assert damaged.exists()


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir()}


def test_nobody_else_can_read_or_change_what_the_jobs_load(cache, no_umask):
    tasks = tasks_of(cache, "a.py")
    with open_run(tasks, False, pytest.fail) as (run, _):
        run.prepare(1, tasks[0])
        run.write_script(1, None)
        assert run.folder.path.stat().st_mode & 0o777 == 0o700
        assert modes(run.folder.path) == dict.fromkeys(
            ("run.json", "1.json", "1.jsonl", "from-1.sh"), "0o600"
        )


def test_other_users_of_the_cache_can_have_runs_of_their_own(cache, no_umask):
    leave_run(cache, "a.py")
    assert (cache / ".slurm").stat().st_mode & 0o777 == 0o777


def test_a_run_that_is_followed_is_closed_to_others(cache, no_umask):
    folder = leave_run(cache, "a.py")
    folder.path.chmod(0o777)
    with open_run(tasks_of(cache, "a.py"), True, pytest.fail) as (run, _):
        assert run.folder == folder
        assert run.folder.path.stat().st_mode & 0o777 == 0o700


def test_a_run_may_be_followed_in_another_order(cache):
    leave_run(cache, "a.py", "b.py", "c.py")
    with open_run(tasks_of(cache, "c.py", "a.py"), True, pytest.fail) as (_, positions):
        assert positions == [3, 1]


def test_an_array_counts_from_the_first_of_its_tasks(cache, monkeypatch):
    words: list[str] = []
    monkeypatch.setattr(controller, "submit", lambda *given: words.extend(given) or "7")
    tasks = tasks_of(cache, "a.py", "b.py", "c.py")
    with open_run(tasks, False, pytest.fail) as (run, _):
        placed = dict(enumerate(tasks, start=1))
        submitter = Submitter(run, placed, SlurmOptions(), None, largest_array=1001)
        assert submitter.submit([3, 1], in_queue=0) == {1: "7_0", 3: "7_2"}
        assert "--array=0,2" in words
        assert run.jobs == {"7_0": 1, "7_2": 3}


def test_a_percent_sign_in_the_path_is_no_pattern_of_sbatch(cache):
    folder = SlurmRunFolder(cache / "100%j")
    assert folder.log_pattern("%j") == f"{cache}/100%%j/slurm-%j.out"
