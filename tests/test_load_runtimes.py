"""Latency under load of real runtimes, as a person asks for it and finds it again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import EXAMPLES, Turnkey, evaluations
from turnkeyml.api import benchmark_files, compare, remeasure, report
from turnkeyml.errors import UsageError
from turnkeyml.measure import Rule, measure_under_load
from turnkeyml.nouns import LoadPlan
from turnkeyml.runtimes import Request, default_device, find_runtime

HELLO = EXAMPLES / "scripts" / "hello_world.py"
REQUESTS = 150
SERVING = ["ort", "torch-eager", *(["openvino"] if find_spec("openvino") else [])]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory):
    """The document of a run of hello_world under two rates, its text, and its cache."""
    cache = tmp_path_factory.mktemp("load")
    words = ["--rate", "200,400", "--iterations", str(REQUESTS), "--runtime", *SERVING, "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", str(HELLO), *words],
        env={**os.environ, "TURNKEY_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr, cache


def of_runtime(measured, runtime: str) -> list[dict]:
    (result,) = measured[0]["results"]
    found = result["invocations"][0]["evaluations"]
    return [evaluation for evaluation in found if evaluation["runtime"] == runtime]


@pytest.mark.slow
@pytest.mark.parametrize("runtime", SERVING)
def test_each_rate_is_an_evaluation_with_its_load(measured, runtime: str) -> None:
    found = of_runtime(measured, runtime)
    assert [e["under_load"]["pattern"] for e in found] == ["rate=200", "rate=400"]
    for evaluation, rate in zip(found, (200, 400), strict=True):
        load, performance = evaluation["under_load"], evaluation["performance"]
        assert load["rate"] == rate
        assert load["requests"] == load["answered"] == performance["iterations"] == REQUESTS
        assert load["instances"] * load["threads_per_instance"] >= 1
        assert load["answers_checked"] > load["instances"]
        assert performance["p95_latency"] is not None
        assert performance["p99_latency"] is None  # LoadGen asks for 662 requests
        together = load["mean_queueing"] + load["mean_service"]
        assert together == pytest.approx(performance["mean_latency"], rel=1e-6)
        assert evaluation["verification"]["verdict"] == "match"


@pytest.mark.slow
def test_the_status_says_that_it_is_latency_under_load(measured) -> None:
    text = measured[1]
    assert text.count("benchmarked under load") == len(SERVING)
    assert "Latency under load, from when a request is due to its answer" in text
    assert "Mean Latency" not in text


@pytest.mark.slow
def test_a_measurement_alone_and_those_under_load_are_kept_side_by_side(measured) -> None:
    cache = measured[2]
    remeasure(all=True, iterations=20, cache_dir=cache)
    remeasure(all=True, concurrency=3, iterations=30, cache_dir=cache)
    remeasure(all=True, concurrency=3, iterations=40, cache_dir=cache)
    found = [e for e in evaluations(cache) if e["runtime"] == "ort"]
    patterns = [e["under_load"]["pattern"] if e["under_load"] else "" for e in found]
    assert sorted(patterns) == ["", "concurrency=3", "rate=200", "rate=400"]
    (closed,) = [e for e in found if e["under_load"] and e["under_load"]["concurrency"]]
    assert closed["under_load"]["requests"] >= 40
    assert not closed["under_load"]["overloaded"]
    kept = np.load(next(cache.glob("hello_world_*")) / closed["samples_file"])
    assert len(kept["queueing"]) == len(kept["timed"])


@pytest.mark.slow
def test_reports_and_comparisons_know_the_load(measured, tmp_path: Path) -> None:
    cache = measured[2]
    (path,) = report(cache_dir=cache, output=tmp_path / "report.json")
    records = json.loads(path.read_text())
    at_400 = [r for r in records if r["under_load_rate"] == 400]
    assert len(at_400) == len(SERVING)
    compared = compare(str(cache), str(path))
    assert len(compared.rows) == len(records)  # like with like
    assert {row.ratio for row in compared.rows} == {1.0}


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["ort", "openvino"])
@pytest.mark.parametrize(("threads", "instances"), [(2, 0), (2, 1), (4, 2), (1, 3)])
def test_instances_share_the_threads(measured, runtime: str, threads: int, instances: int) -> None:
    if runtime not in SERVING:
        pytest.skip("OpenVINO is not installed")
    (model,) = measured[2].glob("hello_world_*/onnx/*-opt.onnx")
    known = find_runtime(runtime, default_device().name)
    request = Request(threads, str(model), precision="fp32", instances=instances)
    session = known.open(request)
    session.feed({"x": np.ones(11, np.float32)})
    lanes = session.lanes()
    assert len(lanes) == (instances or threads)
    session.run()
    plan = LoadPlan(concurrencies=(4,))
    (point,) = measure_under_load(session, plan, Rule.exactly(50), "fp32")
    assert point.load.instances == len(lanes)
    assert point.load.threads_per_instance == max(1, threads // len(lanes))
    assert point.wrong is None


def test_wrong_answers_under_load_are_noticed() -> None:
    class Confused:
        """Answers as it should only as long as nobody else asks."""

        changes_inputs = asynchronous = False
        runs = 0

        def lanes(self) -> list[Confused]:
            return [self, Confused()]

        def settings(self) -> dict[str, int]:
            return {"threads_per_instance": 1}

        def prepare(self) -> None: ...

        def run(self) -> None:
            self.runs += 1

        def synchronize(self) -> None: ...

        def outputs(self) -> dict[str, np.ndarray]:
            return {"y": np.arange(8.0) if self.runs <= 2 else np.arange(8.0)[::-1].copy()}

    plan = LoadPlan(concurrencies=(2,))
    (point,) = measure_under_load(Confused(), plan, Rule.exactly(20), "fp32")
    assert point.wrong is not None
    assert not point.wrong.trusted


def test_a_runtime_that_cannot_says_so_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"torch-compiled on .* cannot be measured under load"):
        benchmark_files(HELLO, runtime="torch-compiled", rate=10, cache_dir=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--rate", "0"], "--rate must be requests per second"),
        (["--rate", "-5"], "--rate must be requests per second"),
        (["--rate", "10", "--concurrency", "4"], "not allowed with"),
        (["--slo", "p42=50ms"], "knows no p42; choose from: p50, p90, p95, p99"),
        (["--slo", "p99=50"], "needs a unit"),
        (["--slo", "p99=50ms", "--iterations", "100"], "A p99 needs at least 662 requests"),
        (["--instances", "2"], "--instances is for a load"),
    ],
)
def test_usage_errors_exit_with_status_2(turnkey: Turnkey, words: list[str], part: str) -> None:
    done = turnkey(HELLO, *words)
    assert done.returncode == 2
    assert part in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
