"""Weights that are stored once for all stages, and bfloat16 models that are widened to fp32."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from turnkeyml import benchmark_model, build_model
from turnkeyml.build import onnx_graph, widen_bfloat16
from turnkeyml.cache import narrow, widen
from turnkeyml.frameworks.torch import export
from turnkeyml.runtimes import run_once

ROOT = Path(__file__).parent.parent


class Tied(torch.nn.Module):
    """The last layer shares the table of tokens, as in most language models."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(4096, 64)
        self.fc = torch.nn.Linear(64, 64)

    def forward(self, tokens):
        return self.fc(self.table(tokens)) @ self.table.weight.T


@pytest.fixture
def small_limits(monkeypatch):
    """The way of models above 2 GB, walked by a small one."""
    monkeypatch.setattr(onnx_graph, "ONE_FILE_BYTES", 100_000)


@pytest.mark.parametrize(
    "exporter", [pytest.param("torchscript", marks=pytest.mark.slow), "dynamo"]
)
def test_weights_are_stored_once_per_precision(cache, small_limits, monkeypatch, exporter):
    monkeypatch.setattr(export, "LARGE_BYTES", 0 if exporter == "dynamo" else 1 << 30)
    torch.manual_seed(0)
    model = Tied().eval()
    state = build_model(
        model,
        (torch.randint(0, 4096, (1, 8)),),
        build_name="b",
        sequence="optimize-fp16",
        cache_dir=str(cache),
        monitor=False,
    )
    assert state.facts["exporter"] == exporter
    assert state.verification.verdict == "match"
    folder = cache / "b"
    base, half = state.artifact_files["onnx_fp32"][1:], state.artifact_files["onnx"][1:]
    assert [name.endswith("-base.onnx.data") for name in base] == [True]
    assert [name.endswith("-opt-f16.onnx.data") for name in half] == [True]
    assert len([*folder.glob("onnx/*.data")]) == 2
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    # TorchScript itself writes the table a second time, transposed.
    copies = 1 if exporter == "dynamo" else 2
    stored = sum(p.stat().st_size for p in (folder / "onnx").iterdir())
    assert stored < 1.55 * copies * weights
    graph = onnx.load(folder / state.artifacts["onnx_fp32"], load_external_data=False).graph
    assert [value.name for value in graph.input] == ["tokens"]
    sizes = [int(np.prod(weight.dims)) for weight in graph.initializer]
    assert sizes.count(4096 * 64) == copies
    assert not [*folder.glob("onnx/*-held.onnx")]


def bfloat16_model(folder, *, external: bool):
    """A model with bfloat16 weights, a constant, a cast, and a branch that has weights."""
    random = np.random.default_rng(0)

    def weight(name, *shape):
        bits = narrow(random.standard_normal(shape).astype(np.float32))
        return helper.make_tensor(name, TensorProto.BFLOAT16, shape, bits.tobytes(), raw=True)

    def branch(name):
        node = helper.make_node("MatMul", ["h", name], [f"{name}_out"])
        value = helper.make_tensor_value_info(f"{name}_out", TensorProto.BFLOAT16, [2, 8])
        return helper.make_graph([node], name, [], [value], [weight(name, 64, 8)])

    bits = [int(b) for b in narrow(np.array([0.5, 3.0], np.float32))]
    constant = TensorProto(data_type=TensorProto.BFLOAT16, dims=[2, 1], int32_data=bits)
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["c"], to=TensorProto.BFLOAT16),
            helper.make_node("MatMul", ["c", "w"], ["m"]),
            helper.make_node("Constant", [], ["k"], value=constant),
            helper.make_node("Mul", ["m", "k"], ["h"]),
            helper.make_node("If", ["b"], ["y"], then_branch=branch("p"), else_branch=branch("q")),
        ],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 32]),
            helper.make_tensor_value_info("b", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.BFLOAT16, [2, 8])],
        [weight("w", 32, 64)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    path = folder / "m.onnx"
    weights = {t.name: t.raw_data for t in [model.graph.initializer[0]]}
    for attribute in model.graph.node[-1].attribute:
        weights[attribute.g.name] = attribute.g.initializer[0].raw_data
    settings = {"save_as_external_data": True, "location": "m.data", "size_threshold": 0}
    onnx.save(model, path, **(settings if external else {}))
    return path, {n: widen(np.frombuffer(raw, np.uint16)) for n, raw in weights.items()}


@pytest.mark.parametrize("external", [True, False])
def test_every_bfloat16_becomes_the_same_number_in_float32(tmp_path, external):
    path, weights = bfloat16_model(tmp_path, external=external)
    assert widen_bfloat16(path)
    assert not (tmp_path / "m.data").exists()
    onnx.checker.check_model(str(path))
    x = np.random.default_rng(1).standard_normal((2, 32)).astype(np.float32)
    hidden = x @ weights["w"].reshape(32, 64) * np.array([[0.5], [3.0]], np.float32)
    for decision, name in ((True, "p"), (False, "q")):
        outputs = run_once(str(path), {"x": x, "b": np.array(decision)}, 1)
        expected = hidden @ weights[name].reshape(64, 8)
        assert outputs["y"].dtype == np.float32
        assert np.allclose(outputs["y"], expected, rtol=1e-4, atol=1e-4)


def test_a_model_without_bfloat16_is_not_touched(tmp_path):
    node = helper.make_node("Relu", ["x"], ["y"])
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(helper.make_graph([node], "g", values[:1], values[1:])), path)
    before = path.read_bytes()
    assert not widen_bfloat16(path)
    assert path.read_bytes() == before


def brain_model() -> torch.nn.Module:
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.GELU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(64, 16)).to(torch.bfloat16).eval()


def test_a_bfloat16_model_is_measured_in_fp32_and_says_so(cache, capsys):
    x = torch.rand(4, 64, dtype=torch.bfloat16)
    found = benchmark_model(brain_model(), (x,), build_name="b", iterations=5, cache_dir=str(cache))
    assert found.precision == "fp32"
    assert found.verification.verdict == "match"
    assert found.verification.held_out > 0
    told = capsys.readouterr().err
    assert "The model is in bf16, which ONNX Runtime does not run on" in told
    from turnkeyml import load_state

    state = load_state("b", cache)
    assert state.facts["widened_from"] == "bf16"
    assert state.facts["judged_in"] == "bf16"
    (name,) = np.load(cache / "b" / "inputs_original.npz")
    assert name.endswith("::bfloat16")


def test_fp16_of_a_bfloat16_model_is_judged_as_bfloat16(cache):
    x = torch.rand(4, 64, dtype=torch.bfloat16)
    settings = {"build_name": "b", "cache_dir": str(cache), "monitor": False}
    state = build_model(brain_model(), (x,), sequence="optimize-fp16", **settings)
    assert state.verification.verdict == "match"
    assert (state.facts["precision"], state.facts["judged_in"]) == ("fp16", "bf16")
    assert "onnx_fp32" in state.artifacts


def test_a_wrong_widening_is_a_mismatch(cache, monkeypatch):
    def wrong(path):
        widen_bfloat16(path)
        model = onnx.load(path)
        weight = max(model.graph.initializer, key=lambda w: int(np.prod(w.dims)))
        array = numpy_helper.to_array(weight).copy()
        array[:8] = 0
        weight.CopyFrom(numpy_helper.from_array(array, weight.name))
        onnx.save(model, path)
        return True

    monkeypatch.setattr(export, "widen_bfloat16", wrong)
    x = torch.rand(4, 64, dtype=torch.bfloat16)
    state = build_model(brain_model(), (x,), build_name="b", cache_dir=str(cache), monitor=False)
    assert not state.verification.trusted


def test_a_large_bfloat16_original_runs_in_fp32_without_a_copy(monkeypatch):
    from turnkeyml.frameworks.torch import reference

    monkeypatch.setattr(reference, "PRECISE_LIMIT_BYTES", 100)
    monkeypatch.setattr(reference, "LARGE_BYTES", 100)
    monkeypatch.setattr(reference.copy, "deepcopy", lambda _: pytest.fail("it was copied"))
    model, x = brain_model(), torch.rand(4, 64, dtype=torch.bfloat16)
    before = dict(model.named_parameters())
    found = reference.reference_of(model, (x,), {}, ["x"]).in_precision("fp32")
    monkeypatch.undo()
    after = dict(model.named_parameters())
    assert all(after[name] is tensor for name, tensor in before.items())
    expected = brain_model().float()(x.float()).detach().numpy()
    (output,) = found.values()
    assert output.dtype == np.float32
    assert np.array_equal(output, expected)


@pytest.mark.parametrize("copies", [0, 1])
def test_a_large_original_is_copied_only_if_its_modules_share_weights(monkeypatch, copies):
    from turnkeyml.frameworks.torch import reference

    torch.manual_seed(0)
    model = (Tied() if copies else torch.nn.Sequential(torch.nn.Linear(8, 8))).eval()
    x = torch.randint(0, 4096, (1, 8)) if copies else torch.rand(2, 8)
    (exact,) = reference.reference_of(model, (x,), {}, ["x"]).in_precision("fp64").values()
    made = []
    deepcopy = reference.copy.deepcopy
    monkeypatch.setattr(reference, "LARGE_BYTES", 0)
    monkeypatch.setattr(reference.copy, "deepcopy", lambda m: made.append(m) or deepcopy(m))
    (found,) = reference.reference_of(model, (x,), {}, ["x"]).in_precision("fp64").values()
    assert len(made) == copies
    assert np.array_equal(found, exact)
    assert all(p.dtype == torch.float32 for p in model.parameters())


@pytest.mark.slow
def test_a_build_needs_little_more_memory_than_its_weights():
    command = [sys.executable, "benchmarks/overhead.py", "memory"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.startswith("ok "), done.stdout
