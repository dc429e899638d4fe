"""Questions about torch modules and the arguments of their calls."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch

from turnkeyml import structure

__all__ = [
    "MODEL_TYPE",
    "evaluating",
    "has_fakes",
    "is_lazy",
    "is_model",
    "is_weightless",
    "lowest_precision",
    "name_inside",
    "obstacle",
    "original_of",
    "sizes",
]

MODEL_TYPE = "Pytorch (torch.nn.Module)"

structure.teach(tensor=torch.Tensor, model=torch.nn.Module)


def original_of(module: Any) -> Any:
    """What torch.compile has wrapped, or the module itself."""
    compiler = sys.modules.get("torch._dynamo.eval_frame")
    wrapped = compiler is not None and isinstance(module, compiler.OptimizedModule)
    return module._orig_mod if wrapped else module


def is_model(module: Any) -> bool:
    """Losses, activations and the like have no parameters and are no models."""
    if isinstance(module, torch.nn.utils.parametrize.ParametrizationList):
        return False
    if next(module.parameters(), None) is not None:
        return True
    if isinstance(module, torch.jit.ScriptModule):
        return "value=<Tensor>" in str(module.inlined_graph)  # its weights have become constants
    return any("quantized" in type(inner).__module__ for inner in module.modules())


def is_weightless(module: Any) -> bool:
    """A class of the script's own without parameters, a model only where there is no other."""
    return type(module).__module__ == "__main__" and not is_model(module)


def is_lazy(module: torch.nn.Module) -> bool:
    """Whether the first call will give a module its real shape."""
    parts: list[Any] = [module]
    while parts:
        part = parts.pop()
        if any(map(_is_uninitialized, part._parameters.values())):
            return True
        parts += [inner for inner in part._modules.values() if inner is not None]
    return False


def sizes(module: torch.nn.Module) -> tuple[int, int]:
    """How many parameters a module has, each counted once, and their bytes."""
    distinct = {id(p): p for p in module.parameters() if not _is_uninitialized(p)}.values()
    return sum(p.numel() for p in distinct), sum(p.numel() * p.element_size() for p in distinct)


def name_inside(around: torch.nn.Module, target: torch.nn.Module) -> str:
    """The path of a part inside of a module."""
    for name, inner in around.named_modules():
        if inner is target and name:
            return name
    return type(target).__name__


def obstacle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What there is about the arguments of a call that no build can be made from."""
    found = structure.leaves((args, kwargs)).values()
    if not found:
        return "it takes no tensor"
    tensors = [t for t in found if torch.is_tensor(t)]
    if any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in tensors):
        return "it is called under torch.vmap, where its inputs are not real ones"
    if any(t.layout is not torch.strided or t.is_quantized for t in tensors):
        return "it takes a sparse or quantized tensor, which ONNX does not have"
    return None


def has_fakes(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether torch is only tracing shapes through the model."""
    fake = torch._subclasses.FakeTensor
    return any(isinstance(a, fake) for a in (*args, *kwargs.values()))


def _is_uninitialized(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.parameter.UninitializedParameter)


def lowest_precision(model: Any) -> torch.dtype:
    """The lowest floating-point type among the weights; float16 before bfloat16."""
    found = {t.dtype for t in [*model.parameters(), *model.buffers()] if t.is_floating_point()}
    return min(found, key=lambda d: (d.itemsize, d != torch.float16), default=torch.float32)


@contextlib.contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Within the block a model is in eval mode; afterwards each submodule is as it was."""
    training = [module for module in model.modules() if module.training]
    with contextlib.suppress(NotImplementedError):  # an exported program knows one mode only
        model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True
