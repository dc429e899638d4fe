"""What makes two models the same: their structure, their code, their settings, their weights."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from turnkeyml.runtimes.machine import usable_cores

__all__ = ["digest", "file_digest", "model_fingerprint", "safe_repr", "weights_digest"]

_PRIMITIVE = (str, int, float, bool, complex, bytes, type(None))
_DEPTH = 4
_MANY = 1000


def digest(*parts: str) -> str:
    """A short name for some text."""
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:16]


def safe_repr(model: Any) -> str:
    """The model's ``repr``, or its class where that cannot be had."""
    try:
        return repr(model)
    except Exception:  # noqa: BLE001 - a repr of the script's own may raise anything
        return f"{type(model).__module__}.{type(model).__qualname__}"


def model_fingerprint(model: Any) -> str:
    """Differs between models that differ in anything but the values of their weights."""
    words = [safe_repr(model)]
    code = _Code()
    for path, module in model.named_modules():
        kind = type(module)
        words.append(f"{path}={kind.__module__}.{kind.__qualname__}")
        for name, tensor in _own_tensors(module):
            words.append(f"{name}:{tuple(tensor.shape)}:{tensor.dtype}")
        for name, value in _own_attributes(module):
            words += [f"{name}=", *code.value(value, _DEPTH)]
        if not kind.__module__.startswith("torch."):
            words += code.methods(kind)
    return digest(*words)


def weights_digest(model: Any) -> str:
    """Differs when the value of any tensor that the model holds differs."""
    import torch

    def one(item: tuple[str, Any]) -> str:
        name, tensor = item
        head = f"{name}:{tensor.dtype}:{tuple(tensor.shape)}:"
        if (
            tensor.layout is not torch.strided
            or tensor.is_quantized
            or tensor.device.type == "meta"
        ):
            return head + repr(tensor)
        data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
        return head + hashlib.sha256(data).hexdigest()

    named = [
        (f"{path}.{name}", tensor)
        for path, module in model.named_modules()
        for name, tensor in [
            *_own_tensors(module),
            *((n, v) for n, v in _own_attributes(module) if isinstance(v, torch.Tensor)),
        ]
    ]
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


def _own_tensors(module: Any) -> list[tuple[str, Any]]:
    named = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
    return [(name, tensor) for name, tensor in named if tensor is not None]


def _own_attributes(module: Any) -> list[tuple[str, Any]]:
    """What the class has put on a module beyond what every module has."""
    import torch

    usual = vars(torch.nn.Module())
    return sorted(
        (n, v) for n, v in vars(module).items() if n not in usual and n != "__constants__"
    )


class _Code:
    """Puts values and functions into words, each function once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def value(self, value: Any, depth: int) -> Iterator[str]:
        """A setting: numbers and words as they are, functions by their code, objects by class."""
        if isinstance(value, _PRIMITIVE):
            yield repr(value)
        elif isinstance(value, types.MethodType):
            yield from self.function(value.__func__)
        elif isinstance(value, types.FunctionType):
            yield from self.function(value)
        elif isinstance(value, (type, types.BuiltinFunctionType)):
            yield f"{value.__module__}.{value.__qualname__}"
        elif depth > 0 and isinstance(value, (list, tuple)):
            for item in value[:_MANY]:
                yield from self.value(item, depth - 1)
        elif depth > 0:
            yield type(value).__qualname__
            items = value if isinstance(value, dict) else _plain_attributes(value)
            for name, item in list(items.items())[:_MANY]:
                yield f"{name}="
                yield from self.value(item, depth - 1)

    def methods(self, kind: type) -> Iterator[str]:
        """The code of a class."""
        if id(kind) in self._seen:
            return
        self._seen.add(id(kind))
        for name, member in sorted(vars(kind).items()):
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(function, types.FunctionType):
                yield name
                yield from self.function(function)

    def function(self, function: Any) -> Iterator[str]:
        """The code of a function, what it has bound, and what it calls in its own module."""
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        yield from _code(function.__code__)
        bound = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            try:
                bound.append(cell.cell_contents)
            except ValueError:
                continue  # a variable that has no value yet
        for value in bound:
            yield from self.value(value, 1)
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.FunctionType):
                if value.__module__ == function.__module__:
                    yield from self.function(value)
            elif isinstance(value, _PRIMITIVE) and not name.startswith("__"):
                yield f"{name}={value!r}"


def _plain_attributes(value: Any) -> dict[str, Any]:
    """The attributes of a configuration; modules and tensors are dealt with elsewhere."""
    import torch

    if isinstance(value, (torch.nn.Module, torch.Tensor)):
        return {}
    attributes = getattr(value, "__dict__", {})
    return attributes if isinstance(attributes, dict) else {}


def _code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant)
        else:
            yield repr(constant)
