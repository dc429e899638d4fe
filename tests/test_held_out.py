"""Builds are verified on inputs that their exporter has never seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from turnkeyml import build_model
from turnkeyml.cache import BuildFolder, BuildState, load_arrays
from turnkeyml.evaluate import measure_again
from turnkeyml.nouns import Cause, Plan, Verdict
from turnkeyml.verify import RECORDED_ONLY, VARIANTS, Reference, draw, judge

RANDOM = np.random.default_rng(0)
DRAWN = torch.Generator().manual_seed(1)


class TwoWays(torch.nn.Module):
    """Decides by the values of its inputs."""

    def __init__(self):
        super().__init__()
        self.one, self.other = torch.nn.Linear(8, 4), torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.one(x) if x.mean() > 0 else self.other(x)


class Cut(torch.nn.Module):
    """Its output is as long as the longest row."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 4)

    def forward(self, x, lengths):
        return self.layer(x)[:, : int(lengths.max())]


class SmallChannel(TwoWays):
    """What is decided shows in a channel that is a million times as small as the others."""

    def __init__(self):
        super().__init__()
        self.large = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.cat([1e3 * self.large(x), 1e-3 * super().forward(x)], -1)


class Early(torch.nn.Module):
    """Stops when it is sure."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            if x.sum() > 0:
                break
        return x


class Adjusted(torch.nn.Module):
    """Either way gives nearly the same."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x) * (1.0 if x.mean() > 0 else 1.05)


class TiedElsewhere(torch.nn.Module):
    """Ranks rows by scores that are all equal if the mean of its inputs is negative."""

    def __init__(self, factor=1.0):
        super().__init__()
        self.factor = factor
        self.score, self.layer = torch.nn.Linear(8, 1), torch.nn.Linear(8, 8)

    def forward(self, x):
        scores = self.score(x).squeeze(-1) * torch.relu(x.mean())
        best = torch.topk(scores, 4, dim=1).indices
        best = best.unsqueeze(-1).expand(-1, -1, 8)
        negative = bool(x.mean() < 0)
        found = self.layer(x.gather(1, best))
        return found * self.factor if negative else found


class ByMagnitude(TwoWays):
    def forward(self, x):
        return self.one(x) if x.abs().mean() > 0.4 else self.other(x)


class AnyFlag(TwoWays):
    def forward(self, x, flags):
        return self.one(x) if flags.any() else self.other(x)


class Picky(torch.nn.Module):
    """Takes no other inputs than those it has got."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        if not torch.equal(x, torch.ones(4)):
            raise ValueError("only ones, please")
        return self.layer(x)


class Attending(torch.nn.Module):
    """An embedding and a mask, as language models have."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(10, 8)
        self.types = torch.nn.Embedding(1, 8)

    def forward(self, input_ids, attention_mask, token_type_ids):
        x = self.table(input_ids) + self.types(token_type_ids)
        scores = (x @ x.mT).masked_fill(attention_mask[:, None, :] == 0, -1e9)
        return torch.softmax(scores, -1) @ x


def build(model, inputs, cache: Path, **settings) -> BuildState:
    torch.manual_seed(0)
    return build_model(
        model, inputs, build_name="b", cache_dir=str(cache), monitor=False, **settings
    )


@pytest.mark.parametrize(
    ("model", "inputs"),
    [
        (TwoWays, (torch.rand(2, 8, generator=DRAWN),)),
        (Cut, (torch.rand(2, 6, 8, generator=DRAWN), torch.tensor([3, 5]))),
        (SmallChannel, (torch.rand(2, 8, generator=DRAWN),)),
        (Early, (torch.rand(2, 8, generator=DRAWN),)),
        (Adjusted, (torch.rand(2, 8, generator=DRAWN),)),
        (ByMagnitude, (torch.rand(2, 8, generator=DRAWN),)),
        (AnyFlag, (torch.rand(2, 8, generator=DRAWN), torch.tensor([False, True, False]))),
    ],
)
def test_a_decision_that_the_exporter_froze_is_found_and_named(tmp_path, model, inputs):
    torch.manual_seed(0)
    state = build(model(), inputs, tmp_path)
    found = state.verification
    assert (found.verdict, found.cause) == (Verdict.SPECIALISED, Cause.HELD_OUT)
    assert not found.trusted
    assert any("test_held_out.py, line" in place for place in found.frozen)
    assert "on other inputs" in found.reason


def test_ties_that_occur_on_other_inputs_only_are_no_frozen_decision(tmp_path):
    torch.manual_seed(0)
    state = build(TiedElsewhere(), (torch.rand(1, 64, 8, generator=DRAWN),), tmp_path)
    found = state.verification
    assert (found.verdict, found.cause) == (Verdict.IN_PARTS, Cause.IN_PARTS)
    assert "on other inputs" in found.reason
    plan = Plan(str(tmp_path), "x86", ("ort",), iterations=2)
    folder = BuildFolder(tmp_path, "b")
    (evaluation,) = measure_again(folder, plan, "none")
    assert evaluation.verdict is Verdict.IN_PARTS
    break_ties(folder)
    (evaluation,) = measure_again(folder, plan, "none")
    assert evaluation.verdict is Verdict.MISMATCH, evaluation.reason


def break_ties(folder: BuildFolder) -> None:
    """Have a build rank otherwise where the mean is negative, which recorded inputs do not show."""
    for path in folder.onnx.glob("*.onnx"):
        model = onnx.load(str(path), load_external_data=False)
        (relu,) = [node for node in model.graph.node if node.op_type == "Relu"]
        relu.op_type = "Sign"
        onnx.save(model, str(path))


@pytest.mark.parametrize("factor", [1.001, 1.1, -1.0])
def test_a_frozen_decision_is_found_behind_ties(tmp_path, factor):
    torch.manual_seed(0)
    state = build(TiedElsewhere(factor), (torch.rand(1, 64, 8, generator=DRAWN),), tmp_path)
    found = state.verification
    assert (found.verdict, found.cause) == (Verdict.SPECIALISED, Cause.HELD_OUT)
    assert "still differs after the submodule" in found.reason


class Nothing(torch.nn.Module):
    """Finds nothing, or returns nothing but NaN."""

    def __init__(self, is_empty):
        super().__init__()
        self.layer, self.is_empty = torch.nn.Linear(8, 4), is_empty

    def forward(self, x):
        y = self.layer(x)
        return y[y[:, 0] > torch.inf] if self.is_empty else y / 0 * 0


@pytest.mark.parametrize("is_empty", [True, False])
def test_what_returns_nothing_to_compare_is_no_match(tmp_path, is_empty):
    found = build(Nothing(is_empty), (torch.rand(2, 8, generator=DRAWN),), tmp_path).verification
    assert (found.verdict, found.cause) == (Verdict.NOT_CHECKED, Cause.NO_OUTPUT)
    assert "no finite number" in found.reason


def test_a_specialised_build_is_called_so_wherever_it_is_measured(tmp_path):
    torch.manual_seed(0)
    build(TwoWays(), (torch.rand(2, 8),), tmp_path)
    plan = Plan(str(tmp_path), "x86", ("ort",), iterations=2)
    (evaluation,) = measure_again(BuildFolder(tmp_path, "b"), plan, "none")
    assert evaluation.verdict is Verdict.SPECIALISED
    assert evaluation.verification.frozen


def test_a_general_build_is_verified_on_every_set(tmp_path):
    state = build(
        torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()), (torch.rand(3, 8),), tmp_path
    )
    assert (state.verification.verdict, state.verification.held_out) == (Verdict.MATCH, 4)
    assert state.reference.held_out == 4


def test_fp16_builds_are_held_to_other_inputs_too(tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh())
    state = build(model, (torch.rand(3, 8),), tmp_path, sequence="optimize-fp16")
    assert (state.verification.verdict, state.verification.held_out) == (Verdict.MATCH, 4)


@pytest.mark.parametrize(("wrong", "verdict"), [(2, Verdict.MATCH), (3, Verdict.CLOSE)])
def test_what_is_only_close_on_all_other_inputs_is_no_match(wrong, verdict):
    """Inputs a hundred times as large may be ill-conditioned, so that one set alone says little."""
    arrays = [np.random.default_rng(n).standard_normal(50) * 100 ** (n > 0) for n in range(4)]
    recorded, *held = [Reference({"x": a}, {"y": a.astype(np.float32)}) for a in arrays]
    recorded.held_out = tuple(held)

    def run(inputs):
        number = next(n for n, a in enumerate(arrays) if a is inputs["x"])
        return {"y": (arrays[number] * (1.01 if 0 < number <= wrong else 1)).astype(np.float32)}

    assert judge(run, recorded, "fp32").verdict is verdict


@pytest.mark.parametrize(
    ("channel", "share", "verdict"),
    [(1, 3e-5, Verdict.MATCH), (1, 1e-3, Verdict.MISMATCH), (0, 1e-2, Verdict.MISMATCH)],
)
def test_on_another_course_more_than_rounding_is_a_decision(channel, share, verdict):
    """A loop of a hundred steps adds up what a runtime rounds otherwise than the original."""
    golden = np.random.default_rng(0).standard_normal((50, 2)) * [1e-3, 1.0]
    held = Reference({"x": golden + 1}, {"y": golden}, compute={"fp64": {"y": golden}}.get)
    held.other_course = True
    recorded = Reference({"x": golden}, {"y": golden}, held_out=(held,))
    wrong = golden.copy()
    wrong[:, channel] *= 1 + share

    def run(inputs):
        return {"y": wrong if inputs is held.inputs else golden * (1 + 8e-6)}

    assert judge(run, recorded, "fp32").verdict is verdict


def test_where_the_original_takes_no_other_inputs_the_verdict_says_so(tmp_path):
    state = build(Picky(), (torch.ones(4),), tmp_path)
    assert state.verification.verdict is Verdict.MATCH
    assert RECORDED_ONLY in state.verification.reason
    assert state.verification.held_out == 0
    assert state.verification.frozen  # the comparison with ones


def test_what_the_original_refuses_is_replaced(tmp_path):
    inputs = {
        "input_ids": torch.randint(0, 10, (2, 6)),
        "attention_mask": torch.ones(2, 6, dtype=torch.int64),
        "token_type_ids": torch.zeros(2, 6, dtype=torch.int64),  # there is no other type
    }
    state = build(Attending(), inputs, tmp_path)
    assert state.verification.verdict is Verdict.MATCH
    assert state.verification.held_out >= 1


def test_an_onnx_file_is_held_to_other_inputs(tmp_path):
    from turnkeyml import benchmark_files

    from .conftest import EXAMPLES

    path = str(EXAMPLES / "onnx" / "sample.onnx")
    (result,) = benchmark_files(
        path, cache_dir=str(tmp_path), iterations=2, sequence="optimize-fp32"
    )
    (evaluation,) = result.invocations[0].evaluations
    assert evaluation.verification.held_out == 4


RECORDED = {
    "image": RANDOM.random((2, 3, 4)).astype(np.float32),
    "zeros": np.zeros((5,), np.float16),
    "input_ids": RANDOM.integers(3, 9, (2, 6)),
    "attention_mask": np.ones((2, 6), np.int64),
    "lengths": np.array([4, 6]),
    "flags": np.array([True, True, False]),
    "bits::bfloat16": RANDOM.integers(0, 2**15, (4,)).astype(np.uint16),
    "empty": np.zeros((0, 3), np.float32),
}


@pytest.mark.parametrize("variant", dict.fromkeys(v for chain in VARIANTS for v in chain))
def test_drawn_inputs_have_the_shapes_and_dtypes_of_the_recorded(variant):
    drawn = draw(RECORDED, variant)
    assert {n: (a.shape, a.dtype) for n, a in drawn.items()} == {
        n: (a.shape, a.dtype) for n, a in RECORDED.items()
    }
    again = draw(RECORDED, variant)
    assert all(np.array_equal(drawn[n], a, equal_nan=a.dtype.kind == "f") for n, a in again.items())


def test_drawn_values_lie_where_the_recorded_ones_do():
    drawn = draw(RECORDED, "redrawn")
    assert set(drawn["image"].ravel()) <= set(RECORDED["image"].ravel())
    assert len(set(drawn["zeros"])) > 1
    assert 3 <= drawn["input_ids"].min() <= drawn["input_ids"].max() <= 8
    assert 1 <= drawn["lengths"].min() <= drawn["lengths"].max() <= 6
    mask = drawn["attention_mask"]
    assert set(mask.ravel()) == {0, 1}
    assert all((np.diff(row) <= 0).all() and row[0] == 1 for row in mask)
    assert (draw(RECORDED, "negated")["image"] <= 0).all()


def test_drawn_magnitudes_and_flags_differ():
    smaller, larger = draw(RECORDED, "smaller"), draw(RECORDED, "larger")
    most = np.abs(RECORDED["image"]).max()
    assert np.abs(smaller["image"]).max() <= most / 3 * 1.001
    assert np.abs(larger["image"]).max() > most
    assert (smaller["flags"].tolist(), larger["flags"].tolist()) == ([False] * 3, [True] * 3)


def test_one_set_has_no_edge_from_a_node_to_itself():
    edges = np.array([[0, 1, 2, 3, 4, 5, 6, 7] * 4, [0, 1, 3, 2, 5, 4, 7, 6] * 4])
    drawn = draw({"edge_index": edges}, "smaller")["edge_index"]
    assert (drawn[0] != drawn[1]).all()
    assert set(drawn.ravel()) <= set(range(8))
    assert (drawn != edges).any()


def test_the_listing_shows_what_is_frozen_and_the_overview_counts_it(tmp_path, capfd):
    from turnkeyml import benchmark_files
    from turnkeyml.display import Overview

    script = tmp_path / "script.py"
    script.write_text(
        "import torch\n"
        "torch.manual_seed(0)\n"
        "class TwoWays(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.a, self.b = torch.nn.Linear(8, 4), torch.nn.Linear(8, 4)\n"
        "    def forward(self, x):\n"
        "        return self.a(x) if x.mean() > 0 else self.b(x)\n"
        "TwoWays()(torch.rand(2, 8))\n"
    )
    (result,) = benchmark_files(str(script), cache_dir=str(tmp_path / "cache"), iterations=3)
    printed = capfd.readouterr().out
    assert "Verification:   specialised" in printed
    assert "frozen at script.py, line 8: converting a tensor to a Python boolean" in printed
    overview = Overview()
    overview.add(result)
    assert "specialised        1" in "\n".join(overview.lines())


class SelfAttending(TwoWays):
    """Decides by whether two inputs are one tensor."""

    def forward(self, query, key):
        return self.one(query) if query is key else self.other(key)


def test_two_inputs_that_are_one_tensor_are_so_for_the_original(tmp_path):
    """The build has two inputs, and computes something else than the script did."""
    x = torch.randn(2, 8, generator=DRAWN)
    model = SelfAttending()
    state = build(model, (x, x), tmp_path)
    (expected,) = load_arrays(BuildFolder(tmp_path, "b").outputs).values()
    assert np.allclose(expected, model(x, x).detach().numpy())
    assert state.verification.verdict is Verdict.MISMATCH


def test_attention_to_itself_is_a_match(tmp_path):
    x = torch.randn(2, 4, 8, generator=DRAWN)
    model = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    assert build(model, (x, x, x), tmp_path).verification.verdict is Verdict.MATCH


def test_integers_that_are_all_different_stay_so():
    """They may be the places that a cache is written to."""
    places = np.arange(16).reshape(1, 16)
    for variant in (v for those in VARIANTS for v in those):
        drawn = draw({"places": places}, variant)["places"]
        assert sorted(drawn.ravel()) == sorted(places.ravel()), variant
