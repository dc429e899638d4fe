"""Exports of models that amplify rounding are verified with weights that do not."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

from turnkeyml import build_model, load_state
from turnkeyml.build import difference
from turnkeyml.cache import BuildFolder
from turnkeyml.evaluate import measure_again
from turnkeyml.frameworks import rescaled_copy
from turnkeyml.frameworks.torch.export import _EXPORTERS
from turnkeyml.frameworks.torch.rescaled import _says_as_much
from turnkeyml.nouns import Plan, Verdict

pytestmark = pytest.mark.slow


class Block(torch.nn.Module):
    """A normalisation whose statistics decide how much of a difference is left.

    An exporter folds it into the convolution if it follows it directly.
    """

    def __init__(self, size, folds):
        super().__init__()
        self.convolution = torch.nn.Conv1d(size, size, 1, bias=folds)
        self.norm = torch.nn.BatchNorm1d(size)
        self.factor = 1 if folds else 50
        with torch.no_grad():
            self.convolution.weight *= 50 / self.factor
            self.norm.weight.uniform_(0.5, 1.5)
            self.norm.bias.uniform_(-0.5, 0.5)

    def forward(self, x):
        made = self.convolution(x)
        return torch.sin(self.norm(made if self.factor == 1 else self.factor * made))


class Amplifying(torch.nn.Module):
    """Chaotic with the statistics that it is created with, and not with those of its inputs."""

    def __init__(self, size=16, blocks=8):
        super().__init__()
        self.blocks = torch.nn.Sequential(*(Block(size, n % 2 == 0) for n in range(blocks)))

    def forward(self, x):
        return self.blocks(x)


def exported(model, x, path):
    model.eval()
    torch.onnx.export(
        model, (x,), str(path), input_names=["x"], output_names=["output"], dynamo=False
    )
    return path


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """The files of a model and of its stable copy, and what was done to the weights."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("twins")
    model, x = Amplifying().eval(), torch.rand(4, 16, 32)
    stable = rescaled_copy(model, (x,), {})
    file = exported(model, x, folder / "file.onnx")
    twin = exported(stable.model, x, folder / "twin.onnx")
    return file, twin, stable


def weights_of(path):
    return [w.name for w in onnx.load(str(path)).graph.initializer]


def change(path, target, name, how):
    model = onnx.load(str(path))
    (weight,) = [w for w in model.graph.initializer if w.name == name]
    weight.CopyFrom(numpy_helper.from_array(how(numpy_helper.to_array(weight)), weight.name))
    onnx.save(model, str(target))
    return target


def test_the_statistics_of_a_stable_copy_are_those_of_the_inputs(twins):
    *_, stable = twins
    x = torch.rand(64, 16, 32)
    for block in stable.model.blocks[:3]:
        x = block(x)
        assert 0.3 < x.std() < 1


def test_a_file_and_its_twin_are_the_same_up_to_what_was_rescaled(twins):
    file, twin, stable = twins
    assert difference(file, twin, stable.rescalings) is None
    assert "does not follow" in difference(file, twin, ())


def negate_one(array):
    found = array.copy()
    found.flat[3] *= -1
    return found


@pytest.mark.parametrize(
    "how",
    [np.negative, lambda a: (1.01 * a).astype(a.dtype), lambda a: a[::-1].copy(), negate_one],
)
def test_a_weight_that_was_changed_in_one_of_them_is_named(twins, tmp_path, how):
    file, twin, stable = twins
    names = weights_of(file)
    assert len(names) >= 20
    for name in names:
        values = numpy_helper.to_array(
            next(w for w in onnx.load(str(file)).graph.initializer if w.name == name)
        )
        if not np.array_equal(how(values), values):  # means of zero stay as they are
            wrong = change(file, tmp_path / "wrong.onnx", name, how)
            found = difference(wrong, twin, stable.rescalings)
            assert found is not None, name
            assert "does not follow from the original's" in found


def test_another_graph_is_named(twins, tmp_path):
    file, twin, stable = twins
    model = onnx.load(str(file))
    node = next(node for node in model.graph.node if node.op_type == "Sin")
    node.op_type = "Cos"
    onnx.save(model, str(tmp_path / "other.onnx"))
    found = difference(tmp_path / "other.onnx", twin, stable.rescalings)
    assert "its graph is another one" in found


def test_a_model_without_statistics_has_no_stable_copy():
    assert rescaled_copy(torch.nn.Linear(4, 4), (torch.rand(2, 4),), {}) is None


# ---- builds


class Hidden(torch.nn.Module):
    """Its statistics let a product outside of its submodules amplify rounding."""

    def __init__(self, size=256):
        super().__init__()
        self.linear = torch.nn.Linear(size, size)
        self.norm = torch.nn.BatchNorm1d(size)
        self.mixing = torch.nn.Parameter(torch.randn(size, size) / size**0.5)

    def forward(self, x):
        return torch.sin(self.norm(1e7 * self.linear(x)) @ self.mixing)


def built(folder, sequence="optimize-fp32"):
    torch.manual_seed(0)
    state = build_model(
        Hidden().eval(),
        {"x": torch.rand(8, 256)},
        cache_dir=str(folder),
        build_name="hidden",
        sequence=sequence,
        monitor=False,
    )
    return state.verification


def sabotaged(monkeypatch, calls):
    """Have an exporter negate one weight in some of its exports, by their numbers."""
    count = itertools.count()
    export = _EXPORTERS["torchscript"]

    def wrong(wrapper, path, *rest, **settings):
        export(wrapper, path, *rest, **settings)
        if next(count) in calls:
            names = [w.name for w in onnx.load(str(path)).graph.initializer if len(w.dims) == 2]
            change(path, path, names[0], np.negative)

    monkeypatch.setitem(_EXPORTERS, "torchscript", wrong)
    monkeypatch.delitem(_EXPORTERS, "dynamo")  # which is tried next, and is as wrong as that one


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    folder = tmp_path_factory.mktemp("right")
    return folder, built(folder, "optimize-fp16")


def test_what_cannot_be_told_is_verified_with_stable_weights(right, tmp_path):
    for found in (right[1], built(tmp_path)):
        assert (found.verdict, found.stable_weights) == (Verdict.IN_PARTS, True)
        assert found.cosine >= 0.99


def test_weights_at_which_a_model_says_nothing_prove_nothing():
    some, none = {"boxes": np.array([[1.0, 2.0]])}, {"boxes": np.zeros((0, 2))}
    same = {"boxes": np.array([[3.0, 3.0]])}
    assert _says_as_much(some, some)
    assert _says_as_much(none, none)
    assert not _says_as_much(none, some)
    assert not _says_as_much(same, some)


def test_a_negated_weight_in_the_file_itself_is_seen(tmp_path, monkeypatch):
    sabotaged(monkeypatch, {0})  # the export that would be measured
    found = built(tmp_path)
    assert not found.trusted
    assert not found.stable_weights
    assert "beyond 1e-05" in found.reason


def test_an_exporter_that_negates_a_weight_is_seen(tmp_path, monkeypatch):
    sabotaged(monkeypatch, {0, 1})
    found = built(tmp_path)
    assert found.verdict is Verdict.MISMATCH
    assert "with stable weights" in found.reason


def test_a_file_that_was_changed_after_its_build_is_seen(right):
    folder, _ = right
    build = BuildFolder(folder, "hidden")
    path = build.path / load_state("hidden", folder).artifacts["onnx"]
    names = [w.name for w in onnx.load(str(path)).graph.initializer if list(w.dims) == [256, 256]]
    change(path, path, names[0], np.negative)
    plan = Plan(str(folder), "x86", ("ort",), iterations=2)
    (evaluation,) = measure_again(build, plan, "none")
    assert not evaluation.verification.trusted
