"""Properties of torch modules, their fingerprints, and what keeps a call from being built."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from turnkeyml import structure
from turnkeyml.build import DEPTH, Code, digest
from turnkeyml.system import usable_cores

MODEL_TYPE = "Pytorch (torch.nn.Module)"
_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


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


def is_weightless(module: Any) -> bool:
    """Whether a module without weights is of a class that the script itself defines.

    It counts as a model only if the script calls no model with weights.
    """
    return type(module).__module__ == "__main__" and not is_model(module)


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


def is_lazy(module: torch.nn.Module) -> bool:
    """Whether a module has uninitialized parameters, whose shapes the first call sets."""
    return any(any(map(_is_uninitialized, p._parameters.values())) for p in parts(module))


def count_parameters(module: torch.nn.Module) -> tuple[int, int]:
    """The number of distinct parameters of a module and their size in bytes."""
    found = (p for part in parts(module) for p in part._parameters.values() if p is not None)
    distinct = {id(p): p for p in found if not _is_uninitialized(p)}.values()
    return sum(p.numel() for p in distinct), sum(p.numel() * p.element_size() for p in distinct)


def _is_uninitialized(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.parameter.UninitializedParameter)


def lowest_precision(model: Any) -> torch.dtype:
    """The narrowest floating-point dtype among the weights; float16 before bfloat16."""
    found = {t.dtype for t in [*model.parameters(), *model.buffers()] if t.is_floating_point()}
    return min(found, key=lambda d: (d.itemsize, d != torch.float16), default=torch.float32)


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


def safe_repr(model: Any) -> str:
    """The ``repr`` of a model, or the name of its class if ``repr`` raises."""
    try:
        return repr(model)
    except Exception:  # noqa: BLE001 - a user-defined __repr__ may raise anything
        return f"{type(model).__module__}.{type(model).__qualname__}"


def model_fingerprint(model: Any) -> str:
    """A digest of structure, code and settings; the values of the weights do not change it.

    A part that cannot be read counts by its class alone.
    """
    words = [safe_repr(model)]
    code = Code(_special)
    for path, module in model.named_modules():
        kind = type(module)
        words.append(f"{path}={kind.__module__}.{kind.__qualname__}")
        try:
            words += _words(module, code)
        except Exception as error:  # noqa: BLE001 - a user's class may raise anything
            words.append(type(error).__name__)
    return digest(*words)


def _words(module: Any, code: Code) -> Iterator[str]:
    """The tensors, settings, hooks and code of one module, without those of its submodules."""
    for name, tensor in _own_tensors(module):
        yield f"{name}:{tuple(tensor.shape)}:{tensor.dtype}"
    for name, value in [*_own_attributes(module), *_hooks(module)]:
        yield f"{name}="
        yield from code.value(value, DEPTH)
    for base in type(module).__mro__:
        if base is not object and not base.__module__.startswith("torch."):
            yield from code.methods(base)


def weights_digest(model: Any) -> str:
    """A digest of the values of every parameter, buffer and tensor attribute of a model."""

    def named_digest(item: tuple[str, Any]) -> str:
        return f"{item[0]}:{_tensor_digest(item[1])}"

    named = [
        (f"{path}.{name}", tensor)
        for path, module in model.named_modules()
        for name, tensor in [
            *_own_tensors(module),
            *((n, v) for n, v in _own_attributes(module) if isinstance(v, torch.Tensor)),
        ]
    ]
    with ThreadPoolExecutor(usable_cores()) as pool:
        return digest(*pool.map(named_digest, named))


def _tensor_digest(tensor: Any) -> str:
    """The dtype and shape of a tensor and the SHA-256 of its values."""
    head = f"{tensor.dtype}:{tuple(tensor.shape)}:"
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.device.type == "meta":
        return head + repr(tensor)
    if type(tensor) not in _PLAIN and hasattr(tensor, "__tensor_flatten__"):
        names, settings = tensor.__tensor_flatten__()  # a subclass that holds other tensors
        inner = [_tensor_digest(getattr(tensor, name)) for name in names]
        return head + digest(*inner, repr(settings))
    try:
        data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    except Exception:  # noqa: BLE001 - a subclass without memory of its own
        return head + repr(tensor)
    return head + hashlib.sha256(data).hexdigest()


def _special(value: Any) -> list[str] | None:
    """Tensors by content; modules by class only, because the caller visits every submodule."""
    if isinstance(value, torch.Tensor):
        return [_tensor_digest(value)]
    return [type(value).__qualname__] if isinstance(value, torch.nn.Module) else None


def _own_tensors(module: Any) -> list[tuple[str, Any]]:
    named = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
    return [(name, tensor) for name, tensor in named if tensor is not None]


def _own_attributes(module: Any) -> list[tuple[str, Any]]:
    """The attributes of a module that ``torch.nn.Module`` itself does not define.

    What ``torch.compile`` adds is not part of a model: the compiled one and its original are one.
    """
    usual = {*vars(torch.nn.Module()), "_compiled_call_impl", "_is_torch_compile", "__constants__"}
    own = [(n, v) for n, v in vars(module).items() if n not in usual]
    return sorted((n, v) for n, v in own if not _is_compiled(v, getattr(type(module), n, None)))


def _is_compiled(value: Any, original: Any) -> bool:
    """Whether a value is what ``torch.compile`` made of a method, such as ``model.forward``."""
    source = getattr(value, "_torchdynamo_orig_callable", None)
    return original is not None and getattr(source, "__func__", source) is original


def _hooks(module: Any) -> list[tuple[str, Any]]:
    """The forward hooks and forward pre-hooks of a module."""
    kinds = ("_forward_pre_hooks", "_forward_hooks")
    return [(kind, list(vars(module).get(kind, {}).values())) for kind in kinds]
