"""int8 builds: what is converted, which inputs ranges come from, and what the verdict says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from turnkeyml import build_model, load_state
from turnkeyml.build import operators_of, precision_of, quantize_dynamically, quantize_statically
from turnkeyml.errors import BuildError
from turnkeyml.nouns import Verdict
from turnkeyml.verify import Reference, alike


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.head = torch.nn.Linear(16, 10)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)).mean((2, 3)))


@pytest.fixture
def small():
    torch.manual_seed(0)
    return Small().eval(), {"x": torch.randn(2, 3, 16, 16)}


def built(small, cache, sequence):
    model, inputs = small
    build_model(model, inputs, build_name="b", cache_dir=cache, sequence=sequence)
    return load_state("b", cache)


def operators(cache, state):
    return operators_of(Path(cache) / "b" / state.artifacts["onnx"])


def test_static_int8_keeps_the_fp32_file_and_says_how_exact_it_is(small, tmp_path):
    state = built(small, tmp_path, "optimize-int8")
    assert state.precisions == ["int8", "fp32"]
    assert state.facts["calibration_sets"] == 3  # recorded, redrawn and negated
    assert "QuantizeLinear" in operators(tmp_path, state)
    assert state.verification.verdict in (Verdict.MATCH, Verdict.CLOSE)
    assert state.verification.max_relative_error > 1e-6


def test_dynamic_int8_converts_matrix_products_and_leaves_convolutions(small, tmp_path):
    state = built(small, tmp_path, "optimize-int8-dynamic")
    found = operators(tmp_path, state)
    assert {"MatMulInteger", "Conv"} <= set(found)
    assert "ConvInteger" not in found
    assert state.facts["precision"] == "mixed"


def test_a_range_that_was_not_seen_is_a_mismatch(small, tmp_path):
    """The verdict is on the outputs, whoever made the file."""
    model, inputs = small
    onnx_file = tmp_path / "m.onnx"
    torch.onnx.export(model, (inputs["x"],), onnx_file, input_names=["x"], dynamo=False)
    target = tmp_path / "q.onnx"
    quantize_statically(onnx_file, target, [{"x": inputs["x"].numpy() * 1e-3}])
    assert precision_of(target) == "int8"

    from turnkeyml.build import check_onnx

    with torch.no_grad():
        golden = {"y": model(inputs["x"]).numpy()}
    found = check_onnx(str(target), Reference({"x": inputs["x"].numpy()}, golden), "int8", 1)
    assert found.verdict is Verdict.MISMATCH


def graph(nodes, initializers=(), kind=TensorProto.FLOAT):
    x = helper.make_tensor_value_info("x", kind, [2, 4])
    y = helper.make_tensor_value_info("y", kind, [2, 4])
    made = helper.make_graph(nodes, "g", [x], [y], list(initializers))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def test_a_model_without_products_is_refused_in_a_sentence(tmp_path):
    onnx.save(graph([helper.make_node("Relu", ["x"], ["y"])]), tmp_path / "m.onnx")
    with pytest.raises(BuildError, match="nothing in the model can be converted to int8"):
        quantize_dynamically(tmp_path / "m.onnx", tmp_path / "q.onnx")


def test_a_model_in_half_precision_is_refused_in_a_sentence(tmp_path):
    weight = numpy_helper.from_array(np.eye(4, dtype=np.float16), "w")
    model = graph([helper.make_node("MatMul", ["x", "w"], ["y"])], [weight], TensorProto.FLOAT16)
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(BuildError, match="int8 is made from fp32"):
        quantize_dynamically(tmp_path / "m.onnx", tmp_path / "q.onnx")


def test_a_model_that_the_quantizer_cannot_hold_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("turnkeyml.build.int8.MOST_BYTES", 10)
    onnx.save(graph([helper.make_node("Relu", ["x"], ["y"])]), tmp_path / "m.onnx")
    with pytest.raises(BuildError, match="up to 2 GB"):
        quantize_dynamically(tmp_path / "m.onnx", tmp_path / "q.onnx")


def test_sets_of_another_magnitude_are_not_alike():
    x = np.array([1.0, -2.0], dtype=np.float32)
    ids = np.array([1, 2])
    outputs = {"y": x}
    held = [Reference({"x": x * scale, "ids": ids * 9}, outputs) for scale in (-1, 0.3, 1.2, 3)]
    reference = Reference({"x": x, "ids": ids}, outputs, held_out=tuple(held))
    assert alike(reference) == [reference, held[0], held[2]]
