"""benchmark_files and benchmark_model."""

from __future__ import annotations

import inspect
import re
import time

import pytest
import torch

import turnkeyml
from turnkeyml import MeasuredPerformance, benchmark_files, benchmark_model, build_model

from .conftest import EXAMPLES, builds_in
from .promises import promise

HELLO = str(EXAMPLES / "scripts" / "hello_world.py")


class YourModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A model measured with every argument of benchmark_model at its default but the cache."""
    cache = tmp_path_factory.mktemp("cache")
    return benchmark_model(YourModel(), {"x": torch.rand(2, 4)}, cache_dir=str(cache)), cache


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files measured with the arguments of benchmark_files."""
    cache = tmp_path_factory.mktemp("cache")
    results = benchmark_files(
        input_files=[HELLO, str(EXAMPLES / "scripts" / "max_depth.py")],
        device="x86",
        runtime=["ort", "torch-eager"],
        iterations=6,
        cache_dir=str(cache),
        lean_cache=True,
        rebuild="always",
        sequence="optimize-fp32",
        onnx_opset=17,
        process_isolation=True,
        timeout=120,
    )
    return results, cache


def default(function, name: str) -> object:
    return inspect.signature(function).parameters[name].default


@promise("tools", "benchmark_files takes files and a device and returns performance results")
@promise("tools", "benchmark_files takes input_files=")
def test_benchmark_files_returns_results(files):
    results, _ = files
    assert [r.input.name for r in results] == ["hello_world.py", "max_depth.py"]
    assert all(p.mean_latency > 0 for r in results for p in r.performances)


@promise("tools", "benchmark_files takes runtime=[...] and measures with each")
@promise("ours", "With several runtimes a model is discovered and built once")
def test_benchmark_files_measures_with_each_runtime(files):
    results, _ = files
    for found in results[0].invocations:
        assert [e.runtime for e in found.evaluations] == ["ort", "torch-eager"]


@promise("tools", "benchmark_files takes device=, iterations= and onnx_opset=")
def test_benchmark_files_takes_device_iterations_and_opset(files, stats):
    results, cache = files
    assert {p.iterations for p in results[0].performances} == {6}
    assert {p.device_type for p in results[0].performances} == {"x86"}
    assert stats(cache / "hello_world_24adc42f")["build"]["onnx_opset"] == 17


@promise("tools", "benchmark_files takes sequence= and rebuild=")
def test_benchmark_files_takes_a_sequence(files, state):
    _, cache = files
    expected = ["export_pytorch", "optimize_onnx", "set_success"]
    assert state(cache / "hello_world_24adc42f")["config"]["sequence"] == expected


@promise("tools", "benchmark_files takes cache_dir= and lean_cache=")
def test_benchmark_files_takes_cache_dir_and_lean_cache(files):
    _, cache = files
    assert "hello_world_24adc42f" in builds_in(cache)
    assert not list(cache.rglob("*.onnx"))


@promise("tools", "benchmark_files takes process_isolation= and timeout=")
def test_benchmark_files_takes_isolation_and_timeout(files):
    results, _ = files
    assert all(result.ok for result in results)
    with pytest.raises(Exception, match=r"(?i)slurm"):
        benchmark_files(HELLO, process_isolation=True, use_slurm=True)


@promise("tools", "benchmark_files takes analyze_only=, script_args= and max_depth=")
def test_benchmark_files_takes_what_concerns_analysis(cache, script, capfd):
    path = script("import sys; print('told', sys.argv[1:]); SmallModel()(torch.rand(4))")
    words = {"script_args": "--batch_size=8 --max_seq_len=128", "max_depth": 1}
    (result,) = benchmark_files(str(path), cache_dir=str(cache), analyze_only=True, **words)
    assert [i.invocation.class_name for i in result.invocations] == ["SmallModel", "Linear"]
    assert result.performances == []
    assert "told ['--batch_size=8', '--max_seq_len=128']" in capfd.readouterr().out
    assert not cache.exists()


@promise("tools", "benchmark_files takes build_only= and labels=")
@promise("tools", "benchmark_files takes an instance of Sequence")
@promise("ours", "benchmark_files expands wildcards")
def test_benchmark_files_takes_what_concerns_builds(cache, state):
    from turnkeyml import Sequence
    from turnkeyml.build import ExportPytorch, find_sequence

    own = Sequence("own", [find_sequence("onnx-fp32", ExportPytorch())])
    words = {"build_only": True, "labels": ["test_group::a"], "sequence": own}
    pattern = str(EXAMPLES / "scripts" / "*.py")
    (result,) = benchmark_files([pattern], cache_dir=str(cache), **words)
    assert result.input.name == "hello_world.py"
    assert result.performances == []
    assert builds_in(cache) == ["hello_world_24adc42f"]
    stages = state(cache / "hello_world_24adc42f")["config"]["sequence"]
    assert stages == ["export_pytorch", "set_success"]


@promise("tools", "The defaults of benchmark_files are the documented ones")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("use_slurm", False),
        ("process_isolation", False),
        ("lean_cache", False),
        ("analyze_only", False),
        ("build_only", False),
        ("max_depth", 0),
        ("rt_args", None),
        ("rebuild", "if_needed"),
        ("iterations", None),
        ("device", "x86"),
    ],
)
def test_the_defaults_of_benchmark_files(name, value):
    assert default(benchmark_files, name) == value


@promise("tools", "The defaults of benchmark_model are the documented ones")
@pytest.mark.parametrize(
    ("name", "value"),
    [("lean_cache", False), ("build_only", False), ("rt_args", None), ("rebuild", "if_needed")],
)
def test_the_defaults_of_benchmark_model(name, value):
    assert default(benchmark_model, name) == value


@promise("tools", "benchmark_model returns a MeasuredPerformance with the documented members")
def test_benchmark_model_returns_measured_performance(measured):
    performance, _ = measured
    assert isinstance(performance, MeasuredPerformance)
    assert performance.latency_units == "milliseconds (ms)"
    assert performance.throughput_units == "inferences per second (IPS)"
    assert performance.mean_latency > 0
    assert performance.throughput > 0


class SlowModel(YourModel):
    """Takes so long that time alone would end a measurement after some eighty runs."""

    def forward(self, x):
        time.sleep(0.025)
        return super().forward(x)


@promise("tools", "benchmark_model measures 100 runs by default")
@promise("tools", "--iterations is 100 by default")
def test_at_least_a_hundred_runs_by_default(cache):
    inputs = {"x": torch.rand(2, 4)}
    found = benchmark_model(SlowModel(), inputs, runtime="torch-eager", cache_dir=str(cache))
    assert found.iterations >= 100
    assert found.rule == "default"


@promise("tools", "Throughput counts calls: a batch is one inference")
def test_a_batch_is_one_inference(measured):
    performance, _ = measured
    assert performance.throughput == pytest.approx(1000 / performance.mean_latency, rel=0.2)


@promise("tools", "benchmark_model names its build by itself")
def test_benchmark_model_names_its_build(measured):
    performance, cache = measured
    assert builds_in(cache) == [performance.build_name]


@promise("tools", "benchmark_model prints the performance of the model by name and device")
def test_benchmark_model_prints_the_performance(cache, capfd):
    arguments = {"device": "x86", "runtime": "torch-eager", "iterations": 3}
    benchmark_model(YourModel(), {"x": torch.rand(4)}, cache_dir=str(cache), **arguments)
    printed = capfd.readouterr().out
    assert re.search(r"Performance of YourModel on device .+ is:\n", printed)
    assert re.search(r"latency: \d+\.\d{3} ms\n", printed)
    assert re.search(r"throughput: \d+\.\d ips\n", printed)


@promise("tools", "benchmark_model takes device=, runtime=, iterations= and cache_dir=")
def test_benchmark_model_takes_its_arguments(cache):
    arguments = {"device": "x86", "runtime": "torch-eager", "iterations": 4}
    found = benchmark_model(YourModel(), {"x": torch.rand(4)}, cache_dir=str(cache), **arguments)
    assert (found.device_type, found.runtime, found.iterations) == ("x86", "torch-eager", 4)
    assert builds_in(cache) == [found.build_name]


@promise("tools", "benchmark_model takes lean_cache= and build_only=")
def test_benchmark_model_takes_lean_cache_and_build_only(cache):
    arguments = {"lean_cache": True, "build_only": True, "cache_dir": str(cache)}
    assert benchmark_model(YourModel(), {"x": torch.rand(4)}, **arguments) is None
    assert list(cache.rglob("log_*.txt"))
    assert not list(cache.rglob("*.onnx"))


@promise("tools", "build_model takes cache_dir=")
def test_build_model_takes_a_cache_dir(cache):
    build_model(YourModel(), {"x": torch.rand(4)}, build_name="mine", cache_dir=str(cache))
    assert builds_in(cache) == ["mine"]


@promise("tools", "The API is the package's own: three functions and the results")
def test_the_names_of_the_api():
    for name in ("benchmark_files", "benchmark_model", "build_model", "MeasuredPerformance"):
        assert name in turnkeyml.__all__
