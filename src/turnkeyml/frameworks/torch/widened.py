"""Running a model in a wider precision without a copy of it.

A copy of a large model in float32 takes twice the memory of its bfloat16 weights. Each module needs
its own weights only while it runs, so they are widened then, and narrow again afterwards.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

Own = dict[str, Any]


@contextlib.contextmanager
def widened_in_turn(model: torch.nn.Module, dtype: torch.dtype) -> Iterator[None]:
    """Within the block every module computes in a wider dtype, with its own weights in it.

    A module that uses the weights of another one without calling it may fail.
    """
    modules = list(model.modules())
    known = [(m, dict(m._parameters), dict(m._buffers)) for m in modules]
    hooks = []
    for module in modules:
        if any(map(_is_float, (*module._parameters.values(), *module._buffers.values()))):
            before, after = _hooks(dtype)
            hooks += [module.register_forward_pre_hook(before), module.register_forward_hook(after)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
        for module, parameters, buffers in known:
            module._parameters.update(parameters)
            module._buffers.update(buffers)


def _hooks(dtype: torch.dtype) -> tuple[Any, Any]:
    """The functions that widen the weights of a module before a call, and restore them after it."""
    entered: list[tuple[Own, Own]] = []

    def before(module: torch.nn.Module, _inputs: Any) -> None:
        entered.append((dict(module._parameters), dict(module._buffers)))
        for own in (module._parameters, module._buffers):
            for name, tensor in own.items():
                if _is_float(tensor):
                    own[name] = _widened(tensor, dtype)  # type: ignore[assignment]

    def after(module: torch.nn.Module, _inputs: Any, _outputs: Any) -> None:
        parameters, buffers = entered.pop()
        module._parameters.update(parameters)
        module._buffers.update(buffers)

    return before, after


def _widened(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    wide = tensor.detach().to(dtype)
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(wide, requires_grad=False)
    return wide


def _is_float(tensor: Any) -> bool:
    return torch.is_tensor(tensor) and tensor.is_floating_point()
