"""Keras models are found, identified, exported and measured, on the backend of KERAS_BACKEND.

Without it the backend is torch. `make test-keras` runs the same tests on tensorflow.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

BACKEND = os.environ.setdefault("KERAS_BACKEND", "torch")
keras = pytest.importorskip("keras")

from turnkeyml.errors import UsageError  # noqa: E402
from turnkeyml.frameworks import (  # noqa: E402
    Register,
    first_batch,
    framework_of,
    frameworks,
    import_hook,
)
from turnkeyml.frameworks.keras import export  # noqa: E402
from turnkeyml.frameworks.keras import models as keras_models  # noqa: E402

EXAMPLES = Path(__file__).parent.parent / "examples"

SCRIPT = """
import keras
import numpy as np
from keras import layers

x = np.random.default_rng(0).random((50, 10))

def mlp(units):
    return keras.Sequential([keras.Input((10,)), layers.Dense(units), layers.Dense(2)])

class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(4)

    def call(self, a, b=None, flag=False, training=None):
        y = self.dense(a["p"])
        return {"u": y + b if flag else y, "v": a["q"]}

def batches():
    for i in range(3):
        yield (x[4 * i : 4 * i + 4],)

called = mlp(3)
called(x[:2])
called(x[:2], training=True)
mlp(3)(x[:2])
subclassed = Subclassed()
subclassed({"p": x[:3], "q": x[:3]}, b=np.ones((1, 1)), flag=True)
inputs = [keras.Input((4,)), keras.Input((6,))]
functional = keras.Model(inputs, layers.Dense(2)(layers.Concatenate()(inputs)))
functional.predict([x[:, :4], x[:, 4:]], verbose=0)
generated = mlp(5)
assert len(generated.predict(batches(), verbose=0)) == 12
only_trained, also_trained = mlp(6), mlp(7)
only_trained.compile(loss="mse", optimizer="sgd")
only_trained.fit(x, x[:, :2], batch_size=8, verbose=0)
also_trained.compile(loss="mse", optimizer="sgd")
also_trained.fit(x, x[:, :2], batch_size=8, verbose=0)
also_trained.predict_on_batch(x[:1])
nested = keras.Sequential([keras.Input((10,)), mlp(8), layers.Dense(3)])
nested(x[:3])
layers.Dense(9)(x)
"""

IN_TORCH = """
import torch

class InTorch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.keras, self.linear = mlp(10), torch.nn.Linear(2, 3)

    def forward(self, x):
        return self.linear(self.keras(x))

in_torch = InTorch()
in_torch(torch.rand(2, 10))
in_keras = keras.Sequential([layers.TorchModuleWrapper(torch.nn.Linear(10, 4)), layers.Dense(2)])
in_keras(torch.rand(3, 10))
"""

IN_TENSORFLOW = """
import tensorflow

compiled = mlp(10)
tensorflow.function(lambda v: compiled(v))(tensorflow.ones((2, 10)))
"""

MORE = {"torch": IN_TORCH, "tensorflow": IN_TENSORFLOW}

MODELS = """
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(0)
random = np.random.default_rng(0)
image = keras.Input((16, 16, 3), name="image")
ids = keras.Input((6,), dtype="int32", name="ids")
x = layers.MaxPooling2D()(layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(image)))
x = layers.Dropout(0.5)(layers.GlobalAveragePooling2D()(x))
e = layers.Embedding(20, 8)(ids)
e = layers.LayerNormalization()(e + layers.MultiHeadAttention(2, 4)(e, e))
y = layers.Concatenate()([x, layers.LSTM(3)(layers.Dense(8, activation="gelu")(e))])
both = keras.Model({"image": image, "ids": ids}, {"y": layers.Dense(2)(y), "e": e})
pixels, words = random.random((2, 16, 16, 3)), random.integers(0, 20, (2, 6))
both.predict({"image": pixels, "ids": words}, verbose=0)

half = keras.Sequential([keras.Input((4,)), layers.Dense(8, dtype="mixed_float16")])
half(random.random((2, 4)))
"""


def turnkey(folder: Path, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnkeyml", *map(str, words)],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=folder,
        env={**os.environ, "TURNKEY_CACHE_DIR": str(folder / "cache"), **environment},
        timeout=280,
    )


def mlp(units=3, rate=None):
    layers = keras.layers
    drop = [layers.Dropout(rate)] if rate else []
    return keras.Sequential([keras.Input((10,)), layers.Dense(units), *drop, layers.Dense(2)])


class Scaled(keras.Model):
    """A model of a class of the user's."""

    def __init__(self, scale):
        super().__init__()
        self.scale, self.dense = scale, keras.layers.Dense(4)

    def call(self, x):
        return self.dense(x) * self.scale


@pytest.fixture(scope="module")
def listing(tmp_path_factory):
    """The models that turnkey finds in the script, at a depth of 1."""
    folder = tmp_path_factory.mktemp("keras")
    script = folder / "script.py"
    script.write_text(SCRIPT + MORE.get(BACKEND, ""))
    done = turnkey(folder, script, "--analyze-only", "--max-depth", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def found(listing: str, name: str) -> str:
    """The lines about the model of this name."""
    parts = re.split(r"^ +(?=\w+ \(executed)", listing, flags=re.MULTILINE)
    (part,) = [p for p in parts if p.startswith(f"{name} (executed")]
    return part


def test_models_are_found_however_they_are_made_and_called(listing):
    names = re.findall(r"^ {8}(\w+) \(executed (\d+)x", listing, re.MULTILINE)
    usual = {
        "called": "3",  # twice, and an equal model once
        "subclassed": "1",
        "functional": "1",
        "generated": "1",
        "only_trained": "1",
        "also_trained": "1",
        "nested": "1",
    }
    more = {"torch": ("in_torch", "in_keras"), "tensorflow": ("compiled",)}.get(BACKEND, ())
    assert dict(names) == {**usual, **dict.fromkeys(more, "1")}
    for name in usual:
        assert "Model Type:     Keras (keras.Model)\n" in found(listing, name)


def test_the_batch_is_that_of_the_call(listing):
    assert "'Positional Arg 1': (2, 10)" in found(listing, "called")
    assert "'Positional Arg 1.0': (32, 4), 'Positional Arg 1.1': (32, 6)" in found(
        listing, "functional"
    )
    assert "'Positional Arg 1': (4, 10)" in found(listing, "generated")
    assert "'Positional Arg 1': (8, 10)" in found(listing, "only_trained")
    assert "'Positional Arg 1': (1, 10)" in found(listing, "also_trained")
    assert "'Positional Arg 1.p': (3, 10), 'Positional Arg 1.q': (3, 10), 'b': (1, 1)" in found(
        listing, "subclassed"
    )


def test_the_location_is_that_of_the_call(listing):
    for name, line in (("called", "called(x[:2])"), ("only_trained", "only_trained.fit(")):
        number = int(re.search(r"Location: .*, line (\d+)", found(listing, name))[1])
        assert SCRIPT.splitlines()[number - 1].startswith(line)


def test_a_depth_is_for_pytorch_only(listing):
    for name in ("called", "nested"):
        assert "--max-depth is for PyTorch models only" in found(listing, name)
    assert not re.search(r"^ {24}dense", listing, re.MULTILINE)


@pytest.mark.skipif(BACKEND != "torch", reason="needs the torch backend")
def test_the_outermost_of_two_frameworks_counts(listing):
    assert "Pytorch (torch.nn.Module)" in found(listing, "in_torch")
    assert "Keras (keras.Model)" in found(listing, "in_keras")
    assert re.findall(r"^ {24}(\w+) \(executed", listing, re.MULTILINE) == ["keras", "linear"]


@pytest.mark.skipif(BACKEND != "tensorflow", reason="needs the tensorflow backend")
def test_a_model_of_a_compiled_function_is_listed_with_what_to_do(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.partition("class Sub")[0] + IN_TENSORFLOW)
    done = turnkey(tmp_path, script, "--build-only")
    assert "called only inside a compiled function" in done.stdout
    assert "call the model itself, or its predict()" in done.stdout
    assert f"{script}, line" in done.stdout


def test_equal_models_have_equal_texts_whatever_their_names_and_weights():
    assert keras_models.model_text(mlp()) == keras_models.model_text(mlp())
    assert keras_models.model_fingerprint(mlp()) == keras_models.model_fingerprint(mlp())
    assert keras_models.weights_digest(mlp()) != keras_models.weights_digest(mlp())
    assert keras_models.model_text(mlp()) != keras_models.model_text(mlp(4))
    assert keras_models.model_text(mlp(rate=0.5)) != keras_models.model_text(mlp(rate=0.4))


def test_the_batch_of_the_first_call_is_no_part_of_a_model():
    lazily = [keras.Sequential([keras.layers.Dense(3)]) for _ in range(2)]
    lazily[0](np.ones((2, 5)))
    lazily[1](np.ones((4, 5)))
    assert len({keras_models.model_text(model) for model in lazily}) == 1


def test_the_wiring_is_part_of_a_model():
    def wired(first, second):
        a, b = keras.Input((3,)), keras.Input((3,))
        return keras.Model([a, b], keras.layers.Subtract()([(a, b)[first], (a, b)[second]]))

    assert keras_models.model_text(wired(0, 1)) == keras_models.model_text(wired(0, 1))
    assert keras_models.model_text(wired(0, 1)) != keras_models.model_text(wired(1, 0))


def test_settings_of_a_class_of_the_user_are_part_of_a_fingerprint():
    models = [Scaled(2), Scaled(2), Scaled(3)]
    for model in models:
        model(np.ones((1, 4)))
    first, same, other = map(keras_models.model_fingerprint, models)
    assert first == same != other


def test_the_first_batch_is_what_keras_passes_to_the_model():
    table = np.arange(100.0).reshape(50, 2)
    batch, data = first_batch({"a": table}, None)
    assert data["a"] is table
    assert (batch["a"].shape, str(batch["a"].dtype)) == ((32, 2), "float32")
    assert first_batch(table, 7)[0].shape == (7, 2)
    batch, data = first_batch(((row, 1) for row in table[:3]), None)
    assert batch is not table
    assert [row.tolist() for row, _ in data] == table[:3].tolist()


def test_a_keras_model_belongs_to_keras_alone():
    assert framework_of(mlp()).name == "keras"
    assert framework_of(keras.layers.Dense(3)).name == "keras"
    with pytest.raises(UsageError, match="Dense is a layer of Keras, not a model"):
        framework_of(keras.layers.Dense(3)).subject(keras.layers.Dense(3), (np.ones(3),), {})


@pytest.mark.parametrize(
    ("args", "kwargs"), [((1, 2), {}), ((), {"a": 1, "b": 2}), (([1, 2],), {})]
)
def test_the_api_takes_several_inputs_as_people_write_them(args, kwargs):
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    model = keras.Model([a, b], keras.layers.Add()([keras.layers.Dense(4)(a), b]))
    arrays = {1: np.zeros((2, 4), np.float32), 2: np.ones((2, 4), np.float32)}

    def filled(value):
        return [filled(v) for v in value] if isinstance(value, list) else arrays[value]

    given = {name: filled(value) for name, value in kwargs.items()}
    subject = framework_of(model).subject(model, tuple(map(filled, args)), given)
    reference = subject.reference(1)
    assert [array.shape for array in reference.inputs.values()] == [(2, 4), (2, 4)]
    assert len(reference.held_out) == 4
    (output,) = reference.outputs.values()
    assert output.tolist() == np.ones((2, 4)).tolist()


def test_nothing_is_left_behind_on_keras():
    call, predict = keras.layers.Layer.__call__, keras.Model.predict
    (framework,) = [f for f in frameworks() if f.name == "keras"]
    with framework.watching(Register("script"), 0):
        assert keras.layers.Layer.__call__ is not call
        assert keras.Model.predict is not predict
    assert (keras.layers.Layer.__call__, keras.Model.predict) == (call, predict)
    assert "predict" not in vars(keras.Model)


def test_a_package_is_met_when_it_is_imported(tmp_path, monkeypatch):
    (tmp_path / "met_when_imported.py").write_text("value = 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    met = []
    before = list(sys.meta_path)
    with import_hook.when_imported("met_when_imported", met.append, pytest.fail):
        import met_when_imported
    assert met == [met_when_imported]
    assert met_when_imported.__spec__.loader is met_when_imported.__loader__
    assert type(met_when_imported.__loader__).__name__ == "SourceFileLoader"
    assert sys.meta_path == before


@pytest.mark.slow
@pytest.mark.skipif(find_spec("jax") is not None, reason="jax is installed")
def test_a_missing_backend_says_what_to_install(tmp_path):
    (tmp_path / "script.py").write_text("import keras")
    done = turnkey(tmp_path, "script.py", KERAS_BACKEND="jax")
    assert done.returncode == 1
    assert "No module named 'jax', the backend that Keras is set to" in done.stdout
    assert "pip install jax, or set KERAS_BACKEND to one that is installed (torch" in done.stdout


@pytest.mark.skipif(find_spec("jax2onnx") is not None, reason="jax2onnx is installed")
def test_a_missing_exporter_says_what_to_install(monkeypatch):
    assert keras_models.missing_exporter() is None
    monkeypatch.setattr(keras_models, "backend_name", lambda: "jax")
    assert "which is not installed; run: pip install jax2onnx" in keras_models.missing_exporter()


def repaired(tmp_path, node, shape, x):
    """What a file with one node computes after its repair."""
    from turnkeyml.runtimes import run_once

    float32 = onnx.TensorProto.FLOAT
    values = [helper.make_tensor_value_info(n, float32, s) for n, s in (("x", shape), ("y", None))]
    graph = helper.make_graph([node], "graph", values[:1], values[1:])
    path = tmp_path / "model.onnx"
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    export.repair(path)
    (result,) = run_once(str(path), {"x": x}, 1).values()
    return result


def test_an_erfc_is_repaired(tmp_path):
    from math import erfc

    x = np.linspace(-2, 2, 8, dtype=np.float32)
    found = repaired(tmp_path, helper.make_node("Erfc", ["x"], ["y"]), [8], x)
    assert found == pytest.approx([erfc(value) for value in x], abs=1e-6)


def test_a_pooling_over_all_dimensions_is_repaired(tmp_path):
    x = np.random.default_rng(0).standard_normal((1, 1, 2, 5, 6, 3)).astype(np.float32)
    sizes = {"kernel_shape": [1, 3, 2, 1], "strides": [1, 2, 2, 1]}
    pads = [0, 0, 0, 0, 0, 1, 0, 0]
    node = helper.make_node("MaxPool", ["x"], ["y"], pads=pads, **sizes)
    found = repaired(tmp_path, node, x.shape, x)
    rows = [slice(0, 3), slice(2, 5), slice(4, 5)][: found.shape[3]]
    wanted = [[x[0, 0, :, r, c : c + 2].max((1, 2)) for c in (0, 2, 4)] for r in rows]
    assert np.array_equal(found[0, 0], np.array(wanted).transpose(2, 0, 1, 3))


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The example script, measured; on the torch backend as a live model too."""
    folder = tmp_path_factory.mktemp("measured")
    runtimes = ["ort", *(["torch-eager"] if BACKEND == "torch" else [])]
    script = EXAMPLES / "cli" / "scripts" / "keras.py"
    return turnkey(folder, script, "--iterations", "7", "--runtime", *runtimes)


@pytest.mark.slow
def test_the_example_script_is_verified_and_measured(measured):
    assert measured.returncode == 0, measured.stdout + measured.stderr
    assert "Model Type:     Keras (keras.Model)" in measured.stdout
    assert "Class:          SmallKerasModel (<class '__main__.SmallKerasModel'>)" in measured.stdout
    assert "Parameters:     55 " in measured.stdout
    assert "export_keras took" in measured.stderr + measured.stdout
    runs = 2 if BACKEND == "torch" else 1
    assert measured.stdout.count("Successfully benchmarked on") == runs
    assert "Verification:" not in measured.stdout  # shown where it is no match


@pytest.mark.slow
@pytest.mark.skipif(BACKEND == "torch", reason="there it is a PyTorch model as well")
def test_a_runtime_of_pytorch_is_for_pytorch_models(tmp_path):
    script = EXAMPLES / "cli" / "scripts" / "keras.py"
    done = turnkey(tmp_path, script, "--runtime", "torch-eager")
    assert done.returncode == 1
    assert "PyTorch eager needs a live torch model" in done.stdout


@pytest.mark.slow
def test_the_example_of_the_api_builds(tmp_path):
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, str(EXAMPLES / "build_api" / "hello_keras_world.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "is a successful_build of the stages ['export_keras', 'optimize_onnx'" in done.stdout


@pytest.mark.slow
def test_usual_layers_match_after_their_export(tmp_path):
    import yaml

    (tmp_path / "script.py").write_text(MODELS)
    done = turnkey(tmp_path, "script.py", "--build-only")
    assert done.returncode == 0, done.stdout + done.stderr
    states = [yaml.safe_load(p.read_text()) for p in tmp_path.glob("cache/*/*_state.yaml")]
    found = [(s["verification"]["verdict"], s["verification"]["held_out"]) for s in states]
    assert found == [("match", 4)] * 2, states


@pytest.mark.slow
def test_a_live_model_is_benchmarked(tmp_path, capsys):
    from turnkeyml import benchmark_model

    found = benchmark_model(
        mlp(), np.ones((2, 10), np.float32), iterations=7, cache_dir=str(tmp_path)
    )
    assert found.mean_latency > 0
    assert "Sequential" in capsys.readouterr().out
