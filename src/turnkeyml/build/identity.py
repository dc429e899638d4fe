"""What makes two models the same: their structure, their code, their settings, their weights."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from turnkeyml.runtimes.machine import usable_cores

__all__ = ["digest", "file_digest", "model_fingerprint", "weights_digest"]

_PRIMITIVE = (str, int, float, bool, complex, bytes, type(None))


def digest(*parts: str) -> str:
    """A short name for some text."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def model_fingerprint(model: Any) -> str:
    """Differs between models that differ in anything but the values of their weights."""
    words = [repr(model), *_settings(getattr(model, "config", None))]
    seen: set[type] = set()
    for path, module in model.named_modules():
        kind = type(module)
        words.append(f"{path}={kind.__module__}.{kind.__qualname__}")
        words += _settings(module)
        tensors = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        words += [f"{n}:{getattr(t, 'shape', None)}:{t.dtype}" for n, t in tensors]
        if kind not in seen and not kind.__module__.startswith("torch."):
            seen.add(kind)
            words += _class_code(kind)
    return digest(*words)


def weights_digest(model: Any) -> str:
    """Differs when the value of any parameter or buffer differs."""
    import torch

    def one(item: tuple[str, Any]) -> str:
        name, tensor = item
        head = f"{name}:{tensor.dtype}:{tuple(tensor.shape)}:"
        data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
        return head + hashlib.sha256(data).hexdigest()

    named = [*model.named_parameters(), *model.named_buffers()]
    with ThreadPoolExecutor(usable_cores()) as pool:
        return digest(*pool.map(one, named))


def file_digest(paths: Iterable[Path]) -> str:
    """Differs when the content of any of the files differs."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                total.update(block)
    return total.hexdigest()[:16]


def _settings(thing: Any) -> list[str]:
    """The simple public attributes of an object, which forward may well depend on."""
    attributes = getattr(thing, "__dict__", {})
    return [
        f"{name}={value!r}"
        for name, value in sorted(attributes.items())
        if not name.startswith("_") and name != "training" and _is_simple(value)
    ]


def _is_simple(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) < 100 and all(isinstance(v, _PRIMITIVE) for v in value)
    return isinstance(value, _PRIMITIVE)


def _class_code(kind: type) -> Iterator[str]:
    seen: set[int] = set()
    for name, member in sorted(vars(kind).items()):
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if isinstance(function, types.FunctionType):
            yield name
            yield from _function_code(function, seen)


def _function_code(function: types.FunctionType, seen: set[int]) -> Iterator[str]:
    """The code of a function and of what it calls in its own module."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield from _code(function.__code__)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            yield from _function_code(value, seen)
        elif isinstance(value, _PRIMITIVE) and not name.startswith("__"):
            yield f"{name}={value!r}"


def _code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant)
        else:
            yield repr(constant)
