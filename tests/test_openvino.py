"""OpenVINO as a runtime of the CPU: settings that are explicit, and nothing lowered silently."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.conftest import EXAMPLES
from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes import Request, default_device, find_runtime

HELLO = EXAMPLES / "scripts" / "hello_world.py"
needs_it = pytest.mark.skipif(find_spec("openvino") is None, reason="OpenVINO is not installed")


def runtime():
    return find_runtime("openvino", default_device().name)


def opened(model: Path, precision: str = "fp32", threads: int = 1, **given: str):
    arguments = runtime().complete(given)
    return runtime().open(Request(threads, str(model), precision=precision, arguments=arguments))


def capabilities() -> list[str]:
    import openvino

    return openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def saved(path: Path, kind: int, operator: str = "Add", domain: str = "") -> Path:
    """A file that computes x + y in a type."""
    values = [helper.make_tensor_value_info(name, kind, [2, 3]) for name in "xyz"]
    node = helper.make_node(operator, ["x", "y"], ["z"], domain=domain)
    graph = helper.make_graph([node], "g", values[:2], values[2:])
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid(domain, 1)] if domain else [])]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    return path


@needs_it
def test_it_is_verified_and_its_settings_are_recorded(turnkey):
    done = turnkey(HELLO, "--runtime", "openvino", "--iterations", 20, "--threads", 1, "--json")
    assert done.returncode == 0, done.stderr
    (evaluation,) = json.loads(done.stdout)["results"][0]["invocations"][0]["evaluations"]
    assert evaluation["verification"]["verdict"] == "match"
    assert evaluation["runtime_version"].replace(".", "").isdigit()
    settings = evaluation["conditions"]["settings"]
    wanted = {
        "performance_hint": "LATENCY",
        "num_streams": 1,
        "inference_num_threads": 1,
        "inference_precision_hint": "f32",
        "execution_mode_hint": "ACCURACY",
    }
    assert {name: settings[name] for name in wanted} == wanted
    assert evaluation["stats"] == {}


@needs_it
@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.INT64, TensorProto.FLOAT16])
def test_it_computes_in_the_types_of_the_file(tmp_path, kind):
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    session = opened(saved(tmp_path / "m.onnx", kind))
    first = np.arange(6).reshape(2, 3).astype(dtype)
    for y in (first, first + 1):  # it can be fed again
        session.feed({"x": first, "y": y})
        session.run()
        (found,) = session.outputs().items()
        assert found[0] == "z"
        assert found[1].dtype == dtype
        np.testing.assert_array_equal(found[1], first + y)
    session.close()


@needs_it
def test_inputs_that_may_not_be_written_are_accepted(tmp_path):
    session = opened(saved(tmp_path / "m.onnx", TensorProto.FLOAT))
    array = np.ones((2, 3), dtype=np.float32)
    array.setflags(write=False)
    session.feed({"x": array, "y": array})
    session.run()
    assert session.outputs()["z"].tolist() == [[2.0] * 3] * 2


@needs_it
def test_the_outputs_are_not_overwritten_by_the_next_run(tmp_path):
    session = opened(saved(tmp_path / "m.onnx", TensorProto.FLOAT))
    ones = np.ones((2, 3), dtype=np.float32)
    session.feed({"x": ones, "y": ones})
    session.run()
    kept = session.outputs()["z"]
    session.feed({"x": ones, "y": 5 * ones})
    session.run()
    assert kept[0, 0] == 2


@needs_it
def test_a_file_in_fp16_is_never_computed_in_less(tmp_path):
    session = opened(saved(tmp_path / "m.onnx", TensorProto.FLOAT16), "fp16")
    native = "FP16" in capabilities()
    assert session.settings()["inference_precision_hint"] == ("f16" if native else "f32")
    told = {} if native else {"computes_in": "f32, from a file in f16"}
    assert session.stats() == told


@needs_it
def test_another_precision_is_used_only_if_it_is_asked_for(tmp_path):
    model = saved(tmp_path / "m.onnx", TensorProto.FLOAT)
    assert opened(model).settings()["inference_precision_hint"] == "f32"
    if "BF16" in capabilities():
        session = opened(model, inference_precision="bf16")
        assert session.settings()["inference_precision_hint"] == "bf16"
        assert session.stats() == {"computes_in": "bf16, from a file in f32"}


@needs_it
def test_a_precision_that_the_processor_lacks_is_refused_before_a_build(turnkey, cache):
    names = {"f16": "FP16", "bf16": "BF16"}
    lacking = [name for name, capability in names.items() if capability not in capabilities()]
    if not lacking:
        pytest.skip("this processor computes in all of them")
    words = ("--runtime", "openvino", "--rt-args", f"inference_precision::{lacking[0]}")
    done = turnkey(HELLO, *words)
    assert done.returncode == 1
    assert f"OpenVINO cannot compute in {lacking[0]} on this processor; choose" in done.stderr
    assert not list(cache.glob("hello_world_*"))


def test_an_unknown_precision_is_a_usage_error():
    assert runtime().complete({"inference_precision": "FP32"})["inference_precision"] == "f32"
    assert runtime().complete({}) == {"inference_precision": "file", "cpu_pinning": "auto"}
    with pytest.raises(UsageError, match=r"inference_precision is .*f32, f16 or bf16"):
        runtime().complete({"inference_precision": "int3"})


@needs_it
def test_a_model_that_it_cannot_load_is_one_sentence(tmp_path):
    model = saved(tmp_path / "m.onnx", TensorProto.FLOAT, "NoSuch", "somebody.else")
    with pytest.raises(MeasureError, match="OpenVINO cannot load the model: ") as caught:
        opened(model)
    assert "\n" not in str(caught.value)
    assert "NoSuch" in str(caught.value)


def test_without_it_the_message_says_what_to_install(tmp_path, turnkey):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Nothing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'openvino': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Nothing())\n"
        "import importlib.util as util\n"
        "kept = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'openvino' else kept(name, *rest)\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = turnkey(HELLO, "--runtime", "openvino", env={"PYTHONPATH": path})
    assert done.returncode == 1
    wanted = (
        "The runtime openvino needs the Python module openvino (pip install openvino), which is "
        "not installed."
    )
    assert wanted in done.stderr
    told = turnkey("system-info", env={"PYTHONPATH": path}).stdout
    assert "no, needs the Python module openvino (pip install openvino)" in told
