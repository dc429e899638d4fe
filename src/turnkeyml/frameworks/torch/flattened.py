"""A wrapper that gives every model a flat signature: tensors in, a tuple of tensors out.

A model may take and return keywords, nested dicts, dataclasses, caches and flags. ONNX has only
tensors, so the exporters see this wrapper instead of the model.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from typing import Any

import torch

from turnkeyml import structure
from turnkeyml.frameworks.torch.entered import Entered, arrays_are_tensors


class Flattened(torch.nn.Module):
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
