"""Keras models: their properties, what differs between backends, and their identity.

The ``repr`` of a Keras model says nothing of its layers. The text that takes its place is made of
the configurations of the layers and the shapes of the weights. It has no names in it: Keras numbers
them, so that they depend on what the script made before.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.build import DEPTH, Code, digest
from turnkeyml.cache import BFLOAT16
from turnkeyml.errors import describe

MODEL_TYPE = "Keras (keras.Model)"

EXPORTERS = {"tensorflow": "tf2onnx", "jax": "jax2onnx"}
"""The package that Keras needs for the export from a backend; none for torch."""

BACKENDS = ("torch", "jax", "tensorflow")

MOST_STATE_BYTES = 1 << 28
"""Non-trainable variables that take more than this together are not copied."""

_SPARSE = ("SparseTensor", "RaggedTensor", "IndexedSlices", "BCOO")

_VOLATILE = ("build_config", "build_input_shape", "shared_object_id", "trainable")
"""Keys of a configuration that depend on the first call or on the memory of the process."""


class Seen:
    """A tensor of a backend in a call, with its values copied only when they are recorded."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.shape = tuple(-1 if size is None else int(size) for size in tensor.shape)
        self.dtype = str(sys.modules["keras"].backend.standardize_dtype(tensor.dtype))

    def copy(self) -> np.ndarray:
        return np.array(sys.modules["keras"].ops.convert_to_numpy(self.tensor))


structure.register_types(tensor=Seen, model=Seen)


def seen(value: Any) -> Any:
    """A nested value with each tensor of the backend as it was seen; numpy arrays stay."""

    def look(_: str, tensor: Any) -> Any:
        return tensor if isinstance(tensor, np.ndarray) else Seen(tensor)

    return structure.replace(value, look)


def is_model(target: Any) -> bool:
    """Whether it is a model with weights, not a layer."""
    return isinstance(target, sys.modules["keras"].Model) and bool(target.weights)


def layers_of(model: Any) -> list[Any]:
    """The model and every layer in it, at any depth."""
    return [model, *model._flatten_layers(include_self=False, recursive=True)]


def count_weights(model: Any) -> tuple[int, int]:
    """The number of weights, as ``summary()`` counts them, and their size in bytes."""
    distinct = {id(weight): weight for weight in model.weights}.values()
    sizes = [(int(np.prod(w.shape)), _item_bytes(str(w.dtype))) for w in distinct]
    return sum(n for n, _ in sizes), sum(n * size for n, size in sizes)


def _item_bytes(dtype: str) -> int:
    bits = re.search(r"\d+", dtype)
    return max(1, int(bits.group()) // 8) if bits else 1


def precision_name(model: Any) -> str:
    """The narrowest precision that a layer computes in: ``fp32``, ``fp16`` or ``bf16``."""
    dtypes = {layer.compute_dtype for layer in layers_of(model)}
    for dtype, name in (("float16", "fp16"), ("bfloat16", "bf16"), ("float32", "fp32")):
        if dtype in dtypes:
            return name
    return "fp64" if "float64" in dtypes else "fp32"


def has_symbolic(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a tensor in the arguments, as it was seen, has no values."""
    found = structure.leaves((args, kwargs)).values()
    return any(isinstance(tensor, Seen) and is_symbolic(tensor.tensor) for tensor in found)


def obstacle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call with these arguments cannot be built; None if it can."""
    flat = sys.modules["keras"].tree.flatten((args, kwargs))
    if any(type(value).__name__ in _SPARSE for value in flat):
        return "it has a sparse or ragged tensor input, which ONNX does not support"
    tensors = structure.leaves((args, kwargs)).values()
    if not tensors:
        return "it has no tensor inputs"
    if has_symbolic(args, kwargs):
        return (
            "it is called only inside a compiled function (tf.function or jax.jit), where its "
            "inputs have no values; call the model itself, or its predict()"
        )
    if any(str(tensor.dtype) == "bfloat16" for tensor in tensors):
        return "it has a bfloat16 input, which numpy cannot hold; pass float32"
    return None


def input_names(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """A unique name for each tensor argument, from the parameter names of ``call``."""
    ordinary = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(model.call).parameters.values()
    known = [p.name for p in parameters if p.kind in ordinary]
    positional = [*known, *(f"input_{i + 1}" for i in range(len(known), len(args)))]
    named = {**dict(zip(positional, args, strict=False)), **kwargs}
    names: list[str] = []
    for path in structure.leaves(named):
        name = re.sub(r"\W+", "_", path).strip("_") or "value"
        taken = sum(other == name or other.startswith(f"{name}__") for other in names)
        names.append(f"{name}__{taken + 1}" if taken else name)
    return names


def to_numpy(name: str, tensor: Any) -> tuple[str, np.ndarray]:
    """A tensor as a numpy array, with the name under which it is saved and compared."""
    array = np.asarray(sys.modules["keras"].ops.convert_to_numpy(tensor))
    if array.dtype.name == "bfloat16":
        return name + BFLOAT16, array.view(np.uint16)
    return name, array


def from_numpy(array: np.ndarray) -> Any:
    """A tensor of the backend."""
    return sys.modules["keras"].ops.convert_to_tensor(array)


@contextlib.contextmanager
def preserved(model: Any) -> Iterator[None]:
    """Within the block the state of a model may change; afterwards it is as before.

    State is what is no weight to be trained: of recurrent layers, of random numbers.
    """
    state = list(model.non_trainable_variables)
    convert = sys.modules["keras"].ops.convert_to_numpy
    size = sum(int(np.prod(v.shape)) * _item_bytes(str(v.dtype)) for v in state)
    known = [(v, np.array(convert(v))) for v in state] if size <= MOST_STATE_BYTES else []
    try:
        yield
    finally:
        for variable, values in known:
            if not np.array_equal(convert(variable), values):
                variable.assign(values)


def backend_name() -> str:
    """The backend that Keras uses in this process."""
    return str(sys.modules["keras"].backend.backend())


@functools.cache
def register_tensors() -> None:
    """Have nested values be searched for the tensors of the backend."""
    keras = sys.modules["keras"]
    tensor = {
        "torch": lambda: sys.modules["torch"].Tensor,
        "jax": lambda: sys.modules["jax"].Array,
        "tensorflow": lambda: sys.modules["tensorflow"].Tensor,
    }.get(backend_name(), lambda: keras.KerasTensor)
    structure.register_types(tensor=tensor(), model=keras.layers.Layer)


def is_traced() -> Callable[[], bool]:
    """A function that says whether PyTorch traces or compiles at the moment."""
    if backend_name() != "torch":
        return lambda: False
    torch = sys.modules["torch"]
    is_compiling, is_tracing = torch.compiler.is_compiling, torch.jit.is_tracing
    return lambda: is_compiling() or is_tracing()


def is_symbolic(tensor: Any) -> bool:
    """Whether a tensor has no values, because a function is being compiled or shapes computed."""
    backend = backend_name()
    if backend == "jax":
        return isinstance(tensor, sys.modules["jax"].core.Tracer)
    if backend == "tensorflow":
        return bool(sys.modules["tensorflow"].is_symbolic_tensor(tensor))
    if backend == "torch":
        fake = sys.modules["torch"]._subclasses.FakeTensor
        return isinstance(tensor, fake) or bool(getattr(tensor, "is_meta", False))
    return False


@contextlib.contextmanager
def no_gradients() -> Iterator[None]:
    """Within the block PyTorch records no gradients; the other backends record none anyway."""
    if backend_name() != "torch":
        yield
        return
    with sys.modules["torch"].no_grad():
        yield


def missing_exporter() -> str | None:
    """What to install before a model can be exported, in a sentence; None if nothing is missing."""
    backend = backend_name()
    package = EXPORTERS.get(backend)
    if package is None or find_spec(package) is not None:
        return None
    return (
        f"Keras exports models of the {backend} backend with {package}, which is not installed; "
        f"run: pip install {package}"
    )


def explain_import(error: ImportError) -> None:
    """Have an error say what to install, if it is the backend that Keras does not find."""
    wanted = error.name if error.name in BACKENDS else None
    if wanted is None:
        return
    there = [name for name in BACKENDS if name != wanted and find_spec(name) is not None]
    others = f", or set KERAS_BACKEND to one that is installed ({', '.join(there)})"
    error.msg = (
        f"No module named {wanted!r}, the backend that Keras is set to; "
        f"run: pip install {wanted}{others if there else ''}"
    )


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
