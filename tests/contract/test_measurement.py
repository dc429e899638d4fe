"""Devices, runtimes, iterations."""

from __future__ import annotations

import re

import pytest
import torch

from turnkeyml import benchmark_model
from turnkeyml.measure.record import load_samples

from .promises import promise


@promise("tools", "The runtime ort measures on the device x86")
@promise("tools", "The runtime torch-eager measures on the device x86")
@promise("tools", "The runtime torch-compiled measures on the device x86")
@promise("tools", "--runtime names what measures")
@promise("ours", "--runtime takes several runtimes")
def test_the_runtimes_of_the_cpu(three_runtimes):
    assert three_runtimes.status == 0, three_runtimes.out + three_runtimes.err
    shown = re.findall(r"\((\S+) v\S+\)$", three_runtimes.out, re.MULTILINE)
    assert shown == ["ort", "torch-eager", "torch-compiled"]
    assert three_runtimes.out.count("Mean Latency:") == 3


@promise("tools", "--device names a kind of device; whichever is in the machine is used")
def test_the_device_in_the_machine_is_used(three_runtimes):
    from turnkeyml.system.machine import cpu_name

    assert three_runtimes.out.count(f"benchmarked on {cpu_name()} (") == 3


@promise("tools", "x86 is the default device, and ort is its default runtime")
@promise("tutorial", "Models are measured on the x86 CPU by default")
def test_the_default_device_and_runtime(made, stats):
    for folder in (made / "max_depth_7ebbe8c4", made / "two_models_c69b7dea"):
        first = stats(folder)["evaluations"][0]
        assert (first["device_type"], first["runtime"]) == ("x86", "ort")


@promise("tools", "--iterations says how often a model is run for a measurement")
def test_iterations_on_the_command_line(three_runtimes, reader, stats):
    evaluations = stats(reader.cli / "three" / "hello_world_24adc42f")["evaluations"]
    assert [e["performance"]["iterations"] for e in evaluations] == [7, 7, 7]


@promise("tools", "The mean latency is the mean over the runs, and throughput follows from it")
def test_the_mean_is_the_mean_of_the_samples(three_runtimes, reader, stats):
    folder = reader.cli / "three" / "hello_world_24adc42f"
    for evaluation in stats(folder)["evaluations"]:
        found = evaluation["performance"]
        (samples,) = load_samples(folder / evaluation["samples_file"])
        assert len(samples) == 7
        assert found["mean_latency"] == pytest.approx(samples.mean())
        assert found["throughput"] == pytest.approx(7 / found["wall_seconds"])
        assert found["wall_seconds"] * 1000 >= samples.sum()


@promise("tools", "The inputs of torch runtimes are not downcast to float16")
def test_torch_runtimes_keep_the_precision(cache):
    seen = set()

    class Model(torch.nn.Module):
        def forward(self, x):
            seen.add(x.dtype)
            return x + 1

    arguments = {"runtime": "torch-eager", "iterations": 2, "cache_dir": str(cache)}
    benchmark_model(Model(), (torch.rand(3),), **arguments)
    assert seen == {torch.float32}


@promise("tools", "A combination of device and runtime that is not supported is refused")
@pytest.mark.parametrize("words", ["--device abacus", "--runtime ortt", "--runtime ort ortt"])
def test_what_is_not_supported_is_refused(reader, words):
    ran = reader.types(f"turnkey scripts/hello_world.py {words}")
    assert (ran.status, ran.out) == (2, "")
    assert re.search(r"Unknown (device 'abacus'|runtime 'ortt')", ran.err)


@promise("tools", "Built-in runtimes take no --rt-args, and say so")
@promise("ours", "--rt-args takes key::value, key::[a,b] and plain flags")
def test_built_in_runtimes_take_no_arguments(reader):
    words = "--rt-args threads::4 'modes::[a,b]' verbose"
    ran = reader.types(f"turnkey scripts/hello_world.py {words}")
    assert (ran.status, ran.out) == (2, "")
    assert all(key in ran.err for key in ("threads", "modes", "verbose"))


@promise("tools", "benchmark_model takes rt_args=")
def test_benchmark_model_takes_runtime_arguments(cache):
    arguments = {"runtime": "torch-eager", "iterations": 2, "cache_dir": str(cache)}
    assert benchmark_model(torch.nn.Linear(2, 2), (torch.rand(2),), rt_args={}, **arguments)
    with pytest.raises(Exception, match="verbose"):
        benchmark_model(
            torch.nn.Linear(2, 2), (torch.rand(2),), rt_args={"verbose": True}, **arguments
        )
