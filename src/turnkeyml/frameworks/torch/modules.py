"""Properties of torch modules and of the arguments of their calls."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch

from turnkeyml import structure

__all__ = [
    "MODEL_TYPE",
    "count_parameters",
    "eval_mode",
    "has_fake_tensors",
    "is_lazy",
    "is_model",
    "is_weightless",
    "lowest_precision",
    "obstacle",
    "original_of",
    "submodule_name",
]

MODEL_TYPE = "Pytorch (torch.nn.Module)"

structure.register_types(tensor=torch.Tensor, model=torch.nn.Module)


def original_of(module: Any) -> Any:
    """The module that torch.compile wrapped, or the module itself."""
    compiler = sys.modules.get("torch._dynamo.eval_frame")
    wrapped = compiler is not None and isinstance(module, compiler.OptimizedModule)
    return module._orig_mod if wrapped else module


def is_model(module: Any) -> bool:
    """Whether a module counts as a model: it has weights, unlike losses and activations."""
    if isinstance(module, torch.nn.utils.parametrize.ParametrizationList):
        return False
    if next(module.parameters(), None) is not None:
        return True
    if isinstance(module, torch.jit.ScriptModule):
        return "value=<Tensor>" in str(module.inlined_graph)  # frozen: weights are constants
    return any("quantized" in type(inner).__module__ for inner in module.modules())


def is_weightless(module: Any) -> bool:
    """Whether a module without weights is of a class that the script itself defines.

    It counts as a model only if the script calls no model with weights.
    """
    return type(module).__module__ == "__main__" and not is_model(module)


def is_lazy(module: torch.nn.Module) -> bool:
    """Whether a module has uninitialized parameters, whose shapes the first call sets."""
    parts: list[Any] = [module]
    while parts:
        part = parts.pop()
        if any(map(_is_uninitialized, part._parameters.values())):
            return True
        parts += [inner for inner in part._modules.values() if inner is not None]
    return False


def count_parameters(module: torch.nn.Module) -> tuple[int, int]:
    """The number of distinct parameters of a module and their size in bytes."""
    distinct = {id(p): p for p in module.parameters() if not _is_uninitialized(p)}.values()
    return sum(p.numel() for p in distinct), sum(p.numel() * p.element_size() for p in distinct)


def submodule_name(enclosing: torch.nn.Module, target: torch.nn.Module) -> str:
    """The dotted path of a submodule within a module."""
    for name, submodule in enclosing.named_modules():
        if submodule is target and name:
            return name
    return type(target).__name__


def obstacle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call with these arguments cannot be built; None if it can."""
    found = structure.leaves((args, kwargs)).values()
    if not found:
        return "it has no tensor inputs"
    tensors = [t for t in found if torch.is_tensor(t)]
    if any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in tensors):
        return "it is called under torch.vmap, so its inputs are not ordinary tensors"
    if any(t.layout is not torch.strided or t.is_quantized for t in tensors):
        return "it has a sparse or quantized tensor input, which ONNX does not support"
    return None


def has_fake_tensors(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an argument is a FakeTensor: torch only propagates shapes."""
    fake = torch._subclasses.FakeTensor
    return any(isinstance(a, fake) for a in (*args, *kwargs.values()))


def _is_uninitialized(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.parameter.UninitializedParameter)


def lowest_precision(model: Any) -> torch.dtype:
    """The narrowest floating-point dtype among the weights; float16 before bfloat16."""
    found = {t.dtype for t in [*model.parameters(), *model.buffers()] if t.is_floating_point()}
    return min(found, key=lambda d: (d.itemsize, d != torch.float16), default=torch.float32)


@contextlib.contextmanager
def eval_mode(model: Any) -> Iterator[None]:
    """Within the block a model is in eval mode; afterwards each submodule has its old mode."""
    training = [module for module in model.modules() if module.training]
    with contextlib.suppress(NotImplementedError):  # an exported program has no eval()
        model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True
