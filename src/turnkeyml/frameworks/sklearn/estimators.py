"""What turnkey needs to know of an estimator: its kind, its identity, its size, its outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from turnkeyml.build import digest
from turnkeyml.errors import describe

LIBRARIES = ("sklearn", "xgboost", "lightgbm")
"""The packages whose models can be converted."""

_TYPES = {
    "sklearn": "Scikit-learn (sklearn.base.BaseEstimator)",
    "xgboost": "XGBoost (xgboost.XGBModel)",
    "lightgbm": "LightGBM (lightgbm.LGBMModel)",
}


def library_of(model: Any) -> str:
    """The package that defines the class of a model."""
    return type(model).__module__.partition(".")[0]


def is_estimator(model: Any) -> bool:
    """Whether an object is a model that one of the libraries defines."""
    return library_of(model) in LIBRARIES and callable(getattr(model, "predict", None))


def is_booster(model: Any) -> bool:
    """Whether it is a model of the libraries' own interfaces, not of scikit-learn's."""
    return type(model).__name__ == "Booster" and library_of(model) != "sklearn"


def is_classifier(model: Any) -> bool:
    """Whether its predictions are labels."""
    if is_booster(model):
        return False
    from sklearn.base import is_classifier as is_it

    return bool(is_it(model))


def model_type(model: Any) -> str:
    """The type as reports show it."""
    library = library_of(model)
    title, _, kind = _TYPES[library].partition(" ")
    return f"{title} ({library}.Booster)" if is_booster(model) else f"{title} {kind}"


def text_of(model: Any) -> str:
    """The text that the documented model hash is computed from: the repr, without addresses."""
    if is_booster(model):
        of = f"{_features(model)} features, {_trees(model)} trees, {_objective(model)}"
        return f"{type(model).__module__}.Booster({of})"
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", repr(model))
    except Exception:  # noqa: BLE001 - a user-defined __repr__ may raise anything
        return f"{type(model).__module__}.{type(model).__qualname__}"


def fingerprint(model: Any) -> str:
    """Differs between models that differ in anything but the values that were learned."""
    words = [type(model).__module__, text_of(model)]
    try:
        parameters = model.get_params(deep=True) if hasattr(model, "get_params") else {}
        words.append(re.sub(r" at 0x[0-9a-f]+", "", repr(sorted(parameters.items()))))
    except Exception as error:  # noqa: BLE001 - without its parameters it is told apart less well
        words.append(describe(error))
    words.append(str(_features(model)))
    words.append(str(np.shape(getattr(model, "classes_", ()))))
    return digest(*words)


def _features(model: Any) -> int:
    for name in ("n_features_in_", "num_features", "num_feature"):
        try:
            found = getattr(model, name, None)
            if found is not None:
                return int(found() if callable(found) else found)
        except Exception:  # noqa: BLE001 - a model that is not fitted has none
            continue
    return 0


def _objective(model: Any) -> str:
    """What a booster was trained for, and the number of its outputs."""
    if hasattr(model, "save_config"):
        learner = json.loads(model.save_config())["learner"]
        return f"{learner['objective']['name']} {learner['learner_model_param']['num_class']}"
    return f"{model.params.get('objective', '')} {model.num_model_per_iteration()}"


def _trees(model: Any) -> int:
    counts = ("num_boosted_rounds", "num_trees")
    found = next((getattr(model, name) for name in counts if hasattr(model, name)), None)
    return int(found()) if found else 0


def count_parameters(model: Any) -> tuple[int, int]:
    """The number of learned numbers and their size in bytes."""
    sizes = list(_sizes(model, set()))
    return sum(n for n, _ in sizes), sum(size for _, size in sizes)


def _sizes(model: Any, seen: set[int]) -> Iterator[tuple[int, int]]:
    if id(model) in seen:
        return
    seen.add(id(model))
    booster = model if is_booster(model) else getattr(model, "_Booster", None)
    if booster is not None:
        text = booster.model_to_string() if hasattr(booster, "model_to_string") else ""
        leaves = sum(map(int, re.findall(r"num_leaves=(\d+)", text)))
        if hasattr(booster, "get_dump"):
            leaves = sum(tree.count("leaf=") for tree in booster.get_dump())
        yield 2 * leaves, 8 * leaves  # a threshold and a value each, in float32
        return
    if type(model).__name__ == "Tree" and hasattr(model, "threshold"):
        yield model.threshold.size + model.value.size, model.threshold.nbytes + model.value.nbytes
        return
    if isinstance(model, np.ndarray):
        if model.dtype != object:
            yield model.size, model.nbytes
            return
        children: Any = model.ravel().tolist()
    elif isinstance(model, (list, tuple)):
        children = model
    elif type(model).__module__.partition(".")[0] == "sklearn":
        children = vars(model).values() if hasattr(model, "__dict__") else ()
    else:
        return
    for child in children:
        yield from _sizes(child, seen)


def outputs_of(model: Any, table: Any) -> dict[str, np.ndarray]:
    """What a model predicts: the labels and probabilities of a classifier, or values."""
    if not is_classifier(model):
        return {"variable": _array(model.predict(table))}
    found = {"label": _array(model.predict(table))}
    try:
        found["probabilities"] = _array(model.predict_proba(table))
    except (AttributeError, NotImplementedError):
        return found  # such as a support vector machine without probabilities
    return found


def _array(values: Any) -> np.ndarray:
    """Predictions as an array; a booster's may be sparse."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)
