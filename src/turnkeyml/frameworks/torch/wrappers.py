"""Modules around a model, so that exporters and runtimes can take any call of it.

A model may take and return keywords, nested dicts, dataclasses, caches and flags. ONNX has only
tensors, so the exporters see a module that takes tensors and returns a tuple of tensors. A model
that is entered by a method other than ``forward`` is measured as a module that calls the method.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from turnkeyml import structure


class FlatModule(torch.nn.Module):
    """A module with positional tensor arguments around a model and the arguments of one call."""

    def __init__(
        self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        super().__init__()
        self.model = model
        self._arguments = (args, kwargs)
        leaves = structure.leaves(self._arguments).values()
        self._has_arrays = not all(map(torch.is_tensor, leaves))

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rest = iter(tensors)
        args, kwargs = structure.replace(self._arguments, lambda _, __: next(rest))
        with arrays_are_tensors() if self._has_arrays else contextlib.nullcontext():
            outputs = structure.leaves(self.model(*args, **kwargs), "output")
        return tuple(t if torch.is_tensor(t) else torch.as_tensor(t) for t in outputs.values())

    def as_exported(self) -> tuple[torch.nn.Module, tuple[Any, ...]]:
        """The module to export and its arguments; a scripted model is exported unwrapped."""
        if isinstance(self.model, torch.jit.ScriptModule):
            args, kwargs = structure.clone(self._arguments)
            return self.model, (*args, kwargs) if kwargs else args
        return self, self.tensors()

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """Copies of the recorded tensors, in the order of ``forward``; one per input, so that an
        exporter does not take two inputs for one."""
        found = structure.leaves(self._arguments)
        return tuple(torch.as_tensor(t).detach().clone() for t in found.values())


def input_names(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """A unique name for each tensor argument, from the parameter names of ``forward``."""
    positional = _positional_names(model, len(args))
    names = []
    for path in structure.leaves((args, kwargs)):
        kind, _, rest = path.partition(".")
        if kind == "0":
            index, _, inner = rest.partition(".")
            rest = f"{positional[int(index)]}.{inner}"
        names.append(_clean(rest))
    return _unique(names)


def output_names(paths: list[str], taken: list[str]) -> list[str]:
    """Unique names for the outputs that differ from the ``taken`` names of the inputs."""
    return _unique([_clean(path) for path in paths], taken)


def _positional_names(model: Any, count: int) -> list[str]:
    try:
        entry = model.entry if isinstance(model, Entered) else model.forward
        parameters = list(inspect.signature(entry).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    ordinary = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    known = [p.name for p in parameters if p.kind in ordinary][:count]
    return known + [f"input_{i + 1}" for i in range(len(known), count)]


def _clean(path: str) -> str:
    return re.sub(r"\W+", "_", path).strip("_") or "value"


def _unique(names: list[str], taken: list[str] | None = None) -> list[str]:
    used = set(taken or [])
    result = []
    for name in names:
        candidate, n = name, 2
        while candidate in used:
            candidate, n = f"{name}_{n}", n + 1
        used.add(candidate)
        result.append(candidate)
    return result


def entered(model: Any, method: str) -> Any:
    """The module to build and measure: the model, or one of its methods as a module."""
    return Entered(model, method) if method else model


class Entered(torch.nn.Module):
    """Calls one method of a model, so that everything that takes a module can take the method."""

    def __init__(self, model: torch.nn.Module, method: str) -> None:
        super().__init__()
        self.model = model
        self.method = method

    @property
    def entry(self) -> Any:
        """The method itself, for the names of its parameters."""
        return getattr(self.model, self.method)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.model, self.method)(*args, **kwargs)


@contextlib.contextmanager
def arrays_are_tensors() -> Iterator[None]:
    """Within the block, functions that convert between numpy and torch pass tensors through.

    A method may take numpy arrays and return them. An exporter needs the operators in between.
    """
    original = torch.from_numpy

    class Conversions(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            name = getattr(function, "__name__", "")
            if name == "numpy" and torch.is_tensor(args[0]):
                return args[0]
            if name == "tensor" and args and torch.is_tensor(args[0]):
                dtype = (kwargs or {}).get("dtype")
                return args[0].to(dtype) if dtype else args[0]
            return function(*args, **(kwargs or {}))

    torch.from_numpy = lambda array: array if torch.is_tensor(array) else original(array)
    try:
        with Conversions():
            yield
    finally:
        torch.from_numpy = original
