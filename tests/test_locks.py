"""Locks: one order for all, waits that say what they wait for, and an end to each of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from turnkeyml import delete_builds, environment
from turnkeyml.cache import (
    BuildFolder,
    FileLock,
    LockOrderError,
    LockTimeout,
    Rank,
    Turn,
    locks,
    thread_lock,
)

ROOT = Path(__file__).parent.parent
MODEL = "model = SmallModel()\nmodel(torch.ones(1, 4))\n"


@contextmanager
def python(code: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """A process that runs some code; its streams are pipes, and it is gone after the block."""
    run = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield run
    finally:
        run.kill()
        run.communicate()


@contextmanager
def holder(folder: BuildFolder, name: str = "turnkey other.py") -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of a build until it reads a line."""
    code = """
    import sys
    from pathlib import Path
    from turnkeyml.cache import locks
    from turnkeyml.cache.layout import BuildFolder

    locks.name_process(sys.argv[3])
    with BuildFolder(Path(sys.argv[1]), sys.argv[2]).lock():
        print("held", flush=True)
        sys.stdin.readline()
    """
    with python(code, folder.cache_dir, folder.name, name) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "held\n"
        yield run


def let_go(run: subprocess.Popen[str]) -> None:
    assert run.stdin is not None
    run.stdin.write("\n")
    run.stdin.flush()


@pytest.fixture
def folder(tmp_path: Path) -> BuildFolder:
    return BuildFolder(tmp_path, "build_12345678")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits name what they wait for without a delay."""
    monkeypatch.setattr(locks, "TELL_AFTER_SECONDS", 0.0)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of its own for a test that takes locks out of order."""
    path = tmp_path / "order.txt"
    monkeypatch.setenv(environment.LOCK_LOG, str(path))
    return path


def of(rank: Rank, path: Path) -> FileLock:
    return FileLock(path / f"{rank.name}.lock", rank, "something")


def test_the_documented_order_is_the_one_that_is_checked():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\d) `(\w+)` \|", text, re.M)
    assert table == [(str(rank.value), rank.name) for rank in sorted(Rank)]


def test_every_lock_is_taken_through_the_class_that_knows_its_place():
    source = ROOT / "src" / "turnkeyml"
    taken = re.compile(r"\b(filelock|flock|lockf|R?Lock\(|Semaphore\(|Condition\()")
    marks = source / "cache" / "files.py"  # files in the making, for which nothing waits
    known = (source / "cache" / "locks.py", marks)
    others = [path for path in source.rglob("*.py") if path not in known]
    assert [path for path in others if taken.search(path.read_text(encoding="utf-8"))] == []


def test_locks_may_be_taken_in_their_order(tmp_path):
    turn = Turn(str(tmp_path / "turns"))
    taken = []
    with (
        of(Rank.SLURM, tmp_path),
        of(Rank.SLURM_RUN, tmp_path),
        of(Rank.BUILD, tmp_path),
        turn.exclusive(lambda: taken.append(1)),
        thread_lock(),
    ):
        assert taken == [1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Rank.SLURM_RUN, Rank.SLURM),
        (Rank.BUILD, Rank.SLURM_RUN),
        (Rank.BUILD, Rank.SLURM),
    ],
)
def test_a_lock_out_of_order_is_an_error_that_is_noted(tmp_path, log, first, second):
    with of(first, tmp_path), pytest.raises(LockOrderError, match=f"{second.name} .* was taken"):
        of(second, tmp_path).acquire()
    assert f"{second.name} (" in log.read_text()


def test_two_builds_at_once_are_out_of_order_unless_nothing_waits(tmp_path, log):
    one, other = BuildFolder(tmp_path, "one"), BuildFolder(tmp_path, "other")
    with one.lock():
        assert other.try_locked(lambda: None)
        assert not log.exists()
        with pytest.raises(LockOrderError):
            other.lock().acquire()


def test_no_build_is_waited_for_while_measuring_alone(tmp_path, log, folder):
    with Turn(str(tmp_path / "turns")).exclusive(lambda: None), pytest.raises(LockOrderError):
        folder.lock().acquire()


def test_no_build_is_waited_for_with_a_lock_between_threads(log, folder):
    with thread_lock(), pytest.raises(LockOrderError):
        folder.lock().acquire()


def test_a_reentrant_lock_between_threads_may_be_taken_again():
    lock = thread_lock(reentrant=True)
    with lock, lock:
        pass


def test_a_lock_that_this_thread_has_is_never_waited_for(folder, monkeypatch):
    monkeypatch.delenv(environment.LOCK_LOG)
    with folder.lock(), pytest.raises(LockOrderError):
        folder.lock().acquire()


def test_other_threads_wait(folder):
    order: list[str] = []
    thread = threading.Thread(target=lambda: _note(folder, order))
    with folder.lock():
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def _note(folder: BuildFolder, order: list[str]) -> None:
    with folder.lock():
        order.append("second")


def test_a_wait_names_the_process_that_it_waits_for(folder, at_once):
    told: list[str] = []
    ended: list[bool] = []
    with holder(folder) as other:

        def tell(what: str) -> None:
            told.append(what)
            if what:
                let_go(other)

        with folder.lock(tell, lambda: ended.append(True)):
            assert ended == [True]
    named = f"the build {folder.name}, which process {other.pid} (turnkey other.py) uses"
    assert told == ["", named]


def test_a_wait_has_a_limit_and_says_what_it_waited_for(folder, monkeypatch):
    monkeypatch.setattr(locks._process, "limit", 0.2)
    with holder(folder) as other, pytest.raises(LockTimeout) as error:
        folder.lock().acquire()
    assert str(error.value) == (
        f"timeout after 0.2 s of waiting for the build {folder.name}, which process {other.pid} "
        "(turnkey other.py) uses; TURNKEY_TIMEOUT_SECONDS gives it longer"
    )


def test_the_variable_limits_a_wait(folder, monkeypatch):
    monkeypatch.setenv(environment.TIMEOUT_SECONDS, "1")
    with holder(folder), pytest.raises(LockTimeout, match="timeout after 1 s"):
        folder.lock().acquire()


def test_a_killed_holder_is_neither_waited_for_nor_named(folder):
    with holder(folder) as other:
        other.kill()
        other.wait()
        note = folder.lock_path.with_suffix(".holder")
        assert locks._holder(locks.read_json(note)) == ""
        with folder.lock():
            assert f'"pid": {os.getpid()}' in note.read_text()
    assert not note.exists()


@pytest.mark.parametrize("note", ["", "[]", "{", '{"pid": "1"}', '{"pid": 1e400}'])
def test_a_damaged_note_names_nobody(folder, note):
    path = folder.lock_path.with_suffix(".holder")
    path.parent.mkdir(parents=True)
    path.write_text(note)
    assert locks._holder(locks.read_json(path)) == ""


def test_a_note_cannot_write_to_the_terminal_or_through_a_link(folder, tmp_path):
    with holder(folder, "\x1b[2J" + "x" * 200):
        told = locks._holder(locks.read_json(folder.lock_path.with_suffix(".holder")))
    assert "\x1b" not in told
    assert len(told) < 120
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder.lock_path.with_suffix(".holder").unlink(missing_ok=True)
    folder.lock_path.with_suffix(".holder").symlink_to(victim)
    with folder.lock():
        pass
    assert victim.read_text() == "mine"


def test_who_waits_for_a_build_lets_others_of_its_run_measure(folder, tmp_path):
    """The circle: one has a build and wants the turn that another has, which wants the build."""
    turns = tmp_path / "turns"
    code = """
    import sys
    from pathlib import Path
    from turnkeyml.cache.layout import BuildFolder
    from turnkeyml.cache.locks import Turn

    turn = Turn(sys.argv[3])
    turn.share()
    print("shares", flush=True)
    with BuildFolder(Path(sys.argv[1]), sys.argv[2]).lock():
        print("builds" if turn.is_held else "has no turn", flush=True)
    """
    with folder.lock(), python(code, folder.cache_dir, folder.name, turns) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "shares\n"
        measured = []
        with Turn(str(turns)).exclusive(lambda: measured.append(True)):
            assert measured == [True]


def test_a_build_is_taken_back_with_its_turn(folder, tmp_path):
    turns = tmp_path / "turns"
    turn = Turn(str(turns))
    turn.share()
    with holder(folder) as other:
        let_go(other)
        with folder.lock():
            assert turn.is_held
    turn.leave()
    assert not turn.is_held


def test_a_file_of_the_script_is_not_closed_with_the_turn(tmp_path):
    turn = Turn(str(tmp_path / "turns"))
    turn.share()
    assert turn._handle is not None
    os.close(turn._handle)
    with (tmp_path / "mine").open("w") as mine:
        os.dup2(mine.fileno(), turn._handle)
        turn.leave()
        os.write(turn._handle if turn._handle is not None else mine.fileno(), b"text")
    assert (tmp_path / "mine").read_text() == "text"


def test_a_forked_process_leaves_the_lock_to_its_parent(folder):
    code = """
    import os, sys
    from pathlib import Path
    from turnkeyml.cache.layout import BuildFolder

    folder = BuildFolder(Path(sys.argv[1]), sys.argv[2])
    with folder.lock():
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            print("free" if folder.lock().try_acquire() else "held", flush=True)
            sys.stdin.readline()
    """
    with python(code, folder.cache_dir, folder.name) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "held\n"
        assert not folder.lock().try_acquire()


def test_a_build_that_is_gone_counts_as_deleted(tmp_path):
    BuildFolder(tmp_path, "gone").delete()
    assert delete_builds([], all=True, cache_dir=tmp_path) == {}


Built = tuple[Path, BuildFolder]


@pytest.fixture
def built(script: Callable[..., Path], cache: Path, turnkey: Callable[..., object]) -> Built:
    """A script whose one build is in the cache, and its folder."""
    path = script(MODEL)
    turnkey(path, "--build-only")
    (state,) = cache.glob("*/*_state.yaml")
    return path, BuildFolder(cache, state.parent.name)


@pytest.mark.slow
def test_the_timeout_ends_a_wait_and_names_its_reason(built, turnkey):
    path, folder = built
    before = folder.state.read_text()
    with holder(folder) as other:
        ran = turnkey(path, "--process-isolation", "--timeout", "8")
    assert ran.returncode == 1
    reason = f"while it waited for the build {folder.name}, which process {other.pid} (turnkey "
    assert f"timeout after 8 s {reason}" in " ".join(ran.stdout.split())
    assert f"waiting for the build {folder.name}, which process {other.pid}" in ran.stderr
    assert folder.state.read_text() == before


@pytest.mark.slow
def test_a_wait_without_a_timeout_ends_too(built, turnkey):
    path, folder = built
    with holder(folder):
        ran = turnkey(path, env={"TURNKEY_TIMEOUT_SECONDS": "4"})
    assert ran.returncode == 1
    assert "timeout after 4 s while it waited for the build" in " ".join(ran.stdout.split())


@pytest.mark.slow
def test_measuring_again_ends_its_wait_too(built, turnkey):
    _, folder = built
    with holder(folder):
        ran = turnkey("cache", "benchmark", folder.name, env={"TURNKEY_TIMEOUT_SECONDS": "4"})
    assert ran.returncode == 1
    assert "timeout after 4 s of waiting for the build" in " ".join(ran.stdout.split())
    assert f"Warning: {folder.name}: Waiting for the build {folder.name}, which" in ran.stderr


@pytest.mark.slow
def test_ctrl_c_ends_a_wait_at_once(built, cache):
    path, folder = built
    with holder(folder):
        run = subprocess.Popen(
            [sys.executable, "-m", "turnkeyml", str(path), "-d", str(cache)],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        assert run.stderr is not None
        assert any("waiting for the build" in line for line in run.stderr)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        assert run.returncode == 130


@pytest.mark.slow
def test_four_runs_share_a_cache_that_is_listed_reported_and_deleted():
    repetitions = os.environ.get("SHARED_CACHE_REPETITIONS", "1")
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "shared_cache.py"), repetitions],
        capture_output=True,
        text=True,
        timeout=300 * int(repetitions),
    )
    assert done.returncode == 0, done.stdout + done.stderr
