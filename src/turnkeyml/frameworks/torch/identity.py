"""Fingerprints of PyTorch models: of structure, code and settings, and of weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from turnkeyml.build import DEPTH, Code, digest
from turnkeyml.system import usable_cores

_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


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
