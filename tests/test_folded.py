"""What a runtime computes once, when it loads the file, is told."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper

from turnkeyml import benchmark_files
from turnkeyml.build import folded_shares
from turnkeyml.measure import about_folding

SIZE = 64


def weight(name, *dims):
    values = np.random.default_rng(0).normal(size=dims).astype(np.float32)
    return onnx.numpy_helper.from_array(values, name)


def save(path, nodes, weights, inputs=("x",), output="y", **options):
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, SIZE]) for name in inputs]
    returned = [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, SIZE])]
    graph = helper.make_graph(nodes, "g", values, returned, weights)
    opsets = [helper.make_opsetid("", 18), *options.pop("opsets", [])]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9, **options)
    onnx.save(model, path)
    return path


def products(start, count, end):
    """A chain of products from one value to another, and their weights."""
    names = [start, *(f"{end}_{n}" for n in range(count - 1)), end]
    pairs = list(pairwise(names))
    nodes = [helper.make_node("MatMul", [a, f"w_{b}"], [b]) for a, b in pairs]
    return nodes, [weight(f"w_{b}", SIZE, SIZE) for _, b in pairs]


def exported(tmp_path, model, *args, fold=False):
    path = tmp_path / "m.onnx"
    torch.onnx.export(model.eval(), args, str(path), dynamo=False, do_constant_folding=fold)
    return path


def test_all_of_a_file_without_inputs_is_computed_once(tmp_path):
    nodes, weights = products("c", 3, "y")
    path = save(tmp_path / "m.onnx", nodes, [*weights, weight("c", 1, SIZE)], inputs=())
    assert folded_shares(path) == {"weights": 1.0, "work": 1.0}


def test_an_input_that_only_reaches_the_last_sum_reaches_no_weight(tmp_path):
    nodes, weights = products("c", 3, "z")
    nodes.append(helper.make_node("Add", ["z", "x"], ["y"]))
    path = save(tmp_path / "m.onnx", nodes, [*weights, weight("c", 1, SIZE)])
    assert folded_shares(path) == {"weights": 1.0, "work": 1.0}


def test_an_input_that_only_gives_its_shape_and_type_reaches_no_weight(tmp_path):
    nodes, weights = products("c", 3, "z")
    ones = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("CastLike", ["one", "x"], ["same"]),
        helper.make_node("Expand", ["same", "s"], ["c"]),
    ]
    nodes = [*ones, *nodes, helper.make_node("Add", ["z", "x"], ["y"])]
    path = save(tmp_path / "m.onnx", nodes, [*weights, weight("one", 1)])
    assert folded_shares(path)["weights"] == 1


def test_the_share_is_that_of_the_part_without_an_input(tmp_path):
    constant, more = products("c", 3, "z")
    live, weights = products("x", 1, "a")
    nodes = [*constant, *live, helper.make_node("Add", ["z", "a"], ["y"])]
    found = folded_shares(save(tmp_path / "m.onnx", nodes, [*weights, *more, weight("c", 1, SIZE)]))
    assert found["weights"] == pytest.approx(0.75, abs=0.01)
    assert found["work"] == 0.75
    (flag,) = about_folding(found)
    assert flag.kind == "folded"
    assert flag.text.startswith("75% of the weights do not depend on the input")


def test_a_weight_that_an_input_also_reaches_is_not_folded(tmp_path):
    nodes, weights = products("c", 1, "z")
    nodes += [
        helper.make_node("MatMul", ["x", "w_z"], ["a"]),
        helper.make_node("Add", ["z", "a"], ["y"]),
    ]
    found = folded_shares(save(tmp_path / "m.onnx", nodes, [*weights, weight("c", 1, SIZE)]))
    assert found["weights"] < 0.05
    assert found["work"] == 0.5


def test_random_numbers_are_not_computed_once(tmp_path):
    nodes, weights = products("c", 3, "y")
    noise = helper.make_node("RandomNormal", [], ["c"], shape=[1, SIZE])
    path = save(tmp_path / "m.onnx", [noise, *nodes], weights, inputs=())
    assert folded_shares(path)["weights"] == 0


def test_constant_products_in_branches_and_functions_count(tmp_path):
    inner, weights = products("c", 2, "z")
    returned = helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, SIZE])
    branch = helper.make_graph(inner, "branch", [], [returned], weights)
    other = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["i"])], "other", [],
        [helper.make_tensor_value_info("i", TensorProto.FLOAT, [1, SIZE])],
    )  # fmt: skip
    twice = [
        helper.make_node("MatMul", ["a", "w"], ["h"]),
        helper.make_node("MatMul", ["h", "w"], ["b"]),
    ]
    opsets = [helper.make_opsetid("", 18)]
    add = helper.make_function("own", "Twice", ["a", "w"], ["b"], twice, opsets)
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
        helper.make_node("Cast", ["s"], ["b"], to=TensorProto.BOOL),
        helper.make_node("If", ["b"], ["chosen"], then_branch=branch, else_branch=other),
        helper.make_node("Twice", ["c", "f"], ["constant"], domain="own"),
        helper.make_node("MatMul", ["chosen", "v"], ["live"]),
        helper.make_node("Add", ["live", "constant"], ["y"]),
    ]
    stored = [weight("c", 1, SIZE), weight("f", SIZE, SIZE), weight("v", SIZE, SIZE)]
    options = {"functions": [add], "opsets": [helper.make_opsetid("own", 1)]}
    found = folded_shares(save(tmp_path / "m.onnx", nodes, stored, **options))
    assert found["weights"] == pytest.approx(0.75, abs=0.01)


def test_external_data_is_not_read(tmp_path):
    nodes, weights = products("c", 3, "y")
    path = save(tmp_path / "m.onnx", nodes, [*weights, weight("c", 1, SIZE)], inputs=())
    onnx.save(onnx.load(path), path, save_as_external_data=True, location="d", size_threshold=0)
    (tmp_path / "d").unlink()
    assert folded_shares(path)["weights"] == 1


class Attention(torch.nn.Module):
    """Positions, a table of relative positions that is gathered, and a scale for each layer."""

    def __init__(self):
        super().__init__()
        self.words, self.positions = torch.nn.Embedding(50, 32), torch.nn.Embedding(16, 32)
        self.table = torch.nn.Parameter(torch.rand(31, 4))
        self.register_buffer("index", torch.arange(16)[:, None] - torch.arange(16) + 15)
        self.inner = torch.nn.Linear(32, 96)
        self.scale = torch.nn.Parameter(torch.full((32,), 1e-4))
        self.outer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(32, 32))

    def forward(self, ids):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1]))
        parts = self.inner(x).reshape(1, 16, 3, 4, 8).permute(2, 0, 3, 1, 4)
        bias = self.table[self.index.reshape(-1)].reshape(16, 16, 4).permute(2, 0, 1)
        weights = (parts[0] @ parts[1].transpose(-1, -2) + bias).softmax(-1)
        mixed = (weights @ parts[2]).transpose(1, 2).reshape(1, 16, 32)
        return x + self.scale * self.outer(mixed)


def test_tables_of_positions_and_adjusted_weights_are_reached(tmp_path):
    found = folded_shares(exported(tmp_path, Attention(), torch.arange(16)[None]))
    assert found["weights"] < 0.01
    assert not list(about_folding(found))


def test_the_scales_of_quantized_weights_are_no_work(tmp_path):
    from onnxruntime.quantization import CalibrationDataReader, quantize_dynamic, quantize_static

    class Data(CalibrationDataReader):
        left = [{"x": np.ones((1, SIZE), np.float32)}]

        def get_next(self):
            return self.left.pop() if self.left else None

    nodes, weights = products("x", 3, "y")
    path = save(tmp_path / "m.onnx", nodes, weights)
    quantize_dynamic(path, tmp_path / "dynamic.onnx")
    quantize_static(path, tmp_path / "static.onnx", Data())
    assert folded_shares(tmp_path / "dynamic.onnx") == {"weights": 0.0, "work": 0.0}
    assert folded_shares(tmp_path / "static.onnx") == {"weights": 0.0, "work": 0.0}


@pytest.mark.parametrize("inputs", [(), ("x",)])
def test_an_evaluation_of_a_folded_file_says_so(tmp_path, inputs):
    nodes, weights = products("c", 3, "z" if inputs else "y")
    if inputs:
        nodes.append(helper.make_node("Add", ["z", "x"], ["y"]))
    path = save(tmp_path / "m.onnx", nodes, [*weights, weight("c", 1, SIZE)], inputs=inputs)
    cache = str(tmp_path / "cache")
    (result,) = benchmark_files(str(path), cache_dir=cache, runtime=["ort"], iterations=5)
    (evaluation,) = result.invocations[0].evaluations
    assert [f.text for f in evaluation.performance.flags if f.kind == "folded"] == [
        "100% of the weights do not depend on the input: the runtime computes that part once, "
        "when it loads the file."
    ]


def test_an_optimized_build_is_judged_by_the_file_that_was_exported(tmp_path):
    class Constant(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(*(torch.nn.Linear(SIZE, SIZE) for _ in range(3)))
            self.start = torch.nn.Parameter(torch.rand(1, SIZE))

        def forward(self, x):
            return self.net(self.start) + x

    from turnkeyml import build_model

    state = build_model(
        Constant(), (torch.rand(1, SIZE),), build_name="b", cache_dir=str(tmp_path),
        sequence="optimize-fp32", monitor=False,
    )  # fmt: skip
    assert state.facts["folded"]["weights"] == 1
