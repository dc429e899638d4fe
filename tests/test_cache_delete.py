"""``cache delete`` and ``cache clean`` by age, size and failure, with a question before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from subprocess import PIPE

import pytest

from tests.fabricated import evaluation, fabricate
from tests.terminal import read_terminal
from turnkeyml import delete_builds
from turnkeyml.errors import UsageError
from turnkeyml.options import checks
from turnkeyml.system import process_tree

OLD, NEW, LARGE, FAILED = "old_0000000a", "new_0000000b", "large_0000000c", "failed_0000000d"


@pytest.fixture
def several(cache):
    fabricate(cache, OLD, evaluation(days=40), evaluation("openvino", days=35))
    fabricate(cache, NEW, evaluation(days=1), evaluation("torch-eager", median=None))
    fabricate(cache, LARGE, evaluation(days=50), size=3_000_000)
    fabricate(cache, FAILED, evaluation(median=None, days=2))
    return cache


def left(cache):
    return {path.name for path in cache.iterdir() if not path.name.startswith(".")}


def deleting(cache, *words, typed=None, columns=80):
    command = [sys.executable, "-m", "turnkeyml", "cache", "delete", *words, "-d", str(cache)]
    return read_terminal(command, columns=columns, typed=typed)


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        (["--older-than", "30d"], {OLD, LARGE}),
        (["--older-than", "38d"], {LARGE}),
        (["--larger-than", "1MB"], {LARGE}),
        (["--failed"], {FAILED}),
        (["--older-than", "30d", "--larger-than", "1MB"], {LARGE}),
        (["--all", "--failed"], {FAILED}),
        ([OLD, NEW, "--older-than", "30d"], {OLD}),
        (["*_0000000?", "--larger-than", "2.5MB"], {LARGE}),
        (["--failed", "--larger-than", "1GB"], set()),
    ],
)
def test_filters_select_the_builds_to_which_all_of_them_apply(several, turnkey, words, gone):
    done = turnkey("cache", "delete", *words, "--yes")
    assert done.returncode == 0, done.stderr
    assert left(several) == {OLD, NEW, LARGE, FAILED} - gone
    if not gone:
        assert "No build matches; nothing was changed." in done.stdout


@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_shows_what_and_how_much_before_it_asks(several, columns):
    status, shown = deleting(several, "--older-than", "30d", typed="n\n", columns=columns)
    assert status == 1
    assert "Delete these 2 builds (3" in shown
    assert f"in {several}? [y/N]" in shown.replace("\r\n", "")
    rows = [line for line in shown.splitlines() if line.startswith((OLD, LARGE, NEW))]
    assert len(rows) == 2
    assert all(len(row.rstrip()) <= columns for row in rows)
    assert "Nothing was changed." in shown
    assert left(several) == {OLD, NEW, LARGE, FAILED}
    status, shown = deleting(several, "--older-than", "30d", typed="y\n", columns=columns)
    assert (status, left(several)) == (0, {NEW, FAILED})


def test_the_end_of_input_is_a_no(several):
    status, shown = deleting(several, "--failed", typed="\x04")
    assert (status, len(left(several))) == (1, 4)
    assert "Nothing was changed." in shown


def test_without_a_terminal_it_needs_yes(several, turnkey):
    done = turnkey("cache", "delete", "--failed")
    assert done.returncode == 2
    assert "Delete 1 build in" in done.stderr
    assert "Without a terminal to ask in, this needs --yes." in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(left(several)) == 4


def test_names_alone_are_deleted_without_a_question(several, turnkey):
    assert turnkey("cache", "delete", OLD).returncode == 0
    assert deleting(several, NEW, typed="")[0] == 0
    assert left(several) == {LARGE, FAILED}
    done = turnkey("cache", "delete", LARGE, "--all")
    assert done.returncode == 2
    assert "Name builds or give --all, not both." in done.stderr


def test_clean_takes_the_same_filters(several, turnkey):
    done = turnkey("cache", "clean", "--larger-than", "1MB", "--yes", "--json")
    assert json.loads(done.stdout)["builds"] == [{"name": LARGE, "cleaned": True}]
    assert not (several / LARGE / "onnx").exists()


def test_the_function_takes_them_too(several):
    assert delete_builds(cache_dir=several, older_than="30d", failed=False) == {
        LARGE: True,
        OLD: True,
    }
    assert delete_builds(cache_dir=several, larger_than=10**9) == {}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("90m", 5400), ("12h", 43200), ("30d", 2592000), ("1w", 604800)],
)
def test_ages(text, seconds):
    assert checks.age(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [("1GB", 10**9), ("1.5 mb", 1_500_000), ("2GiB", 2**31), ("12", 12), ("3k", 3000)],
)
def test_sizes(text, size):
    assert checks.size(text) == size


def test_wrong_ages_and_sizes_are_one_sentence():
    with pytest.raises(UsageError, match="The age must be one such as 30d, 12h or 90m, not '30'"):
        checks.age("30")
    with pytest.raises(UsageError, match="The size must be one such as 1GB or 500MB, not 'big'"):
        checks.size("big")


def test_what_a_killed_deletion_left_is_swept_by_the_next_one(several, turnkey):
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=PIPE)
    dead, own = int(gone.stdout), os.getpid()
    now = process_tree.start_time(own)
    swept = [
        f".deleted-{dead}-{OLD}",  # as versions before wrote it
        f".deleted-{dead}-{now}-{OLD}",
        f".deleted-{own}-{OLD}",
        f".deleted-{own}-{now - 1}-{OLD}",  # another process had this PID
    ]
    kept = [f".deleted-{own}-{now}-{OLD}", ".deleted-by-hand", ".work"]
    for name in (*swept, *kept):
        (several / name / "onnx").mkdir(parents=True)
        (several / name / "onnx" / "model.onnx").write_bytes(b"x")
    outside = several.parent / "outside"
    outside.mkdir()
    (several / f".deleted-{dead}-link").symlink_to(outside)
    done = turnkey("cache", "delete", FAILED)
    assert done.returncode == 0, done.stderr
    assert [name for name in swept if (several / name).exists()] == []
    assert [name for name in kept if (several / name).exists()] == kept
    assert outside.exists()
    assert left(several) == {OLD, NEW, LARGE}


KILLED = """
import os, shutil, signal, sys
shutil.rmtree = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
from turnkeyml.cli.entry import main
main(sys.argv[1:])
"""


def test_a_deletion_that_is_killed_is_finished_by_the_next_one(several):
    words = ["cache", "delete", OLD, "-d", str(several)]
    killed = subprocess.run([sys.executable, "-c", KILLED, *words])
    assert killed.returncode == -signal.SIGKILL
    (rest,) = several.glob(".deleted-*")
    assert rest.name.endswith(OLD)
    delete_builds(NEW, cache_dir=str(several))
    assert list(several.glob(".deleted-*")) == []
    assert left(several) == {LARGE, FAILED}


@pytest.mark.parametrize("words", [(OLD,), ("--older-than", "9999w", "--yes")])
def test_a_killed_deletion_is_finished_where_nothing_else_is_deleted(several, turnkey, words):
    rest = several / f".deleted-{2**22 + 1}-1-{OLD}"
    (several / OLD).rename(rest)
    turnkey("cache", "delete", *words)
    assert not rest.exists()
    assert left(several) == {NEW, LARGE, FAILED}
