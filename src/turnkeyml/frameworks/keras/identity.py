"""The identity of Keras models: of structure, code and settings, and of weights.

The ``repr`` of a Keras model says nothing of its layers. The text that takes its place is made of
the configurations of the layers and the shapes of the weights. It has no names in it: Keras numbers
them, so that they depend on what the script made before.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from turnkeyml.build import DEPTH, Code, digest
from turnkeyml.errors import describe
from turnkeyml.frameworks.keras.models import layers_of

_VOLATILE = ("build_config", "build_input_shape", "shared_object_id", "trainable")
"""Keys of a configuration that depend on the first call or on the memory of the process."""


def model_text(model: Any) -> str:
    """A text for the class, the layers and the shapes of the weights of a model."""
    names: dict[str, str] = {}
    layers = []
    for layer in layers_of(model):
        config = _config(layer)
        _collect(config, names)
        _number(layer.name, names)
        layers.append([_class(layer), config])
    weights = [[list(w.shape), str(w.dtype)] for w in model.weights]
    return json.dumps([_nameless(layers, names), weights], sort_keys=True, default=_class)


def _class(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _config(layer: Any) -> Any:
    """The configuration of a layer; None if its class does not give one."""
    try:
        return layer.get_config()
    except Exception as error:  # noqa: BLE001 - the code of the user; its weights remain
        return type(error).__name__


def _collect(config: Any, names: dict[str, str]) -> None:
    """Number the names of all layers and operations in a configuration."""
    if isinstance(config, dict):
        if "class_name" in config and not str(config["class_name"]).endswith("Policy"):
            for holder in (config, config.get("config")):
                if isinstance(holder, dict) and isinstance(holder.get("name"), str):
                    _number(holder["name"], names)
        for value in config.values():
            _collect(value, names)
    elif isinstance(config, (list, tuple)):
        for value in config:
            _collect(value, names)


def _number(name: str, names: dict[str, str]) -> None:
    names.setdefault(name, f"#{len(names)}")


def _nameless(value: Any, names: dict[str, str]) -> Any:
    """A configuration with numbers for names and without batch size."""
    if isinstance(value, dict):
        plain = {str(k): _nameless(v, names) for k, v in value.items() if k not in _VOLATILE}
        for key in ("batch_shape", "shape"):
            is_batch = key == "batch_shape" or "keras_history" in value
            if is_batch and isinstance(plain.get(key), list) and plain[key]:
                plain[key] = [None, *plain[key][1:]]
        return plain
    if isinstance(value, (list, tuple)):
        return [_nameless(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


def model_fingerprint(model: Any) -> str:
    """A digest of structure, code and settings; the values of the weights do not change it."""
    words = [model_text(model)]
    try:
        words += _code_of_user(model)
    except Exception as error:  # noqa: BLE001 - it costs precision, not the model
        words.append(describe(error))
    return digest(*words)


def _code_of_user(model: Any) -> Iterator[str]:
    """The code and the settings of the classes that Keras does not define."""
    code = Code(_special)
    usual = vars(sys.modules["keras"].layers.Layer())
    for layer in layers_of(model):
        kinds = [k for k in type(layer).__mro__ if not _is_library(k)]
        for kind in kinds:
            yield from code.methods(kind)
        if kinds:
            settings = sorted((n, v) for n, v in vars(layer).items() if n not in usual)
            for name, value in settings:
                if not name.startswith("_"):
                    yield f"{name}="
                    yield from code.value(value, DEPTH)


def _is_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("keras", "torch", "tensorflow", "builtins")


def _special(value: Any) -> list[str] | None:
    """Tensors by content, weights by shape; layers by class only: the caller visits each."""
    keras = sys.modules["keras"]
    if isinstance(value, (keras.layers.Layer, keras.Variable, keras.random.SeedGenerator)):
        return [type(value).__qualname__, str(getattr(value, "shape", ""))]
    if isinstance(value, np.ndarray) or keras.ops.is_tensor(value):
        return [_array_digest(np.asarray(keras.ops.convert_to_numpy(value)))]
    return None


def weights_digest(model: Any) -> str:
    """A digest of the values of every weight of a model."""
    convert = sys.modules["keras"].ops.convert_to_numpy
    return digest(*(_array_digest(np.asarray(convert(weight))) for weight in model.weights))


def _array_digest(array: np.ndarray) -> str:
    values = np.ascontiguousarray(array).reshape(-1)
    with contextlib.suppress(TypeError):  # strings have no bytes to view
        return (
            f"{array.dtype}:{array.shape}:{hashlib.sha256(values.view(np.uint8).data).hexdigest()}"
        )
    return f"{array.dtype}:{array.shape}:{values.tolist()}"
