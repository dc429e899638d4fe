"""Builds of random models are compared with several runs of the original."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from turnkeyml import build_model
from turnkeyml.cache import BuildFolder, read_state
from turnkeyml.evaluate import measure_again
from turnkeyml.nouns import Cause, Evaluation, Plan, Verdict
from turnkeyml.verify import Reference, compare_runs


class Dropping(torch.nn.Module):
    """Dropout that is left on."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = torch.nn.Linear(8, 64), torch.nn.Linear(64, 16)

    def forward(self, x):
        x = torch.nn.functional.dropout(self.layer(x).relu(), 0.2, training=True)
        return self.head(x)


class Sampling(torch.nn.Module):
    """A result with noise beside one without."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 16)

    def forward(self, x):
        mean, spread = self.layer(x).chunk(2, -1)
        return mean + 0.1 * torch.randn_like(mean) * spread.exp(), mean


class Jumping(torch.nn.Module):
    """One random number for the whole output."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 16)

    def forward(self, x):
        return self.layer(x) + 0.1 * torch.randn(1)


class Choosing(torch.nn.Module):
    """Draws tokens."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 16)

    def forward(self, x):
        return torch.multinomial((8 * self.layer(x)).softmax(-1), 1)


RANDOM_MODELS = [Dropping, Sampling, Jumping, Choosing]


def built(cache: Path, model: type[torch.nn.Module]) -> BuildFolder:
    torch.manual_seed(0)
    build_model(model(), (torch.randn(32, 8),), build_name="b", cache_dir=str(cache), monitor=False)
    return BuildFolder(cache, "b")


def remeasured(folder: BuildFolder) -> Evaluation:
    plan = Plan(str(folder.cache_dir), "x86", ("ort",), iterations=2)
    (evaluation,) = measure_again(folder, plan, "none")
    assert evaluation.ok, evaluation.reason
    return evaluation


def change_weights(folder: BuildFolder, change) -> None:
    state = read_state(folder)
    assert state is not None
    path = folder.path / state.artifacts["onnx"]
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        if array.dtype == np.float32 and array.size > 1:
            tensor.CopyFrom(onnx.numpy_helper.from_array(change(array), tensor.name))
    onnx.save(model, path)


@pytest.mark.parametrize("model", RANDOM_MODELS)
def test_a_random_model_is_called_so_wherever_it_is_measured(tmp_path, model):
    folder = built(tmp_path, model)
    state = read_state(folder)
    assert state is not None
    found = state.verification
    assert (found.verdict, found.cause) == (Verdict.NONDETERMINISTIC, Cause.ORIGINAL_RANDOM)
    assert "cannot be told apart from another run of the original" in found.reason
    assert state.reference.repeats == 7
    for _ in range(3):
        assert remeasured(folder).verdict is Verdict.NONDETERMINISTIC


@pytest.mark.parametrize("model", RANDOM_MODELS)
def test_negated_weights_of_a_random_model_are_caught(tmp_path, model):
    folder = built(tmp_path, model)
    change_weights(folder, np.negative)
    assert remeasured(folder).verdict is Verdict.MISMATCH


@pytest.mark.parametrize("change", [lambda a: a * np.float32(1.5), lambda a: np.roll(a, 1)])
def test_other_weights_are_caught_behind_little_noise(tmp_path, change):
    folder = built(tmp_path, Dropping)
    change_weights(folder, change)
    assert remeasured(folder).verdict is Verdict.MISMATCH


def runs(count: int, noise: float, seed: int, mean: float = 1.0) -> list[dict[str, np.ndarray]]:
    random = np.random.default_rng(seed)
    signal = mean * np.random.default_rng(99).standard_normal(500)
    return [{"y": signal + noise * random.standard_normal(500)} for _ in range(count)]


def judged(builds, originals) -> Verdict:
    first, *repeats = originals
    reference = Reference({}, first, deterministic=False, repeats=tuple(repeats))
    return compare_runs(builds, reference, "fp32").verdict


def test_runs_of_the_original_itself_are_not_told_apart():
    verdicts = [
        judged(runs(count, noise, 100 + seed), runs(8, noise, seed))
        for seed in range(50)
        for noise in (0.01, 1.0)
        for count in (1, 4)
    ]
    assert set(verdicts) == {Verdict.NONDETERMINISTIC}


def test_a_build_that_does_not_vary_may_be_the_mean():
    assert judged(runs(1, 0.0, 0), runs(8, 0.3, 0)) is Verdict.NONDETERMINISTIC


def test_what_is_further_off_than_chance_explains_is_a_mismatch():
    assert judged(runs(4, 0.5, 1, mean=-1.0), runs(8, 0.5, 0)) is Verdict.MISMATCH
    assert judged(runs(4, 1.0, 1, mean=-1.0), runs(8, 1.0, 0)) is Verdict.MISMATCH
    assert judged(runs(1, 0.0, 1, mean=0.9), runs(8, 0.01, 0)) is Verdict.MISMATCH
    assert judged(runs(4, 5.0, 1), runs(8, 0.5, 0)) is Verdict.MISMATCH


def test_other_shapes_are_a_mismatch():
    other = [{"y": np.zeros(501)}]
    assert judged(other, runs(8, 0.1, 0)) is Verdict.MISMATCH


def test_too_few_runs_prove_nothing():
    assert judged(runs(1, 0.1, 1), runs(1, 0.1, 0)) is Verdict.NOT_CHECKED
