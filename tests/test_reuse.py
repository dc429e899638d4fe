"""A build that has more serves a request for less, and what was measured of it stays current."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import turnkeyml
from tests.conftest import printed
from turnkeyml.build import wanted_build
from turnkeyml.cache import (
    BuildFolder,
    evaluations_in,
    read_history,
    read_state,
    read_stats,
    update_stats,
)
from turnkeyml.nouns import Plan, Verdict, from_dict

SCRIPT = """
import torch
torch.manual_seed(0)
torch.nn.Linear(6, 3)(torch.rand(2, 6))
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def run(script: Path, cache: Path, **options):
    """The one invocation of a run."""
    (result,) = turnkeyml.benchmark_files(
        str(script), cache_dir=str(cache), iterations=5, **options
    )
    (one,) = result.invocations
    assert one.failure is None
    return one


def folder_in(cache: Path) -> BuildFolder:
    (path,) = cache.glob("net_*")
    return BuildFolder(cache, path.name)


def current(cache: Path) -> set[tuple[str, str]]:
    """The runtimes and precisions that reports show."""
    return {(e["runtime"], e["precision"]) for e in evaluations_in(read_stats(folder_in(cache)))}


def test_a_build_in_more_precisions_serves_the_default(script, cache):
    run(script, cache, runtime=["ort", "torch-eager"], precision=["fp32", "fp16"])
    rows = {("ort", "fp32"), ("ort", "fp16"), ("torch-eager", "fp32")}
    assert current(cache) == rows
    again = run(script, cache)
    assert again.reused
    assert [e.precision for e in again.evaluations] == ["fp32"]
    assert current(cache) == rows
    raced = run(script, cache, runtime=["ort", "torch-eager"], precision=["fp32", "fp16"])
    assert raced.reused
    assert current(cache) == rows


def test_what_was_measured_stays_current_while_its_file_and_its_model_are_the_same(script, cache):
    run(script, cache, runtime=["ort", "torch-eager"])
    added = run(script, cache, runtime=["ort"], precision=["fp16"])
    assert not added.reused
    assert current(cache) == {("ort", "fp32"), ("ort", "fp16"), ("torch-eager", "fp32")}
    assert read_history(folder_in(cache)) == []


def test_what_another_model_was_measured_with_is_history(script, cache):
    run(script, cache, runtime=["ort", "torch-eager"])
    script.write_text(SCRIPT.replace("manual_seed(0)", "manual_seed(1)"))
    assert not run(script, cache, runtime=["ort"]).reused
    assert current(cache) == {("ort", "fp32")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"precision": ["fp16"]}, {"precision": ["fp32"]}),
        ({"precision": ["fp16"]}, {}),
        ({"precision": ["fp32"]}, {"precision": ["fp16"]}),
        ({}, {"sequence": "onnx-fp32"}),
        ({"sequence": "optimize-fp16"}, {"precision": ["fp32"]}),
        ({}, {"onnx_opset": 18}),
        ({}, {}),
    ],
)
def test_the_dry_run_says_what_the_run_does(script, cache, before, after):
    run(script, cache, **before)
    words = []
    for name, value in after.items():
        words += [f"--{name.replace('_', '-')}", *(value if isinstance(value, list) else [value])]
    told = json.loads(printed(script, "-d", cache, "--dry-run", "--json", *words))["dry_run"]
    ((build,),) = [task["builds"] for task in told["tasks"]]
    assert build["reused"] == run(script, cache, **after).reused


def test_a_precision_that_no_sequence_builds_beside_the_others_replaces_them(script, cache):
    run(script, cache, precision=["fp16"])
    state = read_state(folder_in(cache))
    plan = from_dict(Plan, {"device": "x86", "cache_dir": str(cache), "precisions": ["int8"]})
    assert wanted_build(plan, "optimize-fp32", state).sequence == "optimize-int8"


def test_the_success_of_another_precision_does_not_skip_a_failed_one(script, cache):
    run(script, cache, runtime=["ort"], precision=["fp32", "fp16"])
    found = evaluations_in(read_stats(folder_in(cache)))
    statuses = {"fp32": "successful", "fp16": "failed"}
    changed = [{**e, "status": statuses[e["precision"]]} for e in found]
    update_stats(folder_in(cache), evaluations=changed)
    name = folder_in(cache).name
    again = turnkeyml.remeasure(name, cache_dir=str(cache), skip="successful", iterations=5)
    measured = [(e.precision, e.ok) for evaluations in again.values() for e in evaluations]
    assert measured == [("fp16", True)]


@pytest.mark.slow
def test_explaining_a_live_model_builds_nothing_and_knows_its_verdict(script, cache):
    run(script, cache, runtime=["ort", "torch-eager"], precision=["fp32", "fp16"])
    before = folder_in(cache).path.joinpath(f"{folder_in(cache).name}_state.yaml").read_bytes()
    (found,) = turnkeyml.explain(str(script), cache_dir=str(cache), runtime=["torch-eager"])
    assert found.verdict is Verdict.MATCH
    state = folder_in(cache).path.joinpath(f"{folder_in(cache).name}_state.yaml").read_bytes()
    assert state == before
    assert current(cache) == {("ort", "fp32"), ("ort", "fp16"), ("torch-eager", "fp32")}


@pytest.mark.slow
def test_a_live_model_is_explained_without_any_build(script, cache):
    (found,) = turnkeyml.explain(str(script), cache_dir=str(cache), runtime=["torch-eager"])
    assert found.verdict is Verdict.MATCH
    assert not list(cache.glob("net_*/onnx"))
