"""Numbers that rounding makes jump: right where the original jumps too, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from torch import nn

from turnkeyml import build_model
from turnkeyml.cache import BuildFolder
from turnkeyml.evaluate import measure_again
from turnkeyml.nouns import Cause, Plan, Verdict, Verification
from turnkeyml.verify import Reference, compare, reach_of

pytestmark = pytest.mark.slow

RANDOM = np.random.default_rng(0)


class Layers(nn.Module):
    """Two layers; subclasses do something with the result."""

    def __init__(self, seed: int = 0, outputs: int = 16):
        super().__init__()
        torch.manual_seed(seed)
        self.one, self.two = nn.Linear(16, 32), nn.Linear(32, outputs)

    def forward(self, x):
        return self.finish(self.two(nn.functional.silu(self.one(x))))


class Rounded(Layers):
    def finish(self, y):
        return torch.round(10 * y)


class Signs(Layers):
    def finish(self, y):
        return torch.sign(y)


class Levels(Layers):
    """A row of a table for each number."""

    def finish(self, y):
        return torch.arange(50.0)[(y.sigmoid() * 49).long()]


class Ordered(Layers):
    """Rows in the order of their sums."""

    def finish(self, y):
        return y[y.sum(-1).argsort(descending=True)]


class Best(Layers):
    def __init__(self):
        super().__init__(outputs=50)

    def finish(self, y):
        return y.argmax(-1)


def build(cache: Path, model: nn.Module, inputs: torch.Tensor, sequence: str) -> Verification:
    state = build_model(
        model,
        (inputs,),
        build_name="b",
        cache_dir=str(cache),
        monitor=False,
        sequence=sequence,
    )
    assert state.verification is not None
    return state.verification


def drawn(seed: int, rows: int) -> torch.Tensor:
    return torch.randn(rows, 16, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("model", "seed", "rows"), [(Signs, 2, 20), (Levels, 0, 16), (Levels, 2, 16), (Ordered, 1, 16)]
)
def test_decisions_that_rounding_turns_on_other_inputs_are_no_mismatch(tmp_path, model, seed, rows):
    found = build(tmp_path, model(seed + 100), drawn(seed, rows), "optimize-fp16")
    assert found.verdict is Verdict.MATCH, found.reason


def change(cache: Path, what) -> Verdict:
    """The verdict on a build whose files have other constants."""
    folder = BuildFolder(cache, "b")
    for path in folder.onnx.glob("*.onnx"):
        model = onnx.load(str(path), load_external_data=False)
        for tensor in model.graph.initializer:
            array = what(numpy_helper.to_array(tensor))
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        onnx.save(model, str(path))
    (measured,) = measure_again(folder, Plan(str(cache), "x86", ("ort",), iterations=2), "none")
    return measured.verdict


def instead(old: float, new: float):
    """What replaces one constant by another."""
    return lambda array: (
        np.full_like(array, new) if array.size == 1 and array.reshape(()) == old else array
    )


def test_a_wrong_scale_before_rounding_is_seen_in_fp16(tmp_path):
    assert build(tmp_path, Rounded(), drawn(0, 50), "optimize-fp16").verdict is Verdict.MATCH
    assert change(tmp_path, instead(10, 10.1)) in (Verdict.CLOSE, Verdict.MISMATCH)


def test_picks_that_differ_on_other_inputs_alone_are_seen(tmp_path):
    """Nothing is turned on the recorded inputs, and less than a percent on others."""
    assert build(tmp_path, Best(), drawn(1, 200), "optimize-fp32").verdict is Verdict.MATCH
    assert change(tmp_path, lambda a: a * 1.02 if a.shape == (50,) else a) is Verdict.MISMATCH


@pytest.mark.parametrize("sequence", ["optimize-fp32", "optimize-fp16"])
def test_a_wrong_bound_is_seen_where_only_larger_inputs_reach_it(tmp_path, sequence):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), Bound(), nn.Linear(64, 16))
    assert build(tmp_path, model, drawn(0, 4), sequence).verdict is Verdict.MATCH
    assert change(tmp_path, instead(6, 5.5)) is Verdict.MISMATCH


class Chosen(Layers):
    def __init__(self):
        super().__init__(outputs=500)

    def finish(self, y):
        return y > 0.1


def test_a_wrong_bias_of_one_class_of_many_is_seen_in_fp16(tmp_path):
    """It turns a few of 10,000 booleans, all of one class."""

    def biased(array):
        changed = array.copy()
        if array.shape == (500,):
            changed[7] += 0.1
        return changed

    assert build(tmp_path, Chosen(), drawn(3, 20), "optimize-fp16").verdict is Verdict.MATCH
    assert change(tmp_path, biased) in (Verdict.CLOSE, Verdict.MISMATCH)


class Bound(nn.Module):
    def forward(self, x):
        return (2 * x).clamp(0, 6)


def reference(exact: np.ndarray, rounded: np.ndarray, *runs: np.ndarray) -> Reference:
    """An original that gives these in fp32, in fp16, and with larger roundings."""
    reach = reach_of([{"y": array} for array in (rounded, *runs)])
    return Reference(
        {}, {"y": exact}, compute=lambda precision: {"y": rounded}, reach=lambda precision: reach
    )


def jumping(array: np.ndarray, *places: int) -> np.ndarray:
    changed = array.copy()
    changed[list(places)] += 1
    return changed


EXACT = RANDOM.integers(-20, 20, 1000).astype(np.float32)


@pytest.mark.parametrize(
    ("places", "verdict"), [((5,), Verdict.MATCH), ((5, 7), Verdict.MATCH), ((6,), Verdict.CLOSE)]
)
def test_a_number_may_jump_where_the_original_does(places, verdict):
    known = reference(EXACT, jumping(EXACT, 5), jumping(EXACT, 7))
    assert compare({"y": jumping(EXACT, *places)}, known, "fp16").verdict is verdict


def test_a_number_may_jump_no_further_than_the_original():
    known = reference(EXACT, EXACT, jumping(EXACT, 5))
    far = EXACT.copy()
    far[5] += 10
    assert compare({"y": far}, known, "fp16").verdict is Verdict.CLOSE


@pytest.mark.parametrize(("place", "verdict"), [(5, Verdict.MATCH), (6, Verdict.CLOSE)])
def test_an_integer_may_turn_where_that_of_the_original_does(place, verdict):
    exact = RANDOM.integers(0, 50, 1000)
    known = reference(exact, exact, jumping(exact, 5))
    assert compare({"y": jumping(exact, place)}, known, "fp16").verdict is verdict


def test_a_number_may_be_lost_where_the_original_may_lose_it():
    exact = RANDOM.standard_normal(100).astype(np.float32)
    lost = exact.copy()
    lost[3] = np.nan
    assert compare({"y": lost}, reference(exact, exact, lost), "fp16").verdict is Verdict.MATCH
    assert compare({"y": lost}, reference(exact, exact), "fp16").cause is Cause.NOT_FINITE


def test_what_is_always_lost_does_not_count_as_what_may_be_lost():
    exact = RANDOM.standard_normal(100).astype(np.float32)
    exact[50:] = np.nan
    lost = exact.copy()
    lost[3] = np.nan
    assert compare({"y": lost}, reference(exact, exact, lost), "fp16").verdict is Verdict.MATCH
    found = exact.copy()
    found[60] = 1.0
    assert compare({"y": found}, reference(exact, exact, lost), "fp16").verdict is Verdict.MISMATCH


def test_where_nothing_jumps_the_reach_changes_nothing():
    exact = RANDOM.standard_normal(1000).astype(np.float32)
    runs = [exact * (1 + 2e-3 * RANDOM.uniform(-1, 1, 1000)) for _ in range(4)]
    known = reference(exact, exact.astype(np.float16).astype(np.float32), *runs)
    assert compare({"y": exact * 1.003}, known, "fp16").verdict is Verdict.CLOSE
