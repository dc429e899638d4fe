"""Devices, runtimes, iterations."""

from __future__ import annotations

import re

import pytest
import torch

from turnkeyml import benchmark_model
from turnkeyml.errors import TurnkeyError
from turnkeyml.measure import load_samples

from .conftest import processor_of_this_machine
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
    assert three_runtimes.out.count(f"benchmarked on {processor_of_this_machine()} (") == 3


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
        assert found["wall_seconds"] * 1000 >= samples.sum() * (1 - 1e-9)


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
@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("--device abacus", "device 'abacus'; choose from: x86,"),
        ("--device abacus --runtime trt", "device 'abacus'; choose from: x86,"),
        ("--device x86 --runtime trt", "runtime 'trt' for device x86; choose from: ort,"),
        ("--runtime ort ortt", "runtime 'ortt' for device x86; choose from: ort,"),
    ],
)
def test_what_is_not_supported_is_refused(reader, words, what):
    ran = reader.types(f"turnkey scripts/hello_world.py {words}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"turnkey: error: Unknown {what}")


@promise("tools", "--rt-args that a runtime does not support are refused")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            "--rt-args threads::4 'modes::[a,b]' verbose",
            "The runtime ort has no argument modes, threads, verbose; choose from: "
            "providers, graph_optimization, execution_mode, spinning.",
        ),
        (
            "--runtime torch-eager --rt-args verbose",
            "The runtime torch-eager has no argument verbose; it takes no arguments.",
        ),
        ("--rt-args providers", "Invalid argument providers for the runtime ort; providers is "),
    ],
)
def test_arguments_that_a_runtime_does_not_know(reader, words, why):
    ran = reader.types(f"turnkey scripts/hello_world.py {words}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"turnkey: error: {why}")


@promise("tools", "--rt-args reach the runtime")
@promise("ours", "--rt-args takes key::value, key::[a,b] and plain flags")
@pytest.mark.parametrize("words", ["providers::abacus,cpu", "'providers::[abacus,cpu]'"])
def test_runtime_arguments_on_the_command_line(reader, words):
    ran = reader.types(f"turnkey scripts/hello_world.py --rt-args {words}")
    assert (ran.status, ran.out) == (1, "")
    assert "has no provider 'abacus'" in ran.err


@promise("tools", "benchmark_model takes rt_args=")
def test_benchmark_model_takes_runtime_arguments(cache):
    given = {"iterations": 2, "cache_dir": str(cache)}
    model, inputs = torch.nn.Linear(2, 2), (torch.rand(2),)
    assert benchmark_model(model, inputs, rt_args={"providers": "CPU"}, **given)
    with pytest.raises(TurnkeyError, match="has no provider 'abacus'"):
        benchmark_model(model, inputs, rt_args={"providers": "abacus"}, **given)
