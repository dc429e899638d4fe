"""Sweeps: what a word like batch_size=1..64*2 means, and what becomes of every point."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from turnkeyml.discover import parse_sweep, script_words
from turnkeyml.display import sweep_lines
from turnkeyml.errors import UsageError
from turnkeyml.nouns import (
    Evaluation,
    Grade,
    Input,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Performance,
)

from .conftest import EXAMPLES

LINEAR = Path(__file__).parent.parent / "models" / "selftest" / "linear.py"


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("n=1,2,4", "1 2 4"),
        ("n=small,large", "small large"),
        ("n=7", "7"),
        ("n=1..4", "1 2 3 4"),
        ("n=-1..1", "-1 0 1"),
        ("n=0..100+25", "0 25 50 75 100"),
        ("n=0..10+4", "0 4 8"),
        ("n=1..64*2", "1 2 4 8 16 32 64"),
        ("n=1..100*10", "1 10 100"),
        ("n=1..1000000000*1000", "1 1000 1000000 1000000000"),
        ("n=1..3,8,16..64*2", "1 2 3 8 16 32 64"),
        ("n=1, 2", "1 2"),
        ("n=2,1,2", "2 1"),
        ("n=0.5,1e-3", "0.5 1e-3"),
        ("n=a=b", "a=b"),
        ("--n=1,2", "1 2"),
    ],
)
def test_the_values_of_a_sweep(word, values):
    assert [point["n"] for point in parse_sweep([word])] == values.split()


def test_several_parameters_make_every_combination_the_last_changing_fastest():
    points = parse_sweep(["batch_size=1,2", "size=8,16"])
    assert [tuple(p.items()) for p in points] == [
        (("batch_size", "1"), ("size", "8")),
        (("batch_size", "1"), ("size", "16")),
        (("batch_size", "2"), ("size", "8")),
        (("batch_size", "2"), ("size", "16")),
    ]


def test_no_sweep_is_one_point_without_parameters():
    assert parse_sweep([]) == [{}]


def test_a_point_is_given_to_the_script_as_its_arguments():
    assert script_words({"batch_size": "2", "kind": "a b"}) == ("--batch_size=2", "--kind=a b")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["batch_size"], "not 'batch_size'"),
        (["=1,2"], "not '=1,2'"),
        (["n="], "not 'n='"),
        (["n=1,,2"], "remove the extra comma"),
        (["n=1,2", "n=3"], "'n' is given twice"),
        (["n=4..1"], "'4..1' never reaches"),
        (["n=1..9+0"], "'1..9+0' never reaches"),
        (["n=1..9*1"], "'1..9*1' never reaches"),
        (["n=0..9*2"], "'0..9*2' never reaches"),
        (["n=1..1000", "m=1..1000"], "1,000,000 points; the maximum is 10,000"),
        (["n=1..99999999999999999999"], "has more than 10,000 values"),
    ],
)
def test_what_is_no_sweep_is_refused_in_one_sentence(words, complaint):
    with pytest.raises(UsageError) as error:
        parse_sweep(words)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith((".", "?"))


# The table


def invocation(name: str = "model", digest: str = "0") -> InvocationRecord:
    return InvocationRecord(name, "", "", "", "", 1, 1, 1, "", digest, None, 0, {}, {}, "build")


def result(
    point: dict[str, str], *performances: tuple[str, float, float] | None, digest: str = "0"
) -> InputResult:
    """A script's result; of each measurement the runtime, the median and the throughput."""
    evaluations = []
    for found in performances:
        if found is None:
            evaluations.append(Evaluation("x86", "a CPU", "ort", status="failed"))
            continue
        runtime, median, throughput = found
        figures = Performance(
            median, throughput, 9, median, None, 0, 0, 0, 0, median - 0.111, median + 0.111
        )
        evaluations.append(Evaluation("x86", "a CPU", runtime, grade=Grade.B, performance=figures))
    rows = (InvocationResult(invocation(digest=digest), evaluations=tuple(evaluations)),)
    return InputResult(Input("script.py"), invocations=rows, parameters=point)


def table(*results: InputResult) -> list[list[str]]:
    """The cells of a table, without its title."""
    title, empty, *lines = sweep_lines(results)
    assert (title, empty) == ("Sweep:", "")
    return [re.split(r"  +", line.strip()) for line in lines]


def test_latency_and_throughput_along_a_sweep():
    found = table(
        result({"size": "8"}, ("ort", 2.222, 512.5), digest="1"),
        result({"size": "16"}, ("ort", 4.444, 256.5), digest="2"),
    )
    assert found == [
        ["size", "median (ms)", "95% interval", "grade", "runs/s"],
        ["8", "2.222", "2.111 to 2.333", "B", "512.5"],
        ["16", "4.444", "4.333 to 4.555", "B", "256.5"],
    ]


def test_items_per_second_where_the_batch_is_swept():
    (header, row) = table(result({"batch_size": "8"}, ("ort", 2.222, 512.5)))
    assert (header[-1], row[-1]) == ("items/s", "4,100")


def test_only_what_differs_has_a_column():
    found = table(result({"size": "8"}, ("ort", 2.222, 512.5), ("torch-eager", 4.444, 256.5)))
    assert [row[:2] for row in found] == [
        ["size", "runtime"],
        ["8", "ort"],
        ["8", "torch-eager"],
    ]


def test_a_point_that_failed_keeps_its_row():
    broken = InputResult(Input("script.py"), failure="It was killed.", parameters={"size": "16"})
    found = table(result({"size": "8"}, ("ort", 2.222, 512.5)), result({"size": "9"}, None), broken)
    failed = [row for row in found if "failed" in row]
    assert [next(cell for cell in row if cell.isdigit()) for row in failed] == ["9", "16"]


def test_a_sweep_that_changes_no_model_says_so():
    lines = sweep_lines([result({"size": s}, ("ort", 2.222, 512.5)) for s in ("8", "16")])
    assert lines[-1] == (
        "Caution: The sweep of size changed no model; check that the script uses the argument."
    )


def test_runs_that_are_no_sweep_have_no_table():
    assert sweep_lines([result({}, ("ort", 2.222, 512.5))]) == []


# The real thing


def run(cache: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "turnkeyml", *map(str, words)]
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(cache)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=250)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """What a sweep of the batch size printed, and the rows of the report."""
    cache = tmp_path_factory.mktemp("sweep")
    result = run(cache, LINEAR, "--sweep", "batch_size=1,2", "--iterations", 5)
    assert result.returncode == 0, result.stdout + result.stderr
    assert run(cache, "cache", "report", "-r", cache / "report").returncode == 0
    (report,) = (cache / "report").glob("*.csv")
    with report.open(newline="") as file:
        return result.stdout, list(csv.DictReader(file))


def test_every_point_is_listed(swept):
    assert re.findall(r"^linear\.py \((.*)\):$", swept[0], re.MULTILINE) == [
        "batch_size=1",
        "batch_size=2",
    ]


def test_every_point_is_in_the_table(swept):
    text = swept[0].split("Sweep:")[1]
    assert re.search(r"^batch_size +median \(ms\) .*items/s$", text, re.MULTILINE)
    assert re.findall(r"^ +(\d) +[\d.]+ ", text, re.MULTILINE) == ["1", "2"]


def test_every_point_is_in_the_report(swept):
    rows = {row["parameters_batch_size"]: row for row in swept[1]}
    assert sorted(rows) == ["1", "2"]


def test_an_onnx_file_without_such_a_dimension_fails_in_a_sweep(tmp_path):
    result = run(tmp_path, EXAMPLES / "onnx" / "sample.onnx", "--sweep", "batch_size=1,2")
    assert result.returncode == 1
    assert "It has neither an input nor an open dimension 'batch_size'" in result.stdout
