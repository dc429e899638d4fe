"""Properties of Keras models and of the arguments of their calls."""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.cache import BFLOAT16
from turnkeyml.frameworks.keras.backends import is_symbolic

MODEL_TYPE = "Keras (keras.Model)"
MOST_STATE_BYTES = 1 << 28
"""Non-trainable variables that take more than this together are not copied."""
_SPARSE = ("SparseTensor", "RaggedTensor", "IndexedSlices", "BCOO")


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
