"""A build is labelled with what its graph computes in."""

from __future__ import annotations

import onnx
import pytest
import torch
from onnx import TensorProto, helper

from turnkeyml import build_model
from turnkeyml.build import precision_of


def chain(path, *kinds, sizes=None):
    """A file with a product of each of some types, one after the other."""
    nodes, weights, name = [], [], "x"
    for number, kind in enumerate(kinds):
        size = (sizes or {}).get(number, 4)
        dtype = helper.tensor_dtype_to_np_dtype(kind)
        nodes.append(helper.make_node("Cast", [name], [f"c{number}"], to=kind))
        weights.append(
            onnx.numpy_helper.from_array(torch.ones(4, size).numpy().astype(dtype), f"w{number}")
        )
        nodes.append(helper.make_node("MatMul", [f"c{number}", f"w{number}"], [f"y{number}"]))
        name = "x"
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info(f"y{n}", kind, None) for n, kind in enumerate(kinds)],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), path)
    return path


@pytest.mark.parametrize(
    ("kinds", "sizes", "word"),
    [
        ([TensorProto.FLOAT], {}, "fp32"),
        ([TensorProto.DOUBLE], {}, "fp64"),
        ([TensorProto.FLOAT16], {}, "fp16"),
        ([TensorProto.FLOAT, TensorProto.FLOAT16], {}, "mixed"),
        ([TensorProto.FLOAT, TensorProto.FLOAT16], {1: 400}, "fp16"),
    ],
)
def test_the_products_decide(tmp_path, kinds, sizes, word):
    assert precision_of(chain(tmp_path / "m.onnx", *kinds, sizes=sizes)) == word


@pytest.mark.parametrize("sequence", ["optimize-fp16", "optimize-fp32"])
def test_a_float64_model_is_not_called_fp16(tmp_path, sequence):
    model = torch.nn.Linear(4, 4).double()
    x = torch.rand(2, 4, dtype=torch.float64)
    state = build_model(
        model, (x,), build_name="b", cache_dir=str(tmp_path), sequence=sequence, monitor=False
    )
    assert state.facts["precision"] == "fp64"
    assert state.verification.verdict == "match"


def test_int8_is_seen(tmp_path):
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(chain(tmp_path / "m.onnx", TensorProto.FLOAT), tmp_path / "q.onnx")
    assert precision_of(tmp_path / "q.onnx") == "int8"
