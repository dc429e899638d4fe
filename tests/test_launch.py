"""The pool over a place to run that is neither here nor Slurm, and what it reads and keeps."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from turnkeyml.evaluate import MachineTurns
from turnkeyml.launch import (
    TERMS,
    Ending,
    Follower,
    How,
    Limits,
    Pool,
    RunJournal,
    TaskObservation,
    TaskState,
    Terms,
    follow,
    sentence,
)
from turnkeyml.nouns import (
    Input,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Plan,
    ScriptOutcome,
    SequenceSource,
    Task,
    events,
    to_dict,
)

SOURCE = Path(__file__).parent.parent / "src" / "turnkeyml"

RECORD = InvocationRecord(
    name="model",
    model_type="torch",
    class_name="Model",
    class_repr="Model()",
    file="script.py",
    line=1,
    parameters=1,
    parameter_bytes=4,
    model_hash="0" * 8,
    hash="1" * 8,
    parent_hash=None,
    depth=0,
    shapes={},
    dtypes={},
    build_name="script_11111111",
)


class Watcher:
    """Remembers what it was shown."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.events: list[events.Event] = []
        self.finished: list[InputResult] = []

    def input_started(self, item: Input, position: int, total: int) -> None:
        self.started.append(position)

    def event(self, item: Input, event: events.Event) -> None:
        self.events.append(event)

    def tick(self) -> None: ...

    def input_finished(self, result: InputResult) -> None:
        self.finished.append(result)

    def input_resumed(self, result: InputResult) -> None: ...

    def note(self, line: str) -> None: ...

    def close(self) -> None: ...


class Cluster:
    """A third place to run: its tasks are what the test writes into their files of events."""

    remote = True
    poll_seconds = 0.01
    terms = Terms(scheduler="Cluster", unit="pod", cancel="delete")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.size = 2
        self.seen: dict[int, TaskObservation] = {}
        self.leftovers: list[int] = []
        self.used: int | None = None
        self.kills: list[int] = []
        self.deaf = 0
        """How many kills get no answer."""
        self.log: Path | None = None
        self.closed = False
        self.act: Callable[[], None] = lambda: None

    def tell(self, index: int, *told: events.Event) -> None:
        sink = events.Sink(str(self.events(index)))
        for event in told:
            sink.send(event)

    def found(self) -> Sequence[int]:
        found, self.leftovers = self.leftovers, []
        self.seen |= {
            index: TaskObservation(TaskState.RUNNING, time.monotonic()) for index in found
        }
        return found

    def room(self) -> int:
        return self.size - len(self.seen)

    def start(self, indices: Sequence[int]) -> Sequence[int]:
        self.seen |= {
            index: TaskObservation(TaskState.RUNNING, time.monotonic()) for index in indices
        }
        return indices

    def events(self, index: int) -> Path:
        return self.folder / f"{index}.events"

    def wait(self, seconds: float, news: bool) -> None:
        time.sleep(seconds)
        self.act()

    def observe(self, index: int) -> TaskObservation:
        return self.seen[index]

    def memory(self, index: int, limit: int | None) -> int | None:
        return self.used

    def kill(self, index: int) -> bool:
        self.kills.append(index)
        return len(self.kills) > self.deaf

    def release(self, index: int, ok: bool) -> Path | None:
        del self.seen[index]
        return None if ok else self.log

    def drain(self) -> None: ...

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def make_tasks(count: int = 1) -> list[Task]:
    return [Task(Input(f"script_{n}.py"), Plan("cache", analyze_only=True)) for n in range(count)]


def run(cluster: Cluster, count: int = 1, watcher: Watcher | None = None, **limits: float):
    pool = Pool(make_tasks(count), cluster, watcher or Watcher(), Limits(**limits))
    return dict(pool.results())


def test_every_task_has_its_result_under_its_own_index(cluster):
    watcher = Watcher()
    for index in range(5):
        cluster.tell(index, events.ScriptStarted(), events.InputFinished())
    results = run(cluster, 5, watcher)
    assert [results[index].input.name for index in range(5)] == [f"script_{n}.py" for n in range(5)]
    assert sorted(watcher.started) == [1, 2, 3, 4, 5]
    assert cluster.closed


def test_what_an_earlier_run_left_is_followed_and_not_started(cluster):
    cluster.leftovers = [1]
    cluster.size = 1
    started: list[int] = []
    cluster.start = lambda indices: (started.extend(indices), Cluster.start(cluster, indices))[1]
    for index in range(2):
        cluster.tell(index, events.InputFinished())
    assert sorted(run(cluster, 2)) == [0, 1]
    assert started == [0]


def test_a_task_over_its_time_is_killed(cluster):
    cluster.tell(0, events.ScriptStarted())
    result = run(cluster, seconds=0.1)[0]
    assert cluster.kills == [0]
    assert result.failure == "timeout after 0.1 s while the script ran; --timeout gives it longer"


def test_a_kill_without_an_answer_is_tried_again(cluster):
    cluster.deaf = 2
    assert "timeout" in run(cluster, seconds=0.05)[0].failure
    assert cluster.kills == [0, 0, 0]


def test_waiting_for_others_does_not_count(cluster):
    cluster.tell(
        0,
        events.InvocationFound(RECORD),
        events.Waiting(RECORD.hash),
    )
    until = time.monotonic() + 0.5

    def act() -> None:
        if time.monotonic() > until:
            cluster.tell(0, events.InputFinished())

    cluster.act = act
    assert run(cluster, seconds=0.2)[0].ok
    assert cluster.kills == []


def test_a_wait_for_a_build_has_a_limit_of_its_own_and_says_for_what(cluster):
    cluster.tell(0, events.InvocationFound(RECORD), events.Waiting(RECORD.hash))
    cluster.tell(0, events.Waiting(RECORD.hash, "the build b, which process 3 uses"))
    result = run(cluster, seconds=60, wait_seconds=0.2)[0]
    assert cluster.kills == [0]
    assert result.failure == (
        "timeout after 0.2 s while it waited for the build b, which process 3 uses; "
        "--timeout gives it longer"
    )


def test_a_wait_has_a_limit_without_a_timeout_too(cluster):
    cluster.tell(0, events.InvocationFound(RECORD), events.Waiting(RECORD.hash))
    assert "while it waited for a build" in run(cluster, wait_seconds=0.1)[0].failure


def test_an_input_may_wait_for_the_whole_time_of_each_that_runs_beside_it(cluster):
    cluster.tell(0, events.InvocationFound(RECORD), events.TurnAwaited(RECORD.hash))
    failure = run(cluster, jobs=3, wait_seconds=0.1)[0].failure
    assert failure.startswith("timeout after 0.3 s while it waited for its turn")


def test_a_long_wait_for_a_turn_names_the_inputs_that_have_it(cluster, monkeypatch):
    monkeypatch.setattr("turnkeyml.launch.pool.TELL_TURN_SECONDS", 0.1)
    watcher = Watcher()
    cluster.size = 2
    cluster.tell(0, events.InvocationFound(RECORD), events.TurnAwaited(RECORD.hash))
    cluster.tell(1, events.ScriptStarted())

    def act() -> None:
        if 1 in cluster.seen:
            cluster.seen[1] = replace(cluster.seen[1], pid=4711)
        if cluster.kills:
            cluster.tell(1, events.InputFinished())

    cluster.act = act
    failure = run(cluster, 2, watcher, jobs=2, wait_seconds=0.2)[0].failure
    what = "its turn to use the machine, until script_1.py (process 4711) is done"
    assert f"while it waited for {what};" in failure
    assert events.Waiting(None, what, within_run=True) in watcher.events


def test_after_a_wait_an_input_is_where_it_was(follower, tmp_path):
    follower, _ = follower
    found = events.InvocationFound(RECORD)
    tell(follower, tmp_path, events.ScriptStarted(), found, events.Waiting(RECORD.hash))
    assert follower.where == "while it waited for a build that another process uses"
    tell(follower, tmp_path, events.Waiting(None, within_run=True), events.WaitEnded(None))
    tell(follower, tmp_path, events.WaitEnded(RECORD.hash))
    assert follower.where == "while the script ran"
    assert not follower.waits


def test_waiting_in_a_queue_does_not_count(cluster):
    began = time.monotonic()

    def act() -> None:
        queued = time.monotonic() < began + 0.4
        since = None if queued else began + 0.4
        cluster.seen[0] = TaskObservation(TaskState.QUEUED if queued else TaskState.RUNNING, since)
        if time.monotonic() > began + 0.5:
            cluster.tell(0, events.InputFinished())

    cluster.act = act
    assert run(cluster, seconds=0.3)[0].ok


def test_a_task_over_its_memory_is_killed(cluster):
    cluster.used = 3 << 30
    result = run(cluster, memory_bytes=1 << 30)[0]
    assert result.failure.startswith("out of memory at 3.0 GiB ")
    assert result.failure.endswith("; --memory-limit allows 1.0 GiB")


def test_how_a_process_ended_matters_only_if_it_was_not_done(cluster):
    ended = TaskObservation(TaskState.ENDED, ending=Ending(How.CANCELLED))
    cluster.tell(0, events.InputFinished())
    cluster.act = lambda: cluster.seen.update(dict.fromkeys(cluster.seen, ended))
    results = run(cluster, 2)
    assert results[0].ok
    assert results[1].failure == "The pod was cancelled (delete) while it waited in the queue."


def test_a_failure_has_its_log_once(cluster, tmp_path):
    cluster.log = tmp_path / "log"
    told = Ending(How.EXITED, 3, log=str(cluster.log))
    ends = [TaskObservation(TaskState.ENDED, ending=e) for e in (told, replace(told, log=""))]
    cluster.act = lambda: cluster.seen.update({p: ends[p] for p in cluster.seen})
    first, second = (result for _, result in sorted(run(cluster, 2).items()))
    assert str(cluster.log) in first.failure
    assert first.log is None
    assert second.log == str(cluster.log)


def test_an_interrupt_closes_the_backend(cluster):
    def interrupt() -> None:
        raise KeyboardInterrupt

    cluster.act = interrupt
    with pytest.raises(KeyboardInterrupt):
        run(cluster)
    assert cluster.closed


HERE = {
    Ending(How.EXITED, 3): "The process exited with code 3 W.",
    Ending(How.EXITED, -11): (
        "The process was killed by signal 11 (SIGSEGV, a segmentation fault) W."
    ),
    Ending(How.KILLED, -9): (
        "The process was killed by signal 9 (SIGKILL) W, by itself or by another program."
    ),
    Ending(How.PARENT_KILLED, -9): (
        "The parent of the process was killed by signal 9 (SIGKILL) W, by the script or by another "
        "program; the process was killed with it."
    ),
    Ending(How.STOPPED, -19): (
        "The process was stopped by signal 19 (SIGSTOP) W, by itself or by another program, and "
        "nothing continued it."
    ),
    Ending(How.TIMEOUT, limit=60): "timeout after 60 s W; --timeout gives it longer",
    Ending(How.MEMORY_LIMIT, used_bytes=2 << 30, limit=1 << 30): (
        "out of memory at 2.0 GiB W; --memory-limit allows 1.0 GiB"
    ),
    Ending(How.OUT_OF_MEMORY): "out of memory W: the system killed the process.",
    Ending(How.OUT_OF_MEMORY, used_bytes=3 << 29): (
        "out of memory at 1.5 GiB W: the system killed the process."
    ),
}
ON_SLURM = {
    Ending(How.UNWRITABLE, code=74): (
        "The process could not write its file of events W: "
        "the disk is full, or the size of files is limited."
    ),
    Ending(How.EXITED, 3, job="12_3", log="LOG"): (
        "The process exited with code 3 W (job 12_3); what it printed is in LOG."
    ),
    Ending(How.TIMEOUT, limit=60): "timeout after 60 s W; --timeout gives it longer",
    Ending(How.OUT_OF_MEMORY): "out of memory W; mem= in --slurm-args gives it more.",
    Ending(How.TIME_LIMIT): (
        "The job reached Slurm's time limit W; time= in --slurm-args gives it longer."
    ),
    Ending(How.CANCELLED): "The job was cancelled (scancel) W.",
    Ending(How.PREEMPTED): "The job was preempted by another W.",
    Ending(How.NODE_FAILED, node="n1"): "The node n1 failed W.",
    Ending(How.NODE_FAILED): "The node of the job failed W.",
    Ending(How.NODE_NOT_BOOTED, node="n1"): "The node n1 did not boot.",
    Ending(How.NO_FILES, node="n1", job="12", log="LOG"): (
        "The node n1 could not open the job's files; does it see the cache folder? (job 12); "
        "what it printed is in LOG."
    ),
    Ending(How.NO_INTERPRETER, node="n1", job="12"): (
        "The interpreter could not be started; is it installed on the node n1? (job 12)."
    ),
    Ending(How.VANISHED): "The job vanished from the queue W.",
    Ending(How.NEVER_STARTS, words="PartitionNodeLimit"): (
        "Slurm can never start the job (PartitionNodeLimit); "
        "--slurm-args sets the resources of jobs."
    ),
    Ending(How.REFUSED, words="Invalid account"): "sbatch refused the job: Invalid account.",
    Ending(How.OTHER, words="REVOKED"): "The job ended as REVOKED W.",
}


@pytest.mark.parametrize(
    ("terms", "ending", "words"),
    [
        *((Terms(), ending, words) for ending, words in HERE.items()),
        *((TERMS, ending, words) for ending, words in ON_SLURM.items()),
    ],
    ids=lambda value: value.how.name if isinstance(value, Ending) else "",
)
def test_the_sentence_for_each_way_to_end(terms, ending, words):
    assert sentence(ending, "W", terms) == words


def test_every_way_to_end_has_a_sentence():
    assert {ending.how for ending in (*HERE, *ON_SLURM)} == set(How)


@pytest.fixture
def follower(tmp_path):
    task = Task(Input("script.py"), Plan("cache", "x86"))
    watcher = Watcher()
    return Follower(task, tmp_path / "events", watcher), watcher


def tell(follower: Follower, tmp_path: Path, *told: events.Event) -> None:
    sink = events.Sink(str(tmp_path / "events"))
    for event in told:
        sink.send(event)
    follower.read()


def test_events_about_an_unknown_invocation_are_not_passed_on(follower, tmp_path):
    follower, watcher = follower
    about = "f" * 8
    strange = [
        events.Waiting(about),
        events.StageStarted(about, "export", "Exporting", 1, 2),
        events.StageFinished(about, "export", 1.0, True),
        events.MeasureStarted(about, "ort"),
        events.TurnTaken(about),
    ]
    tell(follower, tmp_path, *strange)
    assert watcher.events == []
    assert not follower.waits
    assert not follower.measures
    assert follower.where == "before the script ran"


def test_every_phase_of_a_build_has_words_for_where_it_ended(follower, tmp_path):
    follower, _ = follower
    about = RECORD.hash
    seen = []
    for event in (
        events.ScriptStarted(),
        events.ScriptFinished(ScriptOutcome(), (RECORD,)),
        events.InvocationStarted(about, "a model", 1, 1),
        events.StageStarted(about, "export_pytorch", "Exporting", 1, 1),
        events.StageFinished(about, "export_pytorch", 1.0, True),
        events.MeasureStarted(about, "ort"),
    ):
        tell(follower, tmp_path, event)
        seen.append(follower.where)
    assert seen == [
        "while the script ran",
        "after the script had run",
        "while the original ran",
        "in export_pytorch",
        "while the build was checked",
        "while measuring with ort",
    ]


def test_a_result_that_comes_before_its_invocation_is_kept(follower, tmp_path):
    follower, _ = follower
    other = replace(RECORD, hash="2" * 8, model_hash="3" * 8)
    tell(
        follower,
        tmp_path,
        events.InvocationFinished(InvocationResult(RECORD, remarks=("measured",))),
        events.ScriptFinished(ScriptOutcome(), (other,)),
        events.InputFinished(),
        events.ScriptStarted(),
    )
    rows = {row.invocation.hash: row for row in follower.result().invocations}
    assert rows[RECORD.hash].remarks == ("measured",)
    assert rows[other.hash].failure == "it was not reached"


GOOD = to_dict(InputResult(Input("script.py")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[1]",
        '{"input": 3}',
        "[" * 100_000,
        json.dumps({**GOOD, "failure": 3}),
        json.dumps({**GOOD, "script": {"exit_code": 10**400}}),
        b"\xff\xfe".decode("latin-1"),
    ],
    ids=lambda text: text[:12],
)
def test_a_damaged_record_counts_as_not_finished(tmp_path, text):
    journal, task = RunJournal(str(tmp_path)), make_tasks()[0]
    journal.begin([task])
    journal.keep(task, InputResult(task.input))
    assert journal.finished(task) is not None
    (path,) = (tmp_path / ".runs").glob("*.json")
    path.write_text(text, encoding="latin-1")
    assert journal.finished(task) is None


def test_a_changed_sequence_is_another_task(tmp_path):
    file = tmp_path / "sequence.py"
    file.write_text("first")
    before = replace(make_tasks()[0], sequence=SequenceSource(file=str(file)))
    first = before.identity
    file.write_text("second")
    after = replace(make_tasks()[0], sequence=SequenceSource(file=str(file)))
    assert first != after.identity


REFUSING = """
from turnkeyml import Sequence, Stage


class Refuse(Stage):
    name = "refuse"

    def fire(self, state):
        raise RuntimeError("{word}")


def get_sequence():
    return Sequence("refusing", [Refuse()])
"""


def test_resuming_with_a_changed_sequence_file_gives_no_old_result(turnkey, script, tmp_path):
    file = tmp_path / "sequence.py"
    words = [script("SmallModel()(torch.rand(1, 4))"), "--sequence-file", file, "--resume"]
    for word in ("first", "second"):
        file.write_text(REFUSING.format(word=word))
        done = turnkey(*words, "--build-only", "--json")
        (row,) = json.loads(done.stdout)["results"][0]["invocations"]
        assert word in row["failure"]


def test_no_name_on_disk_is_spelled_outside_of_the_layout():
    names = re.compile(
        r"""["'/{}]\.(runs|slurm|locks)\b|run\.json|\.jsonl|\.out\b|["'/]turns["']"""
    )
    files = [*(SOURCE / "launch").rglob("*.py")]
    assert [file for file in files if names.search(file.read_text(encoding="utf-8"))] == []


def test_waiting_is_a_phase_of_its_own(follower, tmp_path, monkeypatch):
    follower, _ = follower
    now = [0.0]
    monkeypatch.setattr(follow.time, "monotonic", lambda: now[0])
    about = RECORD.hash
    for event in (
        events.ScriptStarted(),
        events.ScriptFinished(ScriptOutcome(), (RECORD,)),
        events.Waiting(about),
        events.WaitEnded(about),
        events.StageStarted(about, "export", "Exporting", 1, 1),
        events.MeasureStarted(about, "ort"),
        events.TurnAwaited(about),
        events.TurnTaken(about),
        events.Waiting(None, within_run=True),
        events.WaitEnded(None),
        events.TurnReturned(about),
        events.InvocationFinished(InvocationResult(RECORD)),
        events.InputFinished(),
    ):
        now[0] += 1.0
        tell(follower, tmp_path, event)
    seconds = follower.result().seconds
    assert seconds == {"script": 1.0, "build": 5.0, "waiting": 3.0, "measure": 3.0}


def test_a_turn_is_told_when_it_is_awaited_taken_and_returned(tmp_path):
    told = []
    turns = MachineTurns(str(tmp_path / "turns"), events.Sink(listener=told.append))
    turns.work()
    with turns.alone("a"):
        told.append("measured")
    assert told == [
        events.TurnAwaited("a"),
        events.TurnTaken("a"),
        "measured",
        events.TurnReturned("a"),
    ]
