"""What stays in float32 when a model is converted keeps all digits of its weights."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from turnkeyml.build import LEAST_EXTERNAL_BYTES, Kept, convert_to_float16
from turnkeyml.runtimes import run_once

SIZE = 160  # so that the weight may be stored outside of the graph


@pytest.fixture(params=[False, True], ids=["in the graph", "external"])
def source(request, tmp_path):
    """A file with two products by one weight; the second decides by signs."""
    weight = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32)
    assert weight.nbytes >= LEAST_EXTERNAL_BYTES
    nodes = [
        onnx.helper.make_node("MatMul", ["x", "weight"], ["first"], name="converted"),
        onnx.helper.make_node("MatMul", ["x", "weight"], ["scores"], name="kept"),
        onnx.helper.make_node("Sign", ["scores"], ["second"], name="decides"),
    ]
    floats = [
        onnx.helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, SIZE])
        for name in ("x", "first", "second")
    ]
    graph = onnx.helper.make_graph(
        nodes, "shared", floats[:1], floats[1:], [numpy_helper.from_array(weight, "weight")]
    )
    opset = [onnx.helper.make_opsetid("", 18)]
    path = tmp_path / "source.onnx"
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=8)
    onnx.save(model, str(path), save_as_external_data=request.param, size_threshold=1024)
    return path, weight


def test_a_weight_that_a_kept_node_shares_is_stored_in_both_precisions(source, tmp_path):
    path, weight = source
    half = tmp_path / "half.onnx"
    convert_to_float16(path, half, Kept(nodes=("kept", "decides")))
    model = onnx.load(str(half))
    stored = [numpy_helper.to_array(tensor) for tensor in model.graph.initializer]
    assert sorted(array.dtype.name for array in stored) == ["float16", "float32"]
    (exact,) = (array for array in stored if array.dtype == np.float32)
    assert np.array_equal(exact, weight)


def test_decisions_that_are_kept_come_out_as_in_the_source(source, tmp_path):
    path, weight = source
    half = tmp_path / "half.onnx"
    kept = Kept(nodes=("kept", "decides"), inputs_outputs=("x",))
    convert_to_float16(path, half, kept)
    rows = np.linalg.qr(np.random.default_rng(1).standard_normal((SIZE, 64)))[0].T
    x = rows.astype(np.float32)
    x -= np.outer(x @ weight[:, 0], weight[:, 0]) / (weight[:, 0] @ weight[:, 0])  # nearly zero
    found, golden = (run_once(str(file), {"x": x}, 1) for file in (half, path))
    rounded = np.sign(x @ weight.astype(np.float16).astype(np.float32))
    assert np.any(rounded != golden["second"])
    assert np.array_equal(found["second"], golden["second"])


def test_nothing_is_stored_twice_if_nothing_is_kept(source, tmp_path):
    path, _ = source
    half = tmp_path / "half.onnx"
    convert_to_float16(path, half)
    assert len(onnx.load(str(half)).graph.initializer) == 1
