"""A cast to integers truncates, so it may have to read float32 when a model is converted."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from turnkeyml.build import Exact, Kept, Subgraphs, convert_to_float16, verify_subgraphs
from turnkeyml.nouns import Verdict
from turnkeyml.runtimes import run_once

INPUTS = {"x": np.linspace(0, 1, 64, dtype=np.float32)}
"""The cosine of a hundredth of them is nearly 1, and 0 if it is truncated."""


@pytest.fixture
def source(tmp_path):
    """A file that truncates cosines, as a position embedding of integers does."""
    make = onnx.helper.make_node
    nodes = [
        make("Mul", ["x", "hundredth"], ["angles"], name="mul"),
        make("Cos", ["angles"], ["cosines"], name="cos"),
        make("Cast", ["cosines"], ["integers"], name="truncates", to=TensorProto.INT64),
        make("Cast", ["integers"], ["floats"], name="widens", to=TensorProto.FLOAT),
        make("Add", ["floats", "x"], ["y"], name="add"),
    ]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "truncated",
        [value("x", TensorProto.FLOAT, [64])],
        [value("y", TensorProto.FLOAT, [64])],
        [onnx.helper.make_tensor("hundredth", TensorProto.FLOAT, [], [0.01])],
    )
    opset = [onnx.helper.make_opsetid("", 18)]
    path = tmp_path / "source.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))
    return path


def converted(source, kept: Kept) -> tuple[str, Subgraphs]:
    half = source.with_name("half.onnx")
    convert_to_float16(source, half, kept)
    return str(half), verify_subgraphs(Exact(source, INPUTS, 1), half, "fp16", 1)


def test_a_truncation_that_mismatches_is_kept_and_reads_float32(source):
    golden = run_once(str(source), INPUTS, 1)["y"]
    kept = Kept()
    for _ in range(4):
        half, found = converted(source, kept)
        if found.verdict.verdict is Verdict.MATCH:
            break
        kept = kept.plus(Kept(nodes=found.mismatching, inputs_outputs=found.inputs)) or kept
    assert found.verdict.verdict is Verdict.MATCH
    assert {"truncates", "cos"} <= {*kept.nodes}
    assert np.allclose(run_once(half, INPUTS, 1)["y"], golden, atol=1e-3)


def test_without_it_rounding_turns_the_truncation(source):
    half, found = converted(source, Kept(nodes=("mul", "cos"), inputs_outputs=("x",)))
    assert found.verdict.verdict is not Verdict.MATCH
    assert run_once(half, INPUTS, 1)["y"].max() > 1.9
