"""The arguments of build_model, and the examples of them."""

from __future__ import annotations

import subprocess
import sys

import onnx
import pytest
import torch

from turnkeyml import benchmark_model, build_model, load_state

from .conftest import ROOT, builds_in
from .promises import promise

NAMED = ["hello_pytorch_world", "build_name", "no_monitor"]
INPUTS = {"input": torch.ones(3)}


@pytest.fixture
def two(cache, capfd):
    """Two models under one name: the parameters of the one in the cache, and what was printed."""

    def run(policy: str) -> tuple[int, str]:
        settings = {"build_name": "same", "cache_dir": str(cache), "sequence": "onnx-fp32"}
        for outputs in (2, 5):
            torch.manual_seed(0)
            rebuild = policy if outputs == 5 else "always"
            build_model(torch.nn.Linear(3, outputs), INPUTS, rebuild=rebuild, **settings)
        (file,) = (cache / "same" / "onnx").iterdir()
        output = onnx.load(file).graph.output[0].type.tensor_type.shape.dim[-1].dim_value
        printed = capfd.readouterr()
        return output, printed.out + printed.err

    return run


@pytest.fixture(scope="module")
def examples(reader):
    """The examples of the build API that the guide names, run as its reader would."""
    folder = reader.examples / "build_api"
    scripts = [folder / f"{name}.py" for name in NAMED]
    runs = [
        subprocess.Popen(
            [sys.executable, script.name],
            cwd=folder,
            env={**reader.environment, "TURNKEY_CACHE_DIR": str(reader.root / "api" / script.stem)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for script in scripts
    ]
    return {
        script.stem: (run.communicate(timeout=200)[0], run.returncode)
        for script, run in zip(scripts, runs, strict=True)
    }


@promise("tools", "build_model turns an fp32 PyTorch model into an fp16 ONNX model")
def test_build_model_makes_an_fp16_onnx_model(cache):
    settings = {"sequence": "optimize-fp16", "cache_dir": str(cache)}
    state = build_model(torch.nn.Linear(3, 2), INPUTS, build_name="b", **settings)
    model = onnx.load(cache / "b" / state.artifacts["onnx"])
    assert {t.data_type for t in model.graph.initializer} == {onnx.TensorProto.FLOAT16}


@promise("tools", "The sequence onnx-fp32 leaves an ONNX file in fp32")
@promise("tools", "build_model takes the name of a sequence")
def test_onnx_fp32_exports_an_fp32_model(cache):
    settings = {"sequence": "onnx-fp32", "cache_dir": str(cache)}
    state = build_model(torch.nn.Linear(3, 2), INPUTS, build_name="b", **settings)
    model = onnx.load(cache / "b" / state.artifacts["onnx"])
    assert {t.data_type for t in model.graph.initializer} == {onnx.TensorProto.FLOAT}


@promise("tools", "build_model and benchmark_model take an instance of Sequence")
@promise("ours", "A user's own Stage, and Sequences within Sequences, run in a build")
def test_a_sequence_of_ones_own(cache):
    from turnkeyml import Sequence, Stage
    from turnkeyml.build import ExportPytorch, find_sequence

    class Remark(Stage):
        name = "remark"

        def fire(self, bench):
            print("passed through here")

    inner = Sequence("inner", [Remark()])
    whole = Sequence("whole", [find_sequence("onnx-fp32", ExportPytorch()), inner])
    settings = {"sequence": whole, "cache_dir": str(cache)}
    build_model(torch.nn.Linear(3, 2), INPUTS, build_name="one", **settings)
    benchmark_model(torch.nn.Linear(3, 2), INPUTS, build_name="two", build_only=True, **settings)
    for name in ("one", "two"):
        assert "remark" in load_state(name, str(cache)).sequence
        assert "passed through here" in (cache / name / "log_remark.txt").read_text()


@promise("tools", "The inputs of build_model decide the shape that a build takes")
@promise("tools", "The inputs of build_model may be dummies")
def test_the_inputs_decide_the_shape(cache):
    dummy = {"input": torch.zeros(128, 3)}
    state = build_model(torch.nn.Linear(3, 2), dummy, build_name="b", cache_dir=str(cache))
    shape = onnx.load(cache / "b" / state.artifacts["onnx"]).graph.input[0].type.tensor_type.shape
    assert [d.dim_value for d in shape.dim] == [128, 3]


@promise("tools", "The inputs of build_model have the format of the model's own inputs")
def test_the_inputs_have_the_models_own_format(cache):
    class Pair(torch.nn.Module):
        def forward(self, pair, scale=None):
            return (pair["a"] + pair["b"]) * scale

    inputs = {"pair": {"a": torch.rand(2), "b": torch.rand(2)}, "scale": torch.rand(2)}
    state = build_model(Pair(), inputs, build_name="b", cache_dir=str(cache))
    assert state.build_status == "successful_build"
    assert len(onnx.load(cache / "b" / state.artifacts["onnx"]).graph.input) == 3


@promise("tools", "A build is named after the script that calls build_model")
def test_a_build_is_named_after_the_script(examples, reader):
    assert examples["hello_pytorch_world"][1] == 0, examples["hello_pytorch_world"][0]
    assert builds_in(reader.root / "api" / "hello_pytorch_world") == ["hello_pytorch_world"]


@promise("tools", "build_name= gives a build its name; each name is an entry in the cache")
def test_builds_with_names_of_their_own(cache):
    for name, outputs in (("model_a", 2), ("model_b", 5)):
        model = torch.nn.Linear(3, outputs)
        build_model(model, INPUTS, build_name=name, cache_dir=str(cache), monitor=False)
    assert builds_in(cache) == ["model_a", "model_b"]


@promise("tools", "Under one name, if_needed replaces the first build by the second and warns")
def test_colliding_names_if_needed(two):
    outputs, printed = two("if_needed")
    assert outputs == 5
    assert "warning" in printed.lower()


@promise("tools", "Under one name, always replaces the first build by the second")
def test_colliding_names_always(two):
    outputs, _ = two("always")
    assert outputs == 5


@promise("tools", "Under one name, never loads the first build in place of the second and warns")
def test_colliding_names_never(two):
    outputs, printed = two("never")
    assert outputs == 2
    assert "warning" in printed.lower()


@promise("tools", "build_model shows its progress unless it is told not to")
def test_the_monitor_is_on_by_default(cache, capfd):
    build_model(torch.nn.Linear(3, 2), INPUTS, build_name="b", cache_dir=str(cache))
    printed = capfd.readouterr()
    assert str(cache / "b") in printed.out + printed.err


@promise("tools", "monitor=False keeps build_model silent")
def test_the_monitor_can_be_turned_off(cache, capfd):
    model = torch.nn.Linear(3, 2)
    build_model(model, INPUTS, build_name="b", cache_dir=str(cache), monitor=False)
    assert capfd.readouterr() == ("", "")


@promise("tools", "There are examples of the build API: hello world, build name, no monitor")
@pytest.mark.parametrize("name", NAMED)
def test_the_documented_examples_run(examples, name):
    printed, status = examples[name]
    assert status == 0, printed


@promise("ours", "There are examples of rebuild policies, a custom sequence and a cache directory")
def test_the_other_examples_are_there():
    there = {path.stem for path in (ROOT / "examples" / "build_api").glob("*.py")}
    policies = {"rebuild_always", "rebuild_if_needed", "rebuild_never"}
    assert policies | {"custom_sequence", "cache_dir"} <= there


@promise("ours", "build_model returns the state that load_state reads back")
def test_the_state_comes_back(cache):
    state = build_model(torch.nn.Linear(3, 2), INPUTS, build_name="b", cache_dir=str(cache))
    read = load_state("b", cache_dir=str(cache))
    assert read.build_status == state.build_status == "successful_build"
    assert (read.hash, read.artifacts) == (state.hash, state.artifacts)
