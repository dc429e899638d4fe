"""Fingerprints of PyTorch models: of structure, code and settings, and of weights."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from turnkeyml.build.fingerprint import DEPTH, Code, digest
from turnkeyml.system.machine import usable_cores

__all__ = ["model_fingerprint", "safe_repr", "weights_digest"]


def safe_repr(model: Any) -> str:
    """The ``repr`` of a model, or the name of its class if ``repr`` raises."""
    try:
        return repr(model)
    except Exception:  # noqa: BLE001 - a user-defined __repr__ may raise anything
        return f"{type(model).__module__}.{type(model).__qualname__}"


def model_fingerprint(model: Any) -> str:
    """A digest of structure, code and settings; the values of the weights do not change it."""
    words = [safe_repr(model)]
    code = Code(_special)
    for path, module in model.named_modules():
        kind = type(module)
        words.append(f"{path}={kind.__module__}.{kind.__qualname__}")
        for name, tensor in _own_tensors(module):
            words.append(f"{name}:{tuple(tensor.shape)}:{tensor.dtype}")
        for name, value in [*_own_attributes(module), *_hooks(module)]:
            words += [f"{name}=", *code.value(value, DEPTH)]
        for base in kind.__mro__:
            if base is not object and not base.__module__.startswith("torch."):
                words += code.methods(base)
    return digest(*words)


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
    data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
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
    """The attributes of a module that ``torch.nn.Module`` itself does not define."""
    usual = vars(torch.nn.Module())
    return sorted(
        (n, v) for n, v in vars(module).items() if n not in usual and n != "__constants__"
    )


def _hooks(module: Any) -> list[tuple[str, Any]]:
    """The forward hooks and forward pre-hooks of a module."""
    kinds = ("_forward_pre_hooks", "_forward_hooks")
    return [(kind, list(vars(module).get(kind, {}).values())) for kind in kinds]
