"""What differs between the backends of Keras: the tensors, tracing, and the exporter's package."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from turnkeyml import structure

EXPORTERS = {"tensorflow": "tf2onnx", "jax": "jax2onnx"}
"""The package that Keras needs for the export from a backend; none for torch."""
BACKENDS = ("torch", "jax", "tensorflow")


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
