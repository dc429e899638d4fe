"""Verdicts on what a built model computes."""

import random

import numpy as np
import onnx
import pytest
import torch

import turnkeyml
from turnkeyml.build import (
    Exact,
    convert_to_float16,
    largest_magnitudes,
    out_of_range,
    verify_subgraphs,
)
from turnkeyml.frameworks import reference_of
from turnkeyml.system import memory_bytes, peak_memory_bytes, reset_peak_memory
from turnkeyml.verify import Reference, compare

from .chaotic import Chaotic

RANDOM = np.random.default_rng(0)
GOLDEN = RANDOM.standard_normal(1000).astype(np.float32)


def verdict(found, golden=GOLDEN, precision="fp32", **facts):
    return compare({"a": found}, Reference({}, {"a": golden}, **facts), precision)


def test_the_same_numbers_match():
    result = verdict(GOLDEN.copy())
    assert result.verdict == "match"
    assert result.max_absolute_error == 0
    assert result.cosine == pytest.approx(1)


def test_rounding_to_half_precision_matches_as_fp16_but_not_as_fp32():
    rounded = GOLDEN.astype(np.float16).astype(np.float32)
    assert verdict(rounded, precision="fp16").verdict == "match"
    assert verdict(rounded, precision="fp32").verdict == "close"


def test_tiny_outputs_are_held_to_the_same_standard():
    tiny = GOLDEN * np.float32(1e-6)
    assert verdict(tiny * 2, tiny).verdict == "mismatch"
    assert verdict(tiny * np.float32(1.05), tiny).verdict == "close"
    assert verdict(np.zeros_like(tiny), tiny).verdict == "mismatch"


def test_noise_of_the_same_direction_is_only_close():
    noisy = GOLDEN * (1 + 0.05 * RANDOM.standard_normal(1000))
    assert verdict(noisy.astype(np.float32)).verdict == "close"


def test_other_numbers_are_a_mismatch():
    assert verdict(GOLDEN[::-1].copy()).verdict == "mismatch"


def test_nan_where_the_original_has_a_number_is_a_mismatch():
    broken = GOLDEN.copy()
    broken[3] = np.nan
    result = verdict(broken, precision="fp16")
    assert result.verdict == "mismatch"
    assert "finite" in result.reason


def test_nan_where_the_original_has_nan_matches():
    golden = GOLDEN.copy()
    golden[3] = np.nan
    golden[4] = np.inf
    assert verdict(golden.copy(), golden).verdict == "match"


def test_other_shapes_are_a_mismatch():
    assert verdict(GOLDEN[:10]).verdict == "mismatch"


def test_integers_must_agree():
    golden = np.arange(1000)
    one_off = golden.copy()
    one_off[0] += 1
    assert verdict(golden.copy(), golden).verdict == "match"
    assert verdict(one_off, golden).verdict == "close"
    assert verdict(golden[::-1].copy(), golden).verdict == "mismatch"


def test_masks_are_judged_by_their_overlap():
    golden = np.zeros(1000, bool)
    golden[:500] = True
    other = golden.copy()
    other[0] = False
    assert verdict(other, golden).verdict == "match"
    assert verdict(~golden, golden).verdict == "mismatch"


def test_a_model_without_outputs_is_not_checked():
    assert compare({}, Reference({}, {}), "fp32").verdict == "not checked"


class Unstable(torch.nn.Module):
    """Loses most of its digits in fp32, in whatever order it is computed."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((1,), 1e4))

    def forward(self, x):
        return (x + self.weight) - self.weight


def test_a_build_may_be_as_inexact_as_the_original():
    torch.manual_seed(0)
    x = torch.rand(64)
    reference = reference_of(Unstable(), (x,), {}, ["x"])
    assert compare({"a": x.numpy() * 0.9995}, reference, "fp32").verdict == "match"
    assert compare({"a": x.numpy() * 0.9}, reference, "fp32").verdict != "match"


class Shift(torch.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = torch.nn.Parameter(torch.tensor(float(by)))

    def forward(self, x):
        return x + self.by


def _there_and_back(by, x):
    model = torch.nn.Sequential(Shift(by), Shift(-by))
    return reference_of(model, (x,), {}, ["x"])


def test_a_build_in_fp16_may_be_as_inexact_as_the_original_rounded_to_it():
    x = torch.rand(64)
    reference = _there_and_back(100, x)
    assert compare({"a": x.numpy() * 0.95}, reference, "fp16").verdict == "match"
    assert compare({"a": x.numpy() * 0.95}, reference, "fp32").verdict == "close"
    assert compare({"a": x.numpy() * 0.8}, reference, "fp16").verdict != "match"


class Attention(torch.nn.Module):
    """Scores so large that the rounding of them shows in what is made of them."""

    def forward(self, x):
        return torch.softmax(x @ x.T, -1)


def test_the_rounding_of_matrix_products_within_a_module_counts():
    torch.manual_seed(0)
    reference = reference_of(Attention(), (torch.rand(8, 64),), {}, ["x"])
    (exact,), (half,) = (reference.in_precision(d).values() for d in ("fp32", "fp16"))
    last_step = np.abs(exact - exact.astype(np.float16)).max()
    assert np.abs(half - exact).max() > 3 * last_step


def test_an_original_that_is_far_off_itself_proves_nothing():
    x = torch.rand(64)
    found = compare({"a": x.numpy() * 0.8}, _there_and_back(3000, x), "fp16")
    assert found.verdict == "mismatch"
    assert "the original itself gives other results in fp16" in found.reason


def test_the_reference_runs_in_eval_mode_and_puts_the_mode_back():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.9))
    model[0].eval()
    reference = reference_of(model, (torch.rand(4),), {}, ["x"])
    assert reference.deterministic
    assert model.training
    assert not model[0].training
    assert model[1].training


def test_a_random_model_is_found_out():
    class Random(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.w * torch.rand_like(x)

    assert not reference_of(Random(), (torch.rand(4),), {}, ["x"]).deterministic


def test_a_random_model_with_tiny_outputs_is_found_out():
    class Random(torch.nn.Module):
        def forward(self, x):
            return 1e-7 * torch.rand_like(x)

    assert not reference_of(Random(), (torch.rand(4),), {}, ["x"]).deterministic


def test_a_model_that_draws_tokens_is_found_out():
    class Random(torch.nn.Module):
        def forward(self, x):
            return torch.randint(30_000, 30_003, (64,))

    assert not reference_of(Random(), (torch.rand(4),), {}, ["x"]).deterministic


class Counting(torch.nn.Module):
    """Keeps a state from call to call: a number, a tensor and a buffer."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.calls, self.mean = 0, torch.zeros(8)
        self.register_buffer("largest", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        self.largest = torch.maximum(self.largest, x.abs().amax())
        return self.layer(x - self.mean) * self.calls / self.largest


def test_a_model_with_a_state_is_judged_from_the_state_of_its_export(tmp_path):
    torch.manual_seed(0)
    model = Counting()
    model(torch.rand(4, 8))
    state = turnkeyml.build_model(
        model, (torch.rand(4, 8),), build_name="b", cache_dir=str(tmp_path), monitor=False
    )
    assert state.verification.verdict == "match"
    assert model.calls == 1


def test_chance_of_every_kind_is_seeded():
    class Random(torch.nn.Module):
        def forward(self, x):
            return x * random.random() * np.random.random()

    first, second = (reference_of(Random(), (torch.ones(4),), {}, ["x"]) for _ in range(2))
    assert not first.deterministic
    np.testing.assert_array_equal(first.outputs["output"], second.outputs["output"])


class Overflowing(torch.nn.Module):
    """Its numbers leave the range of float16 on the way and at the end."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 16)
        self.second = torch.nn.Linear(16, 4)

    def forward(self, x):
        large = self.first(x) * 1e4
        return self.second(large.relu() * 30.0)


class Vanishing(torch.nn.Module):
    """Its numbers end beneath what float16 can hold."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 16)
        self.second = torch.nn.Linear(16, 4, bias=False)

    def forward(self, x):
        return self.second(self.first(x) * 1e-3).relu() * 1e-4


class Cancelling(torch.nn.Module):
    """What its first layer is for lies in digits that float16 does not have."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 64)
        self.first.weight.data = torch.randn(64, 64) + 300
        self.layers = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(4))

    def forward(self, x):
        x = self.first(x) - 300 * x.sum(-1, keepdim=True)
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


class Scattering(torch.nn.Module):
    """ONNX Runtime has no ScatterElements for float16 with a reduction."""

    def forward(self, x, index):
        return torch.zeros(4, x.shape[1]).scatter_reduce(0, index, x, "sum") * 2


def in_fp16(model, inputs, folder):
    return turnkeyml.build_model(
        model.eval(), inputs, build_name="b", cache_dir=str(folder), sequence="optimize-fp16"
    )


def fp16_build(model, inputs, folder):
    torch.manual_seed(0)
    state = in_fp16(model, inputs, folder)
    return state.verification.verdict, state.facts.get("kept_in_fp32", "")


def test_numbers_too_large_for_fp16_stay_in_fp32(tmp_path):
    verdict, kept = fp16_build(Overflowing(), {"x": torch.rand(2, 16) * 10}, tmp_path)
    assert verdict == "match"
    assert "nodes" in kept
    assert kept.endswith("output")


class LargeInputs(torch.nn.Module):
    """Its inputs are beyond the range of float16, its outputs are not."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((16,), 1e5))

    def forward(self, x):
        return torch.tanh(x / self.scale)


def test_inputs_too_large_for_fp16_stay_in_fp32(tmp_path):
    """ONNX Runtime's converter would cast them down and up again on their way."""
    inputs = {"x": torch.rand(2, 16) * 2e5 + 1e5}
    verdict, kept = fp16_build(LargeInputs(), inputs, tmp_path)
    assert verdict == "match"
    assert kept == "1 nodes, x"


def test_ranges_are_known_where_a_file_describes_what_it_no_longer_has(tmp_path):
    torch.manual_seed(0)
    source, x = tmp_path / "m.onnx", torch.rand(2, 16) * 10
    torch.onnx.export(Overflowing().eval(), (x,), str(source), input_names=["x"], dynamo=False)
    model = onnx.load(str(source))
    gone = onnx.helper.make_tensor_value_info("gone", onnx.TensorProto.FLOAT, [16, 16])
    model.graph.value_info.append(gone)
    onnx.save(model, str(source))
    assert out_of_range(source, {"x": x.numpy()}, 1).nodes


def test_numbers_too_small_for_fp16_stay_in_fp32(tmp_path):
    verdict, kept = fp16_build(Vanishing(), {"x": torch.rand(2, 16)}, tmp_path)
    assert verdict == "match"
    assert "nodes" in kept
    assert kept.endswith("output")


def test_the_subgraph_that_fp16_gets_wrong_stays_in_fp32(tmp_path):
    verdict, kept = fp16_build(Cancelling(), {"x": torch.randint(0, 8, (4, 64)) / 8}, tmp_path)
    assert verdict == "match"
    assert "nodes" in kept
    graph = onnx.load(next(tmp_path.glob("b/onnx/*f16.onnx"))).graph
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    assert types["model.first.weight"] == onnx.TensorProto.FLOAT
    assert types["model.layers.3.weight"] == onnx.TensorProto.FLOAT16


def test_the_verdict_names_an_examination_that_failed(tmp_path, monkeypatch):
    def fails(*_):
        raise RuntimeError("no memory for it")

    monkeypatch.setattr("turnkeyml.build.fp16.search.out_of_range", fails)
    torch.manual_seed(0)
    x = torch.rand(2, 16) * 10
    state = in_fp16(Overflowing(), {"x": x}, tmp_path)
    assert state.verification.verdict == "mismatch"
    assert (
        "the analysis of its value ranges failed: RuntimeError: no memory"
        in state.verification.reason
    )


def test_a_model_that_amplifies_rounding_is_verified_in_subgraphs(tmp_path):
    torch.manual_seed(0)
    model = Chaotic()
    state = in_fp16(model, {"x": torch.rand(4, 64)}, tmp_path)
    assert state.verification.verdict == "match in parts"
    assert "in each of 48 subgraphs" in state.verification.reason
    assert "the original itself gives other results in fp16" in state.verification.reason
    assert state.verification.cosine >= 0.99


class Picking(torch.nn.Module):
    """A decision, which is exact, and numbers, which are not."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, x):
        return x.argmax(-1), self.layer(x).tanh()


def test_the_error_of_matching_subgraphs_is_that_of_the_worst(tmp_path):
    torch.manual_seed(0)
    x = torch.rand(4, 64)
    good, half = tmp_path / "good.onnx", tmp_path / "half.onnx"
    torch.onnx.export(Picking().eval(), (x,), str(good), input_names=["x"], dynamo=False)
    convert_to_float16(good, half)
    found = verify_subgraphs(Exact(good, {"x": x.numpy()}, 1), half, "fp16", 1).verdict
    assert found.verdict == "match"
    assert found.max_relative_error > 1e-5


def test_an_error_in_one_subgraph_is_found(tmp_path):
    torch.manual_seed(0)
    x = torch.rand(4, 64)
    good, bad = tmp_path / "good.onnx", tmp_path / "bad.onnx"
    torch.onnx.export(Chaotic().eval(), (x,), str(good), input_names=["x"], dynamo=False)
    convert_to_float16(good, bad)
    inputs = {"x": x.numpy()}
    assert verify_subgraphs(Exact(good, inputs, 1), bad, "fp16", 1).verdict.verdict == "match"
    model = onnx.load(str(bad))
    bias = next(t for t in model.graph.initializer if t.name == "layers.12.bias")
    changed = onnx.numpy_helper.to_array(bias) * np.float16(1.5)
    bias.CopyFrom(onnx.numpy_helper.from_array(changed, bias.name))
    onnx.save(model, str(bad))
    assert verify_subgraphs(Exact(good, inputs, 1), bad, "fp16", 1).verdict.verdict != "match"


def test_operators_that_fp16_lacks_stay_in_fp32(tmp_path):
    inputs = {"x": torch.rand(8, 3), "index": torch.randint(0, 4, (8, 3))}
    assert fp16_build(Scattering(), inputs, tmp_path)[0] == "match"
    graph = onnx.load(next(tmp_path.glob("b/onnx/*f16.onnx"))).graph
    types = {o: n for n in graph.node for o in n.output}
    (scatter,) = [n for n in graph.node if n.op_type == "ScatterElements"]
    assert types[scatter.input[2]].op_type == "Cast"


def test_an_ordinary_model_is_in_fp16_as_a_whole(tmp_path):
    assert fp16_build(torch.nn.Linear(4, 2), {"input": torch.rand(1, 4)}, tmp_path) == ("match", "")


class Branching(torch.nn.Module):
    """Each branch uses numbers from outside of it."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if bool(y.sum() > 1000):
            y = y - 1
        else:
            y = torch.softmax(y * 2, dim=-1)
        return y + 1


def test_branches_stay_in_fp32_and_what_they_use_is_cast(tmp_path):
    model = torch.jit.script(Branching())
    assert fp16_build(model, {"x": torch.rand(2, 4)}, tmp_path)[0] == "match"
    graph = onnx.load(next(tmp_path.glob("b/onnx/*f16.onnx"))).graph
    assert "If" in {node.op_type for node in graph.node}
    assert any(name.endswith("_for_bodies") for node in graph.node for name in node.output)


def test_values_are_not_kept_while_their_ranges_are_looked_at(tmp_path):
    model = torch.nn.Sequential(*(torch.nn.Sigmoid() for _ in range(30)))
    x = torch.rand(4_000_000)  # 16 MB, and 480 MB for all values
    path = tmp_path / "model.onnx"
    torch.onnx.export(model, (x,), str(path), input_names=["x"], dynamo=False)
    shaped = onnx.shape_inference.infer_shapes(onnx.load(str(path)))
    reset_peak_memory()
    before = memory_bytes()
    found = largest_magnitudes(shaped, path, {"x": x.numpy()}, 1)
    assert peak_memory_bytes() - before < 200_000_000
    assert len(found) == 31
    assert found["x"] == pytest.approx(float(x.max()))
