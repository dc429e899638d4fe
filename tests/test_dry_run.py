"""``--dry-run``: what would be done, from what earlier runs left in the cache."""

from __future__ import annotations

import json
import os
import sys

import jsonschema
import pytest

from tests.conftest import EXAMPLES, printed
from tests.terminal import read_terminal
from turnkeyml.display import span_in_words
from turnkeyml.report import document_schema

HELLO = EXAMPLES / "scripts" / "hello_world.py"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A cache in which hello_world.py was measured once."""
    cache = tmp_path_factory.mktemp("ran") / "cache"
    printed(HELLO, "--iterations", 5, "-d", cache)
    return cache


def foreseen(cache, *words):
    document = json.loads(printed(*words, "--dry-run", "--json", "-d", cache))
    jsonschema.validate(document, document_schema())
    assert document["results"] == []
    return document["dry_run"]


def test_nothing_is_run_built_or_written(tmp_path, turnkey, cache):
    script = tmp_path / "script.py"
    script.write_text("open('ran', 'w')")
    done = turnkey(script, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no record in this cache" in done.stdout
    assert sorted(os.listdir(tmp_path)) == ["script.py"]
    assert not cache.exists()


def test_an_earlier_run_says_what_is_reused_and_how_long_it_took(ran):
    found = foreseen(ran, HELLO, "--iterations", 5)
    (task,) = found["tasks"]
    (build,) = task["builds"]
    assert task["sequence"] == "optimize-fp32"
    assert task["contestants"] == ["ort"]
    assert (build["name"], build["reused"]) == ("hello_world_24adc42f", True)
    assert build["bytes"] == found["cached_bytes"] > 0
    assert task["last"]["ok"]
    assert task["last"]["same_options"]
    assert found["seconds"] == pytest.approx(sum(task["last"]["seconds"].values()))
    assert (found["unknown"], task["skipped"]) == (0, False)
    assert found["free_bytes"] > 0


@pytest.mark.parametrize(
    ("words", "obstacle"),
    [
        (["--rebuild", "always"], "--rebuild always"),
        (["--sequence", "onnx-fp32"], "sequence changed"),
        (["--onnx-opset", "17"], "opset changed"),
    ],
)
def test_a_build_that_does_not_fit_is_made_again(ran, words, obstacle):
    (task,) = foreseen(ran, HELLO, *words)["tasks"]
    assert [(b["reused"], b["obstacle"]) for b in task["builds"]] == [(False, obstacle)]
    assert not task["last"]["same_options"]


def test_resume_skips_what_is_finished(ran):
    found = foreseen(ran, HELLO, "--iterations", 5, "--resume")
    assert [task["skipped"] for task in found["tasks"]] == [True]
    assert (found["seconds"], found["unknown"]) == (0, 0)
    assert not foreseen(ran, HELLO, "--iterations", 6, "--resume")["tasks"][0]["skipped"]


def test_a_sweep_and_a_race_have_one_entry_per_point(ran):
    words = ["race", HELLO, "--runtime", "ort", "torch-eager", "--precision", "fp32", "fp16"]
    found = foreseen(ran, *words, "--sweep", "n=1,2")
    assert [task["parameters"] for task in found["tasks"]] == [{"n": "1"}, {"n": "2"}]
    assert found["tasks"][0]["contestants"] == ["ort fp32", "ort fp16", "torch-eager"]
    assert found["tasks"][0]["sequence"] == "optimize-fp16"
    assert found["unknown"] == 2


@pytest.mark.parametrize(
    ("words", "sequence", "contestants"),
    [
        (["--analyze-only"], None, []),
        (["--build-only"], "optimize-fp32", []),
        (["--runtime", "torch-eager"], None, ["torch-eager"]),
    ],
)
def test_only_what_would_be_done_is_told(ran, words, sequence, contestants):
    (task,) = foreseen(ran, HELLO, *words)["tasks"]
    assert (task["sequence"], task["contestants"]) == (sequence, contestants)


def test_a_damaged_record_counts_as_none(ran, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(ran, copy)
    for record in (copy / ".runs").glob("*.json"):
        record.write_text("{")
    assert foreseen(copy, HELLO, "--iterations", 5)["unknown"] == 1


def test_very_many_inputs_get_one_line_each(ran):
    shown = printed("timm/resnet1*", HELLO, "--iterations", 5, "--dry-run", "-d", ran)
    lines = [line for line in shown.splitlines() if "hello_world.py" in line]
    assert len(lines) == 1
    assert lines[0].endswith(" s, 1 build reused if unchanged")
    assert "  Each would run the script and list its models, build with optimize-fp32" in shown
    assert "without a record of an earlier run." in shown


@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_wraps_what_is_too_long(ran, columns):
    command = [sys.executable, "-m", "turnkeyml", "race", str(HELLO), "--dry-run", "-d", str(ran)]
    status, shown = read_terminal(command, columns=columns)
    assert status == 0, shown
    lines = shown.replace("\r", "").splitlines()
    assert "nothing is run or built" in lines[0]
    # A path has no place at which it could be broken.
    assert all(len(line) <= columns for line in lines if "/" not in line)
    assert any(line.startswith("  in cache:   hello_world_24adc42f (") for line in lines)


def test_wrong_options_are_refused_as_in_a_real_run(turnkey):
    done = turnkey("missing.py", "--dry-run")
    assert done.returncode == 2
    assert "File not found" in done.stderr


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(7.12, "7.1 s"), (59.99, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_spans_are_told_in_their_two_largest_units(seconds, words):
    assert span_in_words(seconds) == words
