"""Masks that are padded on the left: what is computed for tokens that count has to be right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch

from turnkeyml import build_model
from turnkeyml.cache import BuildFolder, BuildState, read_state
from turnkeyml.evaluate import measure_again
from turnkeyml.nouns import Cause, Evaluation, Plan, Verdict
from turnkeyml.verify import Outputs, Reference, draw_padded, judge, load_reference, without_padding

TOKENS = 6


class Causal(torch.nn.Module):
    """Attention to earlier tokens; a token that has none to look at gets zeros, not NaN."""

    def __init__(self):
        super().__init__()
        self.queries, self.values = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x, attention_mask):
        scores = self.queries(x) @ x.transpose(1, 2)
        allowed = torch.ones(TOKENS, TOKENS).tril().bool() & attention_mask[:, None].bool()
        shares = torch.softmax(torch.where(allowed, scores, float("-inf")), -1)
        return torch.where(shares.isnan(), 0.0, shares) @ self.values(x)


def build(cache: Path) -> BuildState:
    torch.manual_seed(0)
    inputs = {"x": torch.randn(2, TOKENS, 8), "attention_mask": torch.ones(2, TOKENS).long()}
    return build_model(Causal(), inputs, build_name="b", cache_dir=str(cache), monitor=False)


def remeasured(cache: Path) -> Evaluation:
    plan = Plan(str(cache), "x86", ("ort",), iterations=2)
    (found,) = measure_again(BuildFolder(cache, "b"), plan, "none")
    return found


def without_guard(path: Path) -> None:
    """Let NaN through."""
    model = onnx.load(path)
    (test,) = (node for node in model.graph.node if node.op_type == "IsNaN")
    (guard,) = (n for n in model.graph.node if n.op_type == "Where" and test.output[0] in n.input)
    for node in model.graph.node:
        names = [guard.input[2] if name == guard.output[0] else name for name in node.input]
        del node.input[:]
        node.input.extend(names)
    onnx.save(model, path)


def test_a_build_whose_guard_against_nan_was_lost_is_no_match(tmp_path):
    state = build(tmp_path)
    assert state.verification.verdict is Verdict.MATCH
    folder = BuildFolder(tmp_path, "b")
    without_guard(folder.path / read_state(folder).artifacts["onnx"])
    found = remeasured(tmp_path).verification
    assert found.verdict is Verdict.MISMATCH
    assert found.cause is Cause.HELD_OUT


def test_a_build_holds_the_set_that_is_padded_on_the_left(tmp_path):
    state = build(tmp_path)
    reference = load_reference(BuildFolder(tmp_path, "b"), state.reference)
    assert reference.padded is not None
    mask = reference.padded.inputs["attention_mask"]
    assert not mask[:, 0].any()
    assert mask[:, -1].all()
    assert len(reference.held_out) == state.reference.held_out
    assert len(reference.all_held_out) == state.reference.held_out + 1


def test_only_masks_over_rows_are_padded():
    assert draw_padded({"x": np.ones((2, 4)), "ids": np.ones((2, 4), dtype=np.int64)}) is None
    inputs = {"x": np.ones((2, 4)), "attention_mask": np.ones((2, 4), dtype=np.int64)}
    padded = draw_padded(inputs)
    assert padded is not None
    assert padded["x"] is inputs["x"]
    assert not padded["attention_mask"][:, 0].any()


def test_numbers_at_padded_places_do_not_matter_but_nan_does():
    mask = np.array([[0, 0, 1, 1]])
    golden = {"y": np.arange(4.0).reshape(1, 4, 1)}
    other = {"y": np.array([9.0, np.nan, 9.0, 3.0]).reshape(1, 4, 1)}
    (found,) = without_padding(other, golden, {"attention_mask": mask}).values()
    assert found[0, 0, 0] == 0
    assert np.isnan(found[0, 1, 0])
    assert found[0, 2, 0] == 9


def test_a_wrong_result_at_a_token_that_counts_is_no_match():
    mask = np.array([[0, 0, 1, 1]])
    x = np.linspace(1, 2, 4).reshape(1, 4, 1)

    def run(inputs: Outputs) -> Outputs:
        return {"y": inputs["x"] * np.where(inputs["attention_mask"][:, :1, None], 1.0, factor)}

    factor = 1.0
    recorded = {"x": x, "attention_mask": np.ones_like(mask)}
    padded = {"x": x, "attention_mask": mask}
    reference = Reference(
        recorded, run(recorded), padded=Reference(padded, run(padded)), held_out=()
    )
    assert judge(run, reference, "fp32").verdict is Verdict.MATCH
    factor = -1.0
    assert judge(run, reference, "fp32").cause is Cause.HELD_OUT
