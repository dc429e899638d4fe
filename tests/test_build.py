"""Builds: sequences, exporters, opsets, artifacts, failures, reuse."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import yaml

from turnkeyml import build_model, load_state
from turnkeyml.build import SEQUENCES
from turnkeyml.errors import TurnkeyError


class SmallModel(torch.nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.fc = torch.nn.Linear(size, 3)

    def forward(self, x):
        return self.fc(x)


def build(cache, model=None, inputs=None, **options):
    torch.manual_seed(0)
    options = {"build_name": "b", "monitor": False, "sequence": "optimize-fp16", **options}
    return build_model(
        model or SmallModel(),
        inputs if inputs is not None else {"x": torch.rand(2, 4)},
        cache_dir=str(cache),
        **options,
    )


def artifact(cache, state):
    return cache / state.build_name / state.artifacts["onnx"]


@pytest.mark.parametrize(
    ("sequence", "stages", "dtype"),
    [
        (None, ["export_pytorch", "optimize_onnx", "set_success"], "float32"),
        (
            "optimize-fp16",
            ["export_pytorch", "optimize_onnx", "fp16_conversion", "set_success"],
            "float16",
        ),
        ("optimize-fp32", ["export_pytorch", "optimize_onnx", "set_success"], "float32"),
        ("onnx-fp32", ["export_pytorch", "set_success"], "float32"),
    ],
)
def test_each_sequence_does_what_its_name_says(cache, sequence, stages, dtype):
    state = build(cache, sequence=sequence)
    assert state.build_status == "successful_build"
    assert state.sequence == stages
    assert [s.name for s in state.stages] == stages
    assert all(s.seconds >= 0 and s.peak_memory_bytes > 0 for s in state.stages)
    assert state.verification.verdict == "match"
    model = onnx.load(artifact(cache, state))
    onnx.checker.check_model(model, full_check=True)
    elements = {i.type.tensor_type.elem_type for i in model.graph.input}
    assert elements == {onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))}
    for stage in stages:
        assert (cache / "b" / f"log_{stage}.txt").exists()


def test_saved_models_hold_standard_operators_only(cache):
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.GELU(), torch.nn.Flatten()
    )
    state = build(cache, model, (torch.rand(1, 3, 8, 8),), sequence="optimize-fp32")
    for path in (cache / "b" / "onnx").glob("*.onnx"):
        assert {node.domain for node in onnx.load(path).graph.node} <= {"", "ai.onnx"}
    assert len(onnx.load(artifact(cache, state)).graph.node) > 0


def test_the_chosen_opset_is_the_one_written(cache):
    state = build(cache, onnx_opset=16)
    versions = {o.domain: o.version for o in onnx.load(artifact(cache, state)).opset_import}
    assert versions[""] == 16
    assert state.facts["onnx_opset"] == 16


def test_an_opset_no_exporter_writes_is_refused_by_name(cache):
    with pytest.raises(TurnkeyError, match=r"export_pytorch.*opset"):
        build(cache, onnx_opset=5)


def test_the_opset_of_the_environment_counts_unless_one_is_given(cache, monkeypatch):
    monkeypatch.setenv("TURNKEY_ONNX_OPSET", "16")
    assert build(cache).facts["onnx_opset"] == 16
    assert build(cache, onnx_opset=17).facts["onnx_opset"] == 17


class Step(torch.nn.Module):
    """torch.heaviside is beyond the TorchScript exporter."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(torch.heaviside(x - 0.5, x))


def test_the_other_exporter_is_used_where_the_first_fails(cache):
    state = build(cache, Step())
    assert state.facts["exporter"] == "dynamo"
    assert "torchscript failed" in state.facts["exporter_reason"]
    assert state.verification.verdict == "match"


def test_the_faster_exporter_is_used_where_it_verifies(cache):
    facts = build(cache).facts
    assert facts["exporter"] == "torchscript"
    assert "match" in facts["exporter_reason"]


class Unexportable(SmallModel):
    def forward(self, x):
        fake = isinstance(x, torch._subclasses.FakeTensor)
        if torch.jit.is_tracing() or torch.compiler.is_compiling() or fake:
            raise RuntimeError("not to be exported")
        return self.fc(x)


def test_a_failure_names_the_stage_what_ran_before_it_and_the_log(cache):
    with pytest.raises(TurnkeyError) as caught:
        build(cache, Unexportable())
    message = str(caught.value)
    assert message.startswith("export_pytorch (the first stage) failed: torchscript: failed")
    assert "dynamo: failed" in message
    assert "\n" not in message
    assert "not to be exported" in (cache / "b" / "log_export_pytorch.txt").read_text()
    state = load_state("b", cache)
    assert state.build_status == "failed_build"
    assert state.failure["stage"] == "export_pytorch"


class Everything(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)
        self.table = torch.nn.Embedding(10, 4)

    def forward(self, x, *, ids, nested, flag, word, nothing=None):
        hidden = self.fc(x + self.table(ids).mean(0) + nested["a"][0])
        return {"hidden": hidden, "pair": (hidden * 2, None), "count": ids + 1, "word": word}


def test_any_structure_of_inputs_and_outputs_is_built(cache):
    inputs = {
        "x": torch.rand(4),
        "ids": torch.tensor([1, 9]),
        "nested": {"a": [torch.rand(4)], "b": None},
        "flag": True,
        "word": "hello",
    }
    state = build(cache, Everything(), inputs)
    assert state.verification.verdict == "match", state.verification
    session = onnxruntime.InferenceSession(artifact(cache, state))
    assert [i.name for i in session.get_inputs()] == ["x", "ids", "nested_a_0"]
    recorded = np.load(cache / "b" / "inputs_original.npz")
    assert np.array_equal(recorded["ids"], [1, 9])


class Adder(torch.nn.Module):
    """Writes to its input."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, x):
        x += 1
        return self.fc(x)


def test_a_model_that_writes_to_its_inputs_is_built_from_the_original_ones(cache):
    x = torch.zeros(2, 4)
    state = build(cache, Adder(), (x,))
    assert state.verification.verdict == "match"
    assert x.sum() == 0
    assert np.load(cache / "b" / "inputs_original.npz")["x"].sum() == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_models_of_another_precision_are_built(cache, dtype):
    state = build(cache, SmallModel().to(dtype), {"x": torch.rand(2, 4, dtype=dtype)})
    assert state.verification.verdict == "match", state.verification


class Noise(SmallModel):
    def forward(self, x):
        return self.fc(x) + torch.randn(3)


def test_a_random_model_is_built_and_called_nondeterministic(cache):
    state = build(cache, Noise())
    assert state.build_status == "successful_build"
    assert state.verification.verdict == "nondeterministic"


@pytest.mark.parametrize(
    "wrap",
    [
        torch.jit.trace,
        lambda m, x: torch.jit.script(m),
        lambda m, x: torch.export.export(m, (x,)).module(),
        lambda m, x: torch.fx.symbolic_trace(m),
    ],
    ids=["traced", "scripted", "exported", "fx"],
)
def test_models_that_a_tool_has_made_are_built(cache, wrap):
    torch.manual_seed(0)
    x = torch.rand(2, 4)
    state = build(cache, wrap(SmallModel().eval(), x), (x,))
    assert state.verification.verdict == "match", state.verification


class Fourier(SmallModel):
    def forward(self, x):
        return torch.fft.fft(self.fc(x))


def test_complex_outputs_are_compared(cache):
    state = build(cache, Fourier(), sequence="onnx-fp32")
    assert state.verification.verdict == "match", state.verification


class Overflowing(SmallModel):
    def forward(self, x):
        return self.fc(x) * 1e6


def test_numbers_that_fp16_cannot_hold_stay_in_fp32(cache):
    state = build(cache, Overflowing())
    assert state.verification.verdict == "match"
    assert "nodes" in state.facts["kept_in_fp32"]
    state = build(cache, Overflowing(), sequence="optimize-fp32")
    assert state.verification.verdict == "match"


class Silent(SmallModel):
    def forward(self, x):
        self.fc(x)


class Quits(SmallModel):
    def forward(self, x):
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("model", "sentence"), [(Silent(), "returns no tensor"), (Quits(), "fails when it runs again")]
)
def test_a_model_that_cannot_be_built_is_one_sentence(cache, model, sentence):
    with pytest.raises(TurnkeyError, match=sentence):
        build(cache, model)


class Wordy(SmallModel):
    def forward(self, x):
        print("computing")
        return self.fc(x)


def test_what_a_model_prints_goes_to_the_logs(cache, capfd):
    build(cache, Wordy())
    captured = capfd.readouterr()
    assert "computing" not in captured.out + captured.err
    assert "computing" in (cache / "b" / "log_verification.txt").read_text()


def test_recorded_inputs_and_golden_outputs_lie_beside_the_model(cache):
    torch.manual_seed(0)
    model, x = SmallModel(), torch.rand(2, 4)
    build(cache, model, {"x": x})
    assert np.array_equal(np.load(cache / "b" / "inputs_original.npz")["x"], x.numpy())
    (golden,) = np.load(cache / "b" / "outputs_original.npz").values()
    assert np.allclose(golden, model(x).detach().numpy())


def test_weights_in_external_files_survive_every_stage(cache, monkeypatch):
    """The way of models above 2 GB, walked by a small one."""
    from turnkeyml.build import onnx_graph
    from turnkeyml.frameworks.torch import export

    monkeypatch.setattr(onnx_graph, "ONE_FILE_BYTES", 100)
    monkeypatch.setattr(export, "LARGE_BYTES", 100)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    state = build(cache, model, (torch.rand(2, 64),))
    assert state.facts["exporter"] == "dynamo"
    assert state.verification.verdict == "match", state.verification
    path = artifact(cache, state)
    data = path.with_name(path.name + ".data")
    assert data.stat().st_size >= (64 * 64 + 64 * 8) * 2
    assert path.stat().st_size < 64 * 64 * 2
    onnx.checker.check_model(str(path))
    assert not list((cache / "b").glob(".work-*"))


def test_weights_inside_of_a_branch_survive_the_conversion(tmp_path):
    """External data may belong to a graph inside of a node, too."""
    from onnx import TensorProto, helper, numpy_helper

    from turnkeyml.build import convert_to_float16

    random = np.random.default_rng(0)

    def branch(name):
        weight = numpy_helper.from_array(random.standard_normal((64, 64)).astype("float32"), name)
        node = helper.make_node("MatMul", ["x", name], [f"{name}_out"])
        output = helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, [2, 64])
        return helper.make_graph([node], name, [], [output], [weight])

    graph = helper.make_graph(
        [helper.make_node("If", ["c"], ["y"], then_branch=branch("a"), else_branch=branch("b"))],
        "g",
        [
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 64]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 64])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    source, target = tmp_path / "source.onnx", tmp_path / "target.onnx"
    onnx.save(model, source, save_as_external_data=True, location="d", size_threshold=0)
    convert_to_float16(source, target)
    x = random.standard_normal((2, 64)).astype("float32")
    feed = {"c": np.array(True)}
    (golden,) = onnxruntime.InferenceSession(source).run(None, {**feed, "x": x})
    (half,) = onnxruntime.InferenceSession(target).run(None, {**feed, "x": x.astype("float16")})
    assert np.allclose(golden, half, rtol=1e-2, atol=1e-1)


def test_files_are_plain_yaml(cache):
    state = build(cache)
    for name in ("b_state.yaml",):
        text = (cache / "b" / name).read_text()
        assert "!!" not in text
        data = yaml.safe_load(text)
        assert data["build_status"] == "successful_build"
        assert data["config"]["sequence"] == state.sequence
    assert load_state("b", cache) == state


def test_every_sequence_has_a_test():
    int8 = {"optimize-int8", "optimize-int8-dynamic"}  # in test_int8.py
    assert set(SEQUENCES) == {"optimize-fp16", "optimize-fp32", "onnx-fp32", *int8}


class Antialiasing(torch.nn.Module):
    def forward(self, x):
        resize = torch.nn.functional.interpolate
        return (
            resize(x, size=(7, 30), mode="bicubic", antialias=True),
            resize(x, scale_factor=0.5, mode="bilinear", antialias=True),
        )


class CellOfUnknownSize(torch.nn.Module):
    """How many rows the recurrent cell gets, only its input tells."""

    def __init__(self):
        super().__init__()
        self.cell = torch.nn.GRUCell(8, 8)

    def forward(self, x):
        some = x[x[:, 0] > 0.5]
        return self.cell(some, some).sum(0)


class Sorting(torch.nn.Module):
    def forward(self, x):
        first = torch.sort((x * 3).round(), dim=1, stable=True, descending=True)
        return first.values, first.indices, torch.sort(x[x[:, 0] > 0.2], dim=0).values.sum(0)


class Counting(torch.nn.Module):
    """How many parts of a row there are, as the masks of language models need it."""

    def forward(self, x):
        new = torch.diff(x, prepend=x[:, :1] - 1, dim=-1) > 0.3
        new |= x > 0.9
        steps = (x * 4).round().long()
        extremes = *steps.cummax(-1), *steps.cummin(1)
        known = torch.isin(steps, torch.tensor([1, 3])), torch.isin(steps, steps[0], invert=True)
        own = torch.eye(x.shape[1], dtype=torch.bool), torch.full(x.shape[:1], 3) + steps[:, 0]
        return *own, new.cumsum(-1), torch.diff(x, n=2, dim=0), x.cumsum(0), *extremes, *known


class Sampling(torch.nn.Module):
    """Places computed from the size of the image, as deformable attention has them."""

    def forward(self, x):
        height, width = x.shape[-2:]
        rows = torch.linspace(0.5, height - 0.5, height) / height
        columns = torch.linspace(0.5, width - 0.5, width) / width
        grid = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), -1) * 2 - 1
        return torch.nn.functional.grid_sample(x, grid[None] * x.mean(), align_corners=False)


class Caching(torch.nn.Module):
    """States kept in memory that was there before, as those of Mamba."""

    def forward(self, x):
        cache = torch.zeros(3, *x.shape)
        cache.copy_((x * 3).round().long())
        return cache, torch.zeros_like(x).copy_(x[:, :1])


class Keeping(torch.nn.Module):
    """Results kept from the first call on, with their history, as LeViT's biases."""

    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.rand(9))
        self.kept = {}
        self.shown = []

    def forward(self, x):
        if not self.kept:
            self.kept["bias"] = (self.bias * 2, "twice")
            self.shown.append(self.bias[:1] + 1)
        return x + self.kept["bias"][0] * self.shown[0]


class Norms(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm((3, 9), eps=0.1)
        torch.nn.init.uniform_(self.norm.weight)

    def forward(self, x):
        return self.norm(x), torch.nn.functional.rms_norm(x / 1000, (9,))


class Windows(torch.nn.Module):
    """Overlapping chunks of memory in which heads and places are exchanged, as Longformer's."""

    def forward(self, x):
        heads = x.transpose(1, 2).reshape(3, 8, 4)
        return heads.as_strided((3, 3, 4, 4), (heads.stride(0), 2 * heads.stride(1), 12, 1))


class Pools(torch.nn.Module):
    """Images by themselves, outside a batch, as SuperPoint's scores."""

    def forward(self, x):
        highest = torch.nn.functional.max_pool2d(x, 3, stride=1, padding=1)
        return highest, torch.nn.functional.avg_pool2d(x, 3, 2), (x == highest).float()


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (Caching(), (20, 9)),
        (Pools(), (3, 20, 24)),
        (Pools(), (1, 3, 20, 24)),
        (Norms(), (20, 3, 9)),
        (Windows(), (1, 8, 3, 4)),
        (Sampling(), (1, 3, 20, 24)),
        (Antialiasing(), (1, 3, 20, 24)),
        (CellOfUnknownSize(), (20, 8)),
        (Sorting(), (20, 9)),
        (Counting(), (20, 9)),
    ],
)
def test_operators_that_the_exporter_lacks_are_written_by_us(cache, model, shape):
    torch.manual_seed(0)
    state = build_model(
        model.eval(),
        {"x": torch.rand(shape)},
        build_name="b",
        cache_dir=str(cache),
        sequence="onnx-fp32",
    )
    assert state.facts["exporter"] == "torchscript"
    assert state.verification.verdict == "match"


@pytest.mark.parametrize(("before", "unsound"), [("Identity", ["Pad_Fusion"]), ("ReLU", [])])
def test_zeros_around_an_image_stay_zeros_where_its_maxima_are_taken(cache, before, unsound):
    from turnkeyml.runtimes import unsound_optimizers

    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 1),
        getattr(torch.nn, before)(),
        torch.nn.ConstantPad2d(1, 0.0),
        torch.nn.MaxPool2d(3, stride=2),
    )
    torch.nn.init.constant_(model[0].bias, -5.0)
    state = build(cache, model.eval(), {"input": torch.rand(1, 3, 8, 8)})
    assert state.verification.verdict == "match"
    [base] = cache.glob("b/onnx/*-base.onnx")
    assert unsound_optimizers(str(base)) == unsound


def test_what_a_model_keeps_of_earlier_calls_is_exported_as_a_constant(cache):
    model, x = Keeping().eval(), torch.rand(20, 9)
    model(x)
    assert model.kept["bias"][0].grad_fn is not None
    state = build(cache, model, {"x": x})
    assert state.facts["exporter"] == "torchscript"
    assert state.verification.verdict == "match"


def test_weights_are_halved_as_the_converter_would() -> None:
    from onnxruntime.transformers.float16 import convert_np_to_float16

    from turnkeyml.build import to_float16

    random = np.random.default_rng(0)
    sizes = (1e-9, 1e-8, 1e-7, 1e-3, 1, 1e4, 6e4, 1e6, 1e30)
    edges = [0, -0.0, np.inf, -np.inf, 65504, 65519, 65520, 2.98e-8, 2.99e-8, 5.96e-8, -2e-8]
    numbers = np.concatenate([*(random.normal(0, s, 1000) for s in sizes), edges])
    numbers = numbers.astype(np.float32)

    expected = convert_np_to_float16(numbers)

    assert np.array_equal(to_float16(numbers).view(np.uint16), expected.view(np.uint16))
    assert np.isnan(to_float16(np.array([np.nan], np.float32))).all()


class LongSplit(torch.nn.Module):
    """More than a hundred megabytes, and sizes enough to be taken for weights."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(110, 250_000)

    def forward(self, x):
        parts = torch.split(self.table(x), [100] * 200 + [230_000], dim=1)
        return sum(part.sum() for part in parts)


def test_sizes_are_not_put_into_the_file_of_the_weights(cache):
    state = build(cache, LongSplit(), {"x": torch.arange(2)})
    assert state.verification.verdict == "match"
