"""Exports of models that amplify rounding are verified submodule by submodule."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

from turnkeyml.build import check_onnx, graph_rounding, the_same_decision, walk
from turnkeyml.frameworks import inner_results, reference_of
from turnkeyml.nouns import Cause, Verdict
from turnkeyml.verify import InnerResult


class Wild(torch.nn.Module):
    """One layer that makes every difference fifty times as large."""

    def __init__(self, size=16):
        super().__init__()
        self.linear = torch.nn.Linear(size, size)

    def forward(self, x):
        return torch.sin(50 * self.linear(x))


class Chaotic(torch.nn.Module):
    def __init__(self, layers=8):
        super().__init__()
        self.layers = torch.nn.ModuleList(Wild() for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Tied(torch.nn.Module):
    """All scores are equal, and what is picked goes through chaotic layers."""

    def __init__(self):
        super().__init__()
        self.score = torch.nn.Linear(16, 1)
        torch.nn.init.zeros_(self.score.weight)
        self.rest = Chaotic(3)

    def forward(self, x):
        best = torch.topk(self.score(x).squeeze(-1), 4, dim=1).indices
        return self.rest(x.gather(1, best.unsqueeze(-1).expand(-1, -1, 16)))


class Peaks(torch.nn.Module):
    """Finds the peaks of two pictures whose pixels are all nearly the same, as a detector with
    random weights does. What is found goes through chaotic layers."""

    def __init__(self):
        super().__init__()
        self.score = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.rest = Chaotic(3)

    def peaks(self, x):
        scores = 0.25 + 1e-5 * torch.softmax(self.score(x), 1)[:, :1]
        found = scores == torch.nn.functional.max_pool2d(scores, 5, stride=1, padding=2)
        return found.float().reshape(1, -1, 16)

    def forward(self, x):
        return self.rest(self.peaks(x[:1]) + self.peaks(x[1:]))


class Halves(torch.nn.Module):
    """A node with two results, one of which is the result of a submodule."""

    def __init__(self):
        super().__init__()
        self.rest = Chaotic()
        self.same = torch.nn.Identity()

    def forward(self, x):
        left, right = self.rest(x).chunk(2, dim=-1)
        return self.same(left) + torch.sin(50 * right)


def exported(model, x, path):
    model.eval()
    torch.onnx.export(
        model, (x,), str(path), input_names=["x"], output_names=["output"], dynamo=False
    )
    return path, reference_of(model, (x,), {}, ["x"])


def change(path, name, how):
    model = onnx.load(str(path))
    (weight,) = [w for w in model.graph.initializer if w.name.endswith(name)]
    weight.CopyFrom(numpy_helper.from_array(how(numpy_helper.to_array(weight)), weight.name))
    onnx.save(model, str(path))


@pytest.fixture
def made(tmp_path):
    def make(model, shape=(2, 16)):
        torch.manual_seed(0)
        return exported(model(), torch.rand(shape), tmp_path / "model.onnx")

    return make


def test_the_outputs_of_a_chaotic_model_say_nothing_and_its_submodules_do(made):
    path, reference = made(Chaotic)
    found = check_onnx(str(path), reference, "fp32", 1)
    assert (found.verdict, found.cause) == (Verdict.IN_PARTS, Cause.IN_PARTS)
    assert found.cosine >= 0.99
    assert "results of submodules match" in found.reason
    assert "the original itself gives other results in fp64" in found.reason


@pytest.mark.parametrize("layer", [0, 4, 7])
@pytest.mark.parametrize("how", [np.negative, lambda a: 1.001 * a, lambda a: a[::-1].copy()])
def test_a_wrong_weight_anywhere_is_seen_and_the_place_is_named(made, layer, how):
    path, reference = made(Chaotic)
    name = f"layers.{layer}.linear.bias"
    change(path, name, lambda a: how(a).astype(a.dtype))
    found = check_onnx(str(path), reference, "fp32", 1)
    assert not found.trusted
    place = f"after the submodule layers.{layer - 1}" if layer else "from its inputs on"
    assert place in found.reason


def test_a_tie_is_decided_as_the_original_does(made):
    path, reference = made(Tied, (1, 64, 16))
    best = reference.inner()
    picks = next(r for r in best if r.module == "topk").array
    found = walk(path, reference, "fp32", 1)
    assert found.arrived
    assert picks.shape == (1, 4)


def test_what_is_wrong_after_a_tie_is_seen(made):
    path, reference = made(Tied, (1, 64, 16))
    change(path, "rest.layers.1.linear.bias", np.negative)
    assert not walk(path, reference, "fp32", 1).arrived


def test_each_of_several_alike_decisions_is_taken_from_its_own_place(made):
    path, reference = made(Peaks, (2, 1, 64, 64))
    assert walk(path, reference, "fp32", 1).arrived


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("size", [3, 7])
def test_wrong_scores_make_no_ties(made, which, size):
    path, reference = made(Peaks, (2, 1, 64, 64))
    model = onnx.load(str(path))
    pool = [node for node in model.graph.node if node.op_type == "MaxPool"][which]
    for attribute in pool.attribute:
        wrong = {"kernel_shape": [size] * 2, "pads": [size // 2] * 4}.get(attribute.name)
        if wrong:
            attribute.ints[:] = wrong
    onnx.save(model, str(path))
    assert not walk(path, reference, "fp32", 1).arrived


def test_what_is_wrong_after_alike_decisions_is_seen(made):
    path, reference = made(Peaks, (2, 1, 64, 64))
    change(path, "rest.layers.1.linear.bias", np.negative)
    assert not walk(path, reference, "fp32", 1).arrived


def test_one_of_two_results_of_a_node_may_be_known(made):
    path, reference = made(Halves)
    assert walk(path, reference, "fp32", 1).arrived


def test_a_wrong_build_of_a_stable_model_is_not_excused(made):
    path, reference = made(lambda: torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Tanh()))
    change(path, "bias", np.negative)
    found = check_onnx(str(path), reference, "fp32", 1)
    assert found.verdict is Verdict.MISMATCH
    assert "still differs from its inputs on" in found.reason


def test_every_second_result_is_kept_if_all_are_too_many(monkeypatch):
    torch.manual_seed(0)
    model, x = Chaotic(), torch.rand(64, 16)
    everything = inner_results(lambda: model(x), model)
    assert [r.module for r in everything[:2]] == ["layers.0.linear", "layers.0"]
    monkeypatch.setattr("turnkeyml.frameworks.torch.submodules.MAX_BYTES", 10 * 64 * 16 * 4)
    fewer = inner_results(lambda: model(x), model)
    assert len(fewer) == len(everything) // 2
    assert not model.layers[0]._forward_hooks


# ---- decisions


def top(scores, picks, *others):
    node = onnx.helper.make_node("TopK", ["scores", "k"], ["values", "picks"], axis=-1)
    values = {"scores": scores, "picks": picks}
    results = [InnerResult("topk", np.array(other)) for other in others]
    found = the_same_decision(node, values, results, "fp32")
    return found and found[1]


SCORES = np.array([3.0, 1.0, 3.0, 2.0], np.float32)


def test_another_pick_of_the_same_score_is_the_same_decision():
    found = top(SCORES, np.array([0, 2]), [2, 0])
    assert found["picks"].tolist() == [2, 0]
    assert found["values"].tolist() == [3.0, 3.0]


@pytest.mark.parametrize("other", [[0, 3], [0, 0], [0, 4], [-1, 0]])
def test_a_worse_pick_is_another_decision(other):
    assert top(SCORES, np.array([0, 2]), other) is None


@pytest.mark.parametrize("mask", [-1e9, np.finfo(np.float32).min, -np.inf])
def test_mask_values_make_no_ties(mask):
    scores = np.array([3.0, 1.0, 3.0, mask, mask], np.float32)
    assert top(scores, np.array([0, 2]), [1, 2]) is None
    assert top(scores, np.array([0, 2]), [0, 3]) is None
    assert top(scores, np.array([0, 2]), [2, 0])["picks"].tolist() == [2, 0]
    assert top(scores, np.array([0, 2, 1, 3]), [0, 2, 1, 4])["picks"].tolist() == [0, 2, 1, 4]


def test_of_several_decisions_the_first_is_taken():
    found = top(np.ones(8, np.float32), np.array([0, 1]), [5, 6], [0, 7])
    assert found["picks"].tolist() == [5, 6]


def test_a_decision_that_is_much_nearer_than_another_is_the_one():
    found = top(np.ones(8, np.float32), np.arange(4), [4, 5, 6, 7], [3, 2, 1, 5])
    assert found["picks"].tolist() == [3, 2, 1, 5]


def test_scores_that_hardly_vary_are_equal_by_what_varies():
    scores = np.float32(0.0154) + np.array([3e-7, 1e-7, 3e-7 + 2e-9, 0, 2e-7], np.float32)
    assert top(scores, np.array([2, 0]), [0, 2])["picks"].tolist() == [0, 2]
    assert top(scores, np.array([2, 0]), [0, 4]) is None


@pytest.mark.parametrize(
    ("scores", "same"),
    [([3.0, 1.0, 3.0, 2.0], True), ([3.0, 1.0, 2.9, 2.0], False), ([3.0, 1.0, 3.0], False)],
)
def test_a_tie_must_be_one_by_the_scores_of_the_original_too(scores, same):
    node = onnx.helper.make_node("TopK", ["scores", "k"], ["values", "picks"], axis=-1)
    values = {"scores": SCORES, "picks": np.array([0, 2])}
    theirs = (np.array(scores, np.float32),)
    result = InnerResult("topk", np.array([2, 0]), theirs)
    assert (the_same_decision(node, values, [result], "fp32") is not None) is same
    # What nobody knows the scores of is no way around it.
    other = InnerResult("somewhere", np.array([2, 0]))
    assert (the_same_decision(node, values, [other, result], "fp32") is not None) is same


def test_a_comparison_may_turn_only_where_both_sides_are_equal():
    node = onnx.helper.make_node("Greater", ["a", "b"], ["above"])
    scores = {"a": np.array([1.0, 2.0, 3.0], np.float32), "b": np.array([2.0], np.float32)}
    above = {**scores, "above": np.array([False, False, True])}

    def decided(*booleans):
        results = [InnerResult("gt", np.array(booleans))]
        found = the_same_decision(node, above, results, "fp32")
        return found and found[1]

    assert decided(False, True, True)["above"].tolist() == [False, True, True]
    assert decided(True, False, True) is None


def test_what_is_not_a_score_is_not_a_decision():
    node = onnx.helper.make_node("Equal", ["a", "b"], ["same"])
    assert graph_rounding.is_decision(node)
    values = {"a": np.array([1]), "b": np.array([1]), "same": np.array([True])}
    assert the_same_decision(node, values, [], "fp32") is None
