"""Properties of torch modules and of the arguments of their calls."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch

from turnkeyml import structure

MODEL_TYPE = "Pytorch (torch.nn.Module)"

structure.register_types(tensor=torch.Tensor, model=torch.nn.Module)


def original_of(module: Any) -> Any:
    """The module that torch.compile wrapped, or the module itself."""
    compiler = sys.modules.get("torch._dynamo.eval_frame")
    wrapped = compiler is not None and isinstance(module, compiler.OptimizedModule)
    return module._orig_mod if wrapped else module


def has_compiled_functions() -> bool:
    """Whether torch.compile has compiled anything in this process."""
    compiler = sys.modules.get("torch._dynamo.utils")
    return compiler is not None and compiler.counters["frames"]["total"] > 0


def is_model(module: Any) -> bool:
    """Whether a module counts as a model: it has weights, unlike losses and activations."""
    if isinstance(module, torch.nn.utils.parametrize.ParametrizationList):
        return False
    if isinstance(module, torch.jit.ScriptModule):
        if next(module.parameters(), None) is not None:
            return True
        return "value=<Tensor>" in str(module.inlined_graph)  # frozen: weights are constants
    return any(map(_has_weights, parts(module)))


def _has_weights(part: Any) -> bool:
    """Whether a module itself has weights, which may be packed if it is quantized."""
    if any(p is not None for p in part._parameters.values()):
        return True
    return "quantized" in type(part).__module__


def parts(module: Any) -> Iterator[Any]:
    """A module and all its submodules, each once; works with any class that a user may write."""
    seen: dict[int, Any] = {}
    left = [module]
    while left:
        part = left.pop()
        if part is not None and id(part) not in seen:
            seen[id(part)] = part
            yield part
            left += reversed(list(part._modules.values()))


def contains(owner: torch.nn.Module, module: Any) -> bool:
    """Whether a module is another one, or one of its submodules."""
    return any(part is module for part in parts(owner))


def is_weightless(module: Any) -> bool:
    """Whether a module without weights is of a class that the script itself defines.

    It counts as a model only if the script calls no model with weights.
    """
    return type(module).__module__ == "__main__" and not is_model(module)


def is_lazy(module: torch.nn.Module) -> bool:
    """Whether a module has uninitialized parameters, whose shapes the first call sets."""
    return any(any(map(_is_uninitialized, p._parameters.values())) for p in parts(module))


def count_parameters(module: torch.nn.Module) -> tuple[int, int]:
    """The number of distinct parameters of a module and their size in bytes."""
    found = (p for part in parts(module) for p in part._parameters.values() if p is not None)
    distinct = {id(p): p for p in found if not _is_uninitialized(p)}.values()
    return sum(p.numel() for p in distinct), sum(p.numel() * p.element_size() for p in distinct)


def submodule_name(enclosing: torch.nn.Module, target: torch.nn.Module) -> str:
    """The dotted path of a submodule within a module."""
    for name, submodule in enclosing.named_modules():
        if submodule is target and name:
            return name
    return type(target).__name__


def obstacle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call with these arguments cannot be built; None if it can."""
    tensors = [t for t in structure.leaves((args, kwargs)).values() if torch.is_tensor(t)]
    if any(t.is_meta for t in tensors):
        return (
            "its tensors are on the meta device, which computes shapes but no values; "
            "create the model and its inputs on the CPU"
        )
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
