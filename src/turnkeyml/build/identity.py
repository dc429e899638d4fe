"""What makes two models the same: their structure, their code, their settings, their weights."""

from __future__ import annotations

import hashlib
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from turnkeyml.system.machine import usable_cores

__all__ = [
    "checksum",
    "digest",
    "file_digest",
    "model_fingerprint",
    "object_fingerprint",
    "safe_repr",
    "weights_digest",
]

_INSTALLED = tuple(
    {str(sysconfig.get_path(k)) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
)
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
        for name, value in [*_own_attributes(module), *_hooks(module)]:
            words += [f"{name}=", *code.value(value, _DEPTH)]
        for base in kind.__mro__:
            if base is not object and not base.__module__.startswith("torch."):
                words += code.methods(base)
    return digest(*words)


def object_fingerprint(thing: Any) -> str:
    """Differs between objects that differ in their class's code or in their settings."""
    code = _Code()
    return digest(*code.methods(type(thing)), *code.value(thing, _DEPTH))


def weights_digest(model: Any) -> str:
    """Differs when the value of any tensor that the model holds differs."""
    import torch

    def one(item: tuple[str, Any]) -> str:
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
        return digest(*pool.map(one, named))


def _tensor_digest(tensor: Any) -> str:
    """A tensor's type, shape and content."""
    import torch

    head = f"{tensor.dtype}:{tuple(tensor.shape)}:"
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.device.type == "meta":
        return head + repr(tensor)
    data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
    return head + hashlib.sha256(data).hexdigest()


def file_digest(paths: Iterable[Path]) -> str:
    """Differs when the name or the content of any of the files differs."""
    files = list(paths)
    return digest(*(file.name for file in files), checksum(files))


def checksum(paths: Iterable[Path]) -> str:
    """The SHA-256 of the content of some files, one after the other."""
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                total.update(block)
    return total.hexdigest()


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


def _hooks(module: Any) -> list[tuple[str, Any]]:
    """The functions that run before and after a module's forward."""
    kinds = ("_forward_pre_hooks", "_forward_hooks")
    return [(kind, list(vars(module).get(kind, {}).values())) for kind in kinds]


def _is_users(function: types.FunctionType) -> bool:
    """Whether a function is from neither the standard library nor an installed package."""
    return not function.__code__.co_filename.startswith(_INSTALLED)


def _is_users_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and not file.startswith(_INSTALLED)


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
        elif depth > 0 and isinstance(value, (set, frozenset)):
            yield repr(sorted(map(repr, value)))
        elif "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
            yield _tensor_digest(value)
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
                if value.__module__ == function.__module__ or _is_users(value):
                    yield from self.function(value)
            elif isinstance(value, types.ModuleType) and _is_users_module(value):
                for inner in function.__code__.co_names:
                    yield from self.value(vars(value).get(inner), 2)
            elif not name.startswith("__") and not isinstance(value, types.ModuleType):
                yield f"{name}="
                yield from self.value(value, 2)


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
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))  # its own order changes from run to run
        else:
            yield repr(constant)
