"""scikit-learn, XGBoost and LightGBM models that a script predicts with."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from turnkeyml import build_model
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.frameworks import Register, SklearnRecorder, after_import

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((60, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
NAMES = np.array(["no", "yes"])[Y]


# Discovery


def recorded(action):
    """The invocations that an action makes, and the remarks on what could not be recorded."""
    register = Register("script")
    recorder = SklearnRecorder(register)
    with recorder.watching():
        action()
    return register.records(), recorder.remarks


def test_predictions_of_a_fitted_model_are_one_invocation_whatever_the_method():
    forest = RandomForestClassifier(3).fit(X, Y)

    def use():
        forest.predict(X)
        forest.predict_proba(X)
        forest.score(X, Y)
        forest.predict(X[:5])

    (first, second), remarks = recorded(use)
    assert (first.name, first.executed, second.executed) == ("forest", 3, 1)
    assert first.model_type == "Scikit-learn (sklearn.base.BaseEstimator)"
    assert (first.shapes, first.dtypes) == ({"X": (60, 4)}, {"X": "float64"})
    assert first.file == __file__
    assert first.parameters > 0
    assert remarks == {}


def test_what_the_library_calls_itself_is_not_the_scripts():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())

    def use():
        cross_val_score(pipeline, X, Y)
        pipeline.fit(X, Y)
        pipeline.predict(X)

    (only,), _ = recorded(use)
    assert only.class_name == "Pipeline"


def test_nothing_is_left_behind_and_nothing_is_pretended():
    machine = SVC().fit(X, Y)

    def use():
        assert not hasattr(machine, "predict_proba")
        assert pickle.loads(pickle.dumps(machine.predict))(X).shape == (60,)

    recorded(use)
    assert "__getattribute__" not in vars(BaseEstimator)


def test_a_class_of_the_script_is_looked_through():
    class Mine(BaseEstimator):
        def fit(self, x, y):
            self.inner = RandomForestClassifier(3).fit(x, y)
            return self

        def predict(self, x):
            return self.inner.predict(x)

    mine = Mine().fit(X, Y)
    (only,), _ = recorded(lambda: mine.predict(X))
    assert only.class_name == "RandomForestClassifier"


def test_a_module_is_seen_when_it_is_imported_and_not_before(tmp_path, monkeypatch):
    (tmp_path / "turnkey_late.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    seen = []
    with after_import({"turnkey_late": seen.append}):
        assert seen == []
        module = importlib.import_module("turnkey_late")
        assert seen == [module]
        assert type(module.__loader__).__name__ == "SourceFileLoader"
    del sys.modules["turnkey_late"]
    importlib.import_module("turnkey_late")
    assert len(seen) == 1


def test_an_argument_that_changes_the_prediction_is_an_obstacle():
    from sklearn.gaussian_process import GaussianProcessRegressor

    process = GaussianProcessRegressor().fit(X, Y)
    (only,), _ = recorded(lambda: process.predict(X, return_std=True))
    assert only.obstacle == "it is called with return_std=True, which no converter supports"


# Builds


def built(model, table, cache, name="build"):
    return build_model(model, (table,), build_name=name, cache_dir=cache, monitor=False)


def test_a_classifier_of_strings_gives_labels_and_probabilities_without_maps(cache):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, NAMES)
    state = built(model, X, cache)
    assert state.verification.verdict == "match"
    assert state.verification.held_out > 0
    assert state.sequence[0] == "export_sklearn"
    assert state.facts["exporter"] == "skl2onnx"
    outputs = onnx.load(cache / "build" / state.artifacts["onnx"]).graph.output
    assert [(o.name, o.type.WhichOneof("value")) for o in outputs] == [
        ("label", "tensor_type"),
        ("probabilities", "tensor_type"),
    ]
    kept = np.load(cache / "build" / "outputs_original.npz")
    assert set(kept["label"]) == {"no", "yes"}
    again = built(model, X, cache)
    assert again.stages == state.stages  # from the cache
    assert built(model.fit(X, NAMES[::-1]), X, cache).key != state.key


def test_a_regressor_gives_what_predict_returns(cache):
    model = RandomForestRegressor(4, random_state=0).fit(X, X[:, 0])
    assert built(model, X, cache).verification.verdict == "match"
    assert np.load(cache / "build" / "outputs_original.npz")["variable"].shape == (60,)


def test_columns_of_a_data_frame_are_inputs_by_name(cache):
    import pandas

    frame = pandas.DataFrame({"size": X[:, 0], "count": RANDOM.integers(0, 9, 60), "city": NAMES})
    choose = ColumnTransformer(
        [("numbers", StandardScaler(), ["size", "count"]), ("names", OneHotEncoder(), ["city"])]
    )
    state = built(make_pipeline(choose, LogisticRegression()).fit(frame, Y), frame.head(7), cache)
    assert state.verification.verdict == "match"
    assert state.input_shapes == {"size": (7, 1), "count": (7, 1), "city": (7, 1)}
    numbers = frame[["size", "count"]]  # a forest knows no columns
    forest = RandomForestClassifier(3, random_state=0).fit(numbers, Y)
    assert built(forest, numbers, cache, "forest").verification.verdict == "match"


def test_texts_are_vectorized(cache):
    texts = ["good film", "bad film", "great plot", "awful plot"] * 4
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, [1, 0, 1, 0] * 4)
    state = built(model, texts[:6], cache)
    assert state.verification.verdict == "match"
    assert state.input_dtypes == {"X": "string"}


def test_digits_that_fp32_lacks_make_an_fp64_file(cache):
    table = np.stack([1e9 + np.arange(60.0), np.full(60, 1e9)], axis=1)
    model = LinearRegression().fit(table, np.arange(60))
    state = built(model, table, cache)
    assert state.facts["precision"] == "fp64"
    assert state.verification.verdict == "match"
    assert "fp32 mismatch" in state.facts["exporter_reason"]


def test_a_tree_that_decides_by_digits_that_its_file_lacks_is_a_mismatch(cache):
    """skl2onnx rounds the thresholds of these trees, whatever the dtype of the inputs."""
    table = 1 + 1e-9 * np.arange(200.0).reshape(-1, 1)
    model = HistGradientBoostingRegressor(max_iter=5).fit(table, np.arange(200) % 100)
    assert built(model, table, cache).verification.verdict == "mismatch"


@pytest.mark.parametrize("library", [pytest.param("xgboost", marks=pytest.mark.slow), "lightgbm"])
def test_boosted_trees_and_boosters_match(cache, library):
    module = importlib.import_module(library)
    quiet = {"verbose": -1} if library == "lightgbm" else {}
    kind = "LGBMClassifier" if library == "lightgbm" else "XGBClassifier"
    classifier = getattr(module, kind)(n_estimators=5, **quiet).fit(X, Y)
    state = built(classifier, X, cache, "classifier")
    assert state.verification.verdict == "match"
    assert state.facts["exporter"] == "onnxmltools"
    make = module.Dataset if library == "lightgbm" else module.DMatrix
    objective = "binary" if library == "lightgbm" else "binary:logistic"
    booster = module.train({"objective": objective, **quiet}, make(X, Y), 5)
    table = X if library == "lightgbm" else module.DMatrix(X)
    state = built(booster, table, cache, "booster")
    assert state.model_type.endswith(f"({library}.Booster)")
    assert state.verification.verdict == "match"


def test_a_missing_converter_is_named(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(TurnkeyError) as error:
        built(LinearRegression().fit(X, Y), X, cache)
    assert "Converting a LinearRegression to ONNX needs skl2onnx: pip install skl2onnx" in str(
        error.value
    )
    with pytest.raises(UsageError, match="predicts from one table"):
        build_model(LinearRegression(), (X, X), cache_dir=cache)


# The program


def test_a_script_is_discovered_built_verified_and_measured(tmp_path):
    script = tmp_path / "forest.py"
    script.write_text(
        textwrap.dedent("""
            from sklearn.datasets import load_iris
            from sklearn.ensemble import RandomForestClassifier

            x, y = load_iris(return_X_y=True)
            forest = RandomForestClassifier(10, random_state=0).fit(x, y)
            print(forest.score(x, y))
            print(forest.predict(x)[:1])
        """)
    )
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "turnkeyml", str(script), "--iterations", "20"]
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Model Type:     Scikit-learn (sklearn.base.BaseEstimator)" in done.stdout
    assert "forest (executed 2x" in done.stdout
    found = [yaml.safe_load(p.read_text()) for p in Path(cache).glob("*/turnkey_stats.yaml")]
    assert [s["evaluations"][0]["verification"]["verdict"] for s in found] == ["match"]
