"""Outputs that saturate, as those of trained models do: each operator is only so exact."""

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper

import turnkeyml
from turnkeyml.build import output_operators
from turnkeyml.cache import BuildFolder
from turnkeyml.nouns import OutputOperator
from turnkeyml.runtimes import run_once
from turnkeyml.verify import FLOORS, UNIT, Reference, compare, judge, load_reference

RANDOM = np.random.default_rng(0)
LOGITS = RANDOM.uniform(-17, -9, (40, 30))
FAINT = (1 / (1 + np.exp(-LOGITS))).astype(np.float32)
"""Probabilities of 1e-8 to 1e-4: a text detector that sees no text."""


def judged(found, golden, *operators, precision="fp32", **others):
    """The verdict on an output of some operator; the original in other precisions by keyword."""
    known = {name: {"a": array} for name, array in others.items()}
    named = tuple(OutputOperator(name) for name in operators)
    reference = Reference({}, {"a": golden}, compute=known.get, operators=named)
    return compare({"a": found.astype(golden.dtype)}, reference, precision)


def noisy(golden, units):
    """Off by so many roundings of 1, in the root mean square a fourth of that."""
    noise = np.clip(RANDOM.standard_normal(golden.shape) / 4, -1, 1)
    return np.maximum(golden + units * UNIT * noise, 0)


def exactly(golden):
    return {"fp64": golden.astype(np.float64)}


@pytest.mark.parametrize("others", [{}, exactly(FAINT)])
def test_a_sigmoid_is_exact_relative_to_one(others):
    found = noisy(FAINT, 3)
    assert judged(found, FAINT, "Sigmoid", **others).verdict == "match"
    assert judged(found, FAINT, **others).verdict != "match"


@pytest.mark.parametrize("others", [{}, exactly(FAINT)])
@pytest.mark.parametrize("units", [40, 400, 4000])
def test_errors_beyond_the_floor_are_seen(units, others):
    assert judged(noisy(FAINT, units), FAINT, "Sigmoid", **others).verdict != "match"


@pytest.mark.parametrize("others", [{}, exactly(FAINT)])
def test_errors_of_the_largest_size_everywhere_are_no_rounding(others):
    assert judged(FAINT + np.float32(3 * UNIT), FAINT, "Sigmoid", **others).verdict != "match"


@pytest.mark.parametrize("others", [{}, exactly(FAINT)])
def test_what_is_scaled_by_a_tenth_is_seen(others):
    scaled = (1 / (1 + np.exp(-1.1 * LOGITS))).astype(np.float32)
    assert judged(scaled, FAINT, "Sigmoid", **others).verdict == "mismatch"
    assert judged(FAINT * np.float32(1.05), FAINT, "Sigmoid", **others).verdict == "close"


def test_only_numbers_in_the_range_of_the_operator_have_its_floor():
    golden = np.concatenate([FAINT, -FAINT])
    assert judged(noisy(FAINT, 3), FAINT, "Sigmoid").verdict == "match"
    wrong = np.concatenate([FAINT, -noisy(FAINT, 3)])
    assert judged(wrong, golden, "Sigmoid", **exactly(golden)).verdict != "match"


def test_the_floor_of_half_precision_is_not_that_of_its_digits():
    golden = FAINT.astype(np.float16)
    wrong = noisy(FAINT, 100)
    assert judged(wrong, golden, "Sigmoid", precision="fp16", fp32=FAINT).verdict != "match"


def test_a_single_number_may_be_off_by_the_largest_error():
    golden = np.full((1, 1), 2.4e-4, np.float32)
    assert judged(golden + 3 * UNIT, golden, "Sigmoid").verdict == "match"
    assert judged(golden + 8 * UNIT, golden, "Sigmoid").verdict == "close"


def test_a_function_that_saturates_at_both_ends_is_known_by_its_values():
    golden = np.concatenate([FAINT, 1 - FAINT])
    assert judged(noisy(golden, 3), golden, **exactly(golden)).verdict == "match"
    empty = np.where(golden < 1e-6, 0, golden).astype(np.float32)  # a mask, or an image
    wrong = np.where(empty == 0, 3 * UNIT, empty)
    assert judged(wrong, empty, **exactly(empty)).verdict != "match"


def test_numbers_below_the_floor_make_no_map_fainter():
    golden = np.full((100, 100), 1e-8, np.float32)
    golden[40:44] = 0.5
    found = np.where(golden > 0.1, golden * np.float32(1 + 1.5e-4), golden)
    assert judged(found, golden, "Sigmoid").verdict == "match"
    assert judged(found, golden).verdict == "close"


def test_a_reason_names_output_number_group_and_operator():
    found = FAINT.copy()
    found[7, 11] += 1e-4
    result = judged(found, FAINT, "Sigmoid")
    words = f"output a: {found[7, 11]:.4g} instead of {FAINT[7, 11]:.4g} at [7, 11], 0.0001 apart"
    assert words in result.reason
    assert "in a group of" in result.reason
    assert "of magnitude" in result.reason
    assert "the floor of Sigmoid" in result.reason


def test_every_floor_is_bounded():
    assert all(floor.units + floor.share <= 33 for floor in FLOORS.values())


# Files.


def file(path, *nodes, weights=(), shape=(4, 8), outputs=("y",)):
    values = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)]
    made = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in outputs]
    tensors = [numpy_helper.from_array(np.float32(array), name) for name, array in weights]
    graph = helper.make_graph(list(nodes), "graph", values, made, tensors)
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), str(path))
    return path


def node(operator, *inputs, to="y", **attributes):
    return helper.make_node(operator, list(inputs), [to], **attributes)


def names(path):
    return [found.name for found in output_operators(path)]


def test_an_operator_is_followed_through_what_moves_its_results(tmp_path):
    path = file(
        tmp_path / "model.onnx",
        node("Sigmoid", "x", to="p"),
        node("Transpose", "p", to="t", perm=[1, 0]),
        node("Relu", "x", to="r"),
        node("Concat", "t", "r", to="y", axis=0),
        node("Add", "p", "p", to="sum"),
        node("LogSoftmax", "x", to="log"),
        outputs=("y", "sum", "log", "p"),
    )
    assert names(path) == ["Sigmoid", "", "LogSoftmax", "Sigmoid"]


def test_an_operator_is_found_in_the_branches_of_an_if(tmp_path):
    inner = helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, None)
    branch = helper.make_graph([node("Sigmoid", "x", to="z")], "branch", [], [inner])
    path = file(
        tmp_path / "model.onnx",
        node("ReduceMax", "x", to="most", keepdims=0),
        node("Greater", "most", "zero", to="large"),
        node("If", "large", to="y", then_branch=branch, else_branch=branch),
        weights=[("zero", 0.0)],
    )
    assert names(path) == ["Sigmoid"]


def test_the_floor_of_a_normalization_has_its_smallest_scale(tmp_path):
    scale = np.array([0.5, 1, 2, 4, 1e-3, 1, 1, 1])
    normalize = node("LayerNormalization", "x", "scale")
    path = file(tmp_path / "model.onnx", normalize, weights=[("scale", scale)])
    assert output_operators(path) == (
        OutputOperator("LayerNormalization", float(np.float32(1e-3))),
    )


def built(path, cache_dir, **inputs):
    """A build, with the reference that it is judged by."""
    state = turnkeyml.build_model(
        str(path), inputs, build_name="model", cache_dir=str(cache_dir), monitor=False
    )
    return state, load_reference(BuildFolder(cache_dir, "model"), state.reference)


def detector(path, bias, scale=1.0):
    """A layer before a Sigmoid, as the last of a detector."""
    random = np.random.default_rng(1)
    weights = [("w", scale * random.standard_normal((64, 64)) / 8), ("b", np.full(64, bias))]
    layers = (node("MatMul", "x", "w", to="m"), node("Add", "m", "b", to="l"), node("Sigmoid", "l"))
    return file(path, *layers, weights=weights, shape=(16, 64))


IMAGE = np.random.default_rng(2).standard_normal((16, 64)).astype(np.float32)


def exact_sigmoid(path):
    """Runs a file with another Sigmoid, which is exact relative to each of its results."""
    model = onnx.load(str(path))
    model.graph.output[0].name = "l"
    logits = path.with_name("logits.onnx")
    onnx.save(model, str(logits))

    def run(inputs):
        return {"y": torch.sigmoid(torch.from_numpy(run_once(str(logits), inputs, 1)["l"])).numpy()}

    return run


def test_a_faint_detector_matches_with_another_sigmoid(tmp_path):
    path = detector(tmp_path / "model.onnx", -14)
    state, reference = built(path, tmp_path / "cache", x=IMAGE)
    assert state.verification.verdict == "match"
    assert reference.operators == (OutputOperator("Sigmoid"),)
    assert judge(exact_sigmoid(path), reference, "fp32").verdict == "match"
    reference.know(())
    assert judge(exact_sigmoid(path), reference, "fp32").verdict != "match"


@pytest.mark.parametrize(("bias", "scale"), [(-14, 1.1), (-14, -1), (-13, 1)])
def test_a_wrong_file_of_a_faint_detector_is_no_match(tmp_path, bias, scale):
    _, reference = built(detector(tmp_path / "model.onnx", -14), tmp_path / "cache", x=IMAGE)
    wrong = exact_sigmoid(detector(tmp_path / "wrong.onnx", bias, scale))
    assert judge(wrong, reference, "fp32").verdict != "match"


def test_a_saturated_detector_is_judged_where_it_finds_something(tmp_path):
    path = detector(tmp_path / "model.onnx", -60)
    state, reference = built(path, tmp_path / "cache", x=IMAGE)
    assert reference.is_saturated
    assert state.verification.verdict == "match"
    assert "as the outputs saturate on the recorded ones" in state.verification.reason
    wrong = exact_sigmoid(detector(tmp_path / "wrong.onnx", -60, 1.1))
    assert judge(wrong, reference, "fp32").verdict != "match"


def test_what_saturates_on_all_inputs_is_not_checked(tmp_path):
    path = detector(tmp_path / "model.onnx", -60, 0.0)
    state, _ = built(path, tmp_path / "cache", x=IMAGE)
    assert state.verification.verdict == "not checked"
    assert "the outputs of Sigmoid saturate on all inputs" in state.verification.reason


class Peaked(torch.nn.Module):
    """A classifier that is sure of itself, and what a sequence model ends with."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm = torch.nn.Linear(32, 64), torch.nn.LayerNorm(64)
        with torch.no_grad():
            self.layer.weight *= 40
            self.norm.weight.copy_(torch.logspace(-4, 1, 64))

    def forward(self, x):
        logits = self.layer(x)
        return logits.softmax(-1), self.norm(logits), logits.tanh(), (logits - 14).sigmoid()


def test_peaked_outputs_of_a_live_model_match(tmp_path):
    torch.manual_seed(0)
    state = turnkeyml.build_model(
        Peaked(), (torch.randn(8, 32),), build_name="p", cache_dir=str(tmp_path), monitor=False
    )
    assert state.verification.verdict == "match"
    operators = [found.name for found in state.reference.operators]
    assert operators == ["Softmax", "LayerNormalization", "Tanh", "Sigmoid"]


# An ONNX file is its own original, and how exact that is is not known.


def on_other_inputs(wrong, known):
    """The verdict on what is less exact on so many of four held-out sets."""
    golden = {"a": RANDOM.standard_normal((8, 50)).astype(np.float32)}
    compute = {"fp64": {"a": golden["a"].astype(np.float64)}} if known else {}
    held = [Reference({"x": np.ones(i)}, golden, compute=compute.get) for i in range(1, 5)]
    reference = Reference({"x": np.zeros(1)}, golden, held_out=tuple(held))
    off = [others.inputs for others in held[:wrong]]
    noise = np.clip(RANDOM.standard_normal(golden["a"].shape), -2, 2).astype(np.float32)

    def run(inputs):
        share = 3e-4 if any(inputs is others for others in off) else 0.0
        share = 4e-5 if inputs is reference.inputs else share
        return {"a": golden["a"] * (1 + share * noise)}

    return judge(run, reference, "fp32")


def test_what_is_close_on_half_of_the_sets_is_close_where_nothing_is_known():
    once, twice = (on_other_inputs(wrong, known=False) for wrong in (1, 2))
    assert once.verdict == "match"
    assert twice.verdict == "close"
    assert "on 2 of 4 others" in twice.reason
    assert on_other_inputs(2, known=True).verdict == "match"


def test_a_single_number_is_within_the_looser_tolerance_itself():
    golden = np.array([[3.5]], np.float32)
    assert judged(golden * (1 + 0.8e-4), golden).verdict == "match"
    assert judged(golden * (1 + 1.3e-4), golden).verdict == "close"
