"""Weights at which a model does not amplify rounding.

A deep model with random weights makes the smallest difference larger from layer to layer, because
its normalisations have statistics of nobody's data: a mean of 0 and a variance of 1. Training
would have taken them from its data. One forward pass on the recorded inputs does the same, and
leaves everything else as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.build.twin import Rescaling
from turnkeyml.frameworks.torch.modules import eval_mode

__all__ = ["Stable", "stable_copy"]

LEAST_VARIANCE = 1e-6
"""The variance that a channel is taken to have at least: some are constant."""


@dataclass(frozen=True)
class Stable:
    """A copy of a model with the statistics of its inputs, and what changed in it."""

    model: torch.nn.Module
    rescalings: tuple[Rescaling, ...]


def stable_copy(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Stable | None:
    """A copy whose normalisations have the statistics of these arguments; None without any."""
    if not any(_normalisations(model)):
        return None
    stable = copy.deepcopy(model)
    _measure(stable, *structure.clone((args, kwargs)))
    pairs = zip(_normalisations(model), _normalisations(stable), strict=True)
    return Stable(stable, tuple(_rescaling(old, new) for old, new in pairs))


def _normalisations(model: torch.nn.Module) -> Iterator[Any]:
    """The submodules with running statistics, of torch's classes or their like."""
    for module in model.modules():
        kept = getattr(module, "running_mean", None), getattr(module, "running_var", None)
        if all(torch.is_tensor(found) for found in kept):
            yield module


def _measure(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Give each normalisation the statistics of its first input, before it computes with them."""
    seen: set[int] = set()

    def before(module: Any, inputs: tuple[Any, ...]) -> None:
        if id(module) in seen or not inputs:
            return
        seen.add(id(module))
        values = inputs[0].detach().double()
        dims = [dim for dim in range(values.dim()) if dim != 1]
        module.running_mean.copy_(values.mean(dims))
        module.running_var.copy_(values.var(dims, unbiased=False).clamp(min=LEAST_VARIANCE))

    hooks = [module.register_forward_pre_hook(before) for module in _normalisations(model)]
    try:
        with torch.no_grad(), eval_mode(model):
            model(*args, **kwargs)
    finally:
        for hook in hooks:
            hook.remove()


def _rescaling(old: Any, new: Any) -> Rescaling:
    names = ("running_mean", "running_var")
    tensors = tuple((_array(getattr(old, name)), _array(getattr(new, name))) for name in names)
    (first, before), (second, after) = map(_affine, (old, new))
    return Rescaling(tensors, scale=(first, second), offset=(before, after))


def _affine(module: Any) -> tuple[np.ndarray, np.ndarray]:
    """What a normalisation multiplies each channel by, and what it adds to it."""
    variance, mean = _array(module.running_var), _array(module.running_mean)
    weight, bias = (getattr(module, name, None) for name in ("weight", "bias"))
    epsilon = float(getattr(module, "eps", 1e-5))
    scale = (1.0 if weight is None else _array(weight)) / np.sqrt(variance + epsilon)
    return scale, (0.0 if bias is None else _array(bias)) - mean * scale


def _array(tensor: torch.Tensor) -> np.ndarray:
    found: np.ndarray = tensor.detach().double().cpu().numpy()
    return found
