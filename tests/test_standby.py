"""Interpreters that wait: one process says what it is, answers, and becomes the worker."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import HERE, Place
from turnkeyml.runtimes import find_runtime, started_ahead
from turnkeyml.system import Standby, interpreters

from .conftest import EXAMPLES, printed

SAMPLE = EXAMPLES / "onnx" / "sample.onnx"
WORKER = "turnkeyml.measure.worker"
posix = pytest.mark.skipif(os.name != "posix", reason="the interpreters are shell scripts")


@pytest.fixture
def program(tmp_path):
    """Makes an executable shell script."""

    def make(text: str) -> str:
        path = tmp_path / f"python{len(list(tmp_path.glob('python*')))}"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A cache with a build."""
    cache = tmp_path_factory.mktemp("cache")
    printed(SAMPLE, "--build-only", "-d", cache)
    return cache


@posix
def test_measuring_again_starts_one_interpreter(built, program, tmp_path):
    count = tmp_path / "count"
    python = program(f'echo started >> {count}\nexec {sys.executable} "$@"')
    words = ["cache", "benchmark", "--all", "-d", built, "--iterations", 5]
    text = printed(*words, "--python", f"other={python}")
    assert "Successfully benchmarked" in text
    assert count.read_text().split() == ["started"]


@posix
def test_an_input_needs_one_interpreter_for_the_checks_and_one_for_the_worker(program, tmp_path):
    count = tmp_path / "count"
    python = program(f'echo started >> {count}\nexec {sys.executable} "$@"')
    words = ["--python", f"other={python}", "--iterations", 5, "-d", tmp_path / "cache"]
    printed(SAMPLE, *words)
    assert count.read_text().split() == ["started", "started"]


def test_measuring_again_imports_only_what_it_needs(built):
    """Neither frameworks nor runtimes, nor what finds models and plugins."""
    words = ["cache", "benchmark", "--all", "-d", str(built), "--iterations", "5"]
    heavy = ("torch", "onnx", "onnxruntime", "rich", "psutil", "numpy.random")
    light = ("importlib.metadata", "turnkeyml.discover.script", "turnkeyml.frameworks.register")
    program = (
        "import json, sys\n"
        "from turnkeyml.cli.entry import main\n"
        f"try: main({words})\n"
        f"finally: print(json.dumps([n for n in {heavy + light} if n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


@posix
def test_each_of_several_builds_has_a_process_of_its_own(built, program, tmp_path):
    count = tmp_path / "count"
    python = program(f'echo started >> {count}\nexec {sys.executable} "$@"')
    words = ["cache", "benchmark", "--all", "-d", built, "--iterations", 5]
    printed(*words, "--python", f"one={python}", "--python", f"two={python}")
    assert count.read_text().split() == ["started", "started"]


def test_those_that_nobody_takes_end():
    with started_ahead([HERE], [find_runtime("ort", "x86")], WORKER):
        waiting = interpreters.kept_standby("")
        assert waiting.process.poll() is None
    assert waiting.process.poll() is not None
    assert interpreters.kept_standby("") is None


def test_live_models_need_none():
    with started_ahead((), [find_runtime("torch-eager", "x86")], WORKER):
        assert interpreters.kept_standby("") is None


def test_one_that_cannot_start_is_left_to_whoever_requires_it():
    with started_ahead([Place("x", "/absent/python")], [find_runtime("ort", "x86")], WORKER):
        assert interpreters.take_standby("/absent/python") is None


def test_it_answers_in_order_and_as_often_as_it_is_asked():
    with contextlib.closing(Standby(sys.executable, ["json", "absent_module"])) as one:
        one.run("turnkeyml.runtimes.ready", "ort", "x86")
        one.load("absent_module")
        one.run("turnkeyml.runtimes.ready", "ort", "x86")
        assert [one.answer(number) for number in (2, 1, 2)] == [{"obstacle": None}] * 3
        assert one.introduction().modules == {"json"}


def test_what_ends_it_is_its_last_words():
    with contextlib.closing(Standby(sys.executable)) as one:
        one.run("turnkeyml.runtimes.absent")
        assert one.answer(1) is None
        assert "No module named 'turnkeyml.runtimes.absent'" in one.last_words()


def test_errors_go_to_the_log_once_it_has_become_something(tmp_path):
    one = Standby(sys.executable)
    process = one.become("turnkeyml.runtimes.absent", log=tmp_path / "log.txt")
    process.communicate()
    assert process.returncode == 1
    assert "No module named 'turnkeyml.runtimes.absent'" in (tmp_path / "log.txt").read_text()


@posix
def test_what_an_environment_prints_at_its_start_is_no_answer(program):
    python = program(f'echo Welcome\necho 7\nexec {sys.executable} "$@"')
    with contextlib.closing(Standby(python, ["json"])) as one:
        assert one.introduction().modules == {"json"}


@posix
def test_one_that_is_silent_is_ended(program):
    with contextlib.closing(Standby(program("exec sleep 600"))) as one:
        with pytest.raises(TimeoutError):
            one.answer(0, seconds=0.05)
        assert one.process.wait() < 0


@posix
@pytest.mark.parametrize("text", ["echo '[1]'", "echo '{}'", "exit 3"])
def test_what_says_nothing_about_itself_is_not_python(program, text):
    with (
        contextlib.closing(Standby(program(text))) as one,
        pytest.raises(TurnkeyError, match="is not a Python interpreter that works"),
    ):
        one.introduction()
