"""Nested values with tensors in them: the arguments and the results of a model.

A model takes and returns tensors inside dicts, lists, dataclasses and objects of its own. This
module walks such a value, names each tensor by its path, and rebuilds the value with other tensors
in the same places. It knows nothing of the containers' classes beyond how Python copies them, and
it imports no framework.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

__all__ = [
    "clone",
    "constants",
    "dtypes",
    "is_tensor",
    "leaves",
    "name_arguments",
    "replace",
    "shapes",
]

Visitor = Callable[[str, Any], Any]

_OPAQUE = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    types.GeneratorType,
    str,
    bytes,
    int,
    float,
    complex,
    range,
    slice,
    type(None),
    type(...),
)


def is_tensor(value: Any) -> bool:
    """Whether a value is a torch tensor or a numpy array of numbers."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc"


def name_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments under the documented names, sorted by them."""
    named = {f"Positional Arg {i + 1}": arg for i, arg in enumerate(args)}
    named.update(kwargs)
    return {name: named[name] for name in sorted(named)}


def replace(value: Any, visit: Visitor, name: str = "") -> Any:
    """The same structure with ``visit(path, tensor)`` in the place of every tensor.

    Containers are copied, never changed; what holds no tensor is passed on as it is.
    """
    return _replace(value, visit, name, ())


def clone(value: Any) -> Any:
    """The same structure with a copy of every tensor, detached from any gradient."""

    def duplicate(_: str, tensor: Any) -> Any:
        return tensor.detach().clone() if hasattr(tensor, "detach") else tensor.copy()

    return replace(value, duplicate)


def leaves(value: Any, name: str = "") -> dict[str, Any]:
    """Every tensor in a value, by its path."""
    found: dict[str, Any] = {}

    def collect(path: str, tensor: Any) -> Any:
        unique, n = path or "value", 2
        while unique in found:
            unique, n = f"{path}_{n}", n + 1
        found[unique] = tensor
        return tensor

    _replace(value, collect, name, ())
    return found


def shapes(tensors: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor, in the order of the mapping."""
    return {name: tuple(int(n) for n in tensor.shape) for name, tensor in tensors.items()}


def dtypes(tensors: Mapping[str, Any]) -> dict[str, str]:
    """The numpy name of each tensor's dtype, in the order of the mapping."""
    return {name: str(tensor.dtype).removeprefix("torch.") for name, tensor in tensors.items()}


def constants(value: Any) -> str:
    """What a value says besides its tensors: text that differs when the structure does."""
    words: list[str] = []

    def describe(item: Any, depth: int) -> None:
        if is_tensor(item):
            words.append("tensor")
        elif isinstance(item, (str, int, float, bool, complex, bytes, type(None))):
            words.append(repr(item))
        elif isinstance(item, Mapping):
            for key, inner in item.items():
                words.append(f"{key}:")
                describe(inner, depth + 1)
        elif isinstance(item, (list, tuple)):
            words.append(f"{type(item).__name__}{len(item)}")
            for inner in item:
                describe(inner, depth + 1)
        else:
            words.append(type(item).__qualname__)
            if depth < 8 and hasattr(item, "__dict__") and not isinstance(item, _OPAQUE):
                describe(vars(item), depth + 1)

    describe(value, 0)
    return " ".join(words)


def _replace(value: Any, visit: Visitor, name: str, above: tuple[int, ...]) -> Any:
    if is_tensor(value):
        return visit(name, value)
    if isinstance(value, _OPAQUE) or id(value) in above or len(above) > 32:
        return value
    above = (*above, id(value))
    if isinstance(value, Mapping):
        return _replace_mapping(value, visit, name, above)
    if isinstance(value, (list, tuple)):
        return _replace_sequence(value, visit, name, above)
    if dataclasses.is_dataclass(value):
        fields = {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
        return _replace_attributes(value, fields, visit, name, above)
    if _is_plain_object(value):
        return _replace_attributes(value, dict(vars(value)), visit, name, above)
    return value


def _is_plain_object(value: Any) -> bool:
    """An instance of an ordinary class, such as a key-value cache; never a module of layers."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.nn.Module):
        return False
    return hasattr(value, "__dict__") and not isinstance(value, BaseException)


def _join(name: str, key: object) -> str:
    return f"{name}.{key}" if name else str(key)


def _replace_mapping(
    value: Mapping[Any, Any], visit: Visitor, name: str, above: tuple[int, ...]
) -> Any:
    items = {k: _replace(v, visit, _join(name, k), above) for k, v in value.items()}
    if all(items[k] is v for k, v in value.items()):
        return value
    if type(value) is dict:
        return items
    duplicate: Any = copy.copy(value)
    for key, item in items.items():
        duplicate[key] = item
    return duplicate


def _replace_sequence(value: Any, visit: Visitor, name: str, above: tuple[int, ...]) -> Any:
    keys = getattr(value, "_fields", range(len(value)))
    items = [_replace(v, visit, _join(name, k), above) for k, v in zip(keys, value, strict=True)]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    if type(value) in (list, tuple):
        return type(value)(items)
    if hasattr(value, "_fields"):
        return type(value)(*items)
    if isinstance(value, list):
        duplicate = copy.copy(value)
        duplicate[:] = items
        return duplicate
    return type(value)(items)


def _replace_attributes(
    value: Any, fields: dict[str, Any], visit: Visitor, name: str, above: tuple[int, ...]
) -> Any:
    items = {k: _replace(v, visit, _join(name, k), above) for k, v in fields.items()}
    if all(items[k] is v for k, v in fields.items()):
        return value
    duplicate = copy.copy(value)
    for key, item in items.items():
        object.__setattr__(duplicate, key, item)
    return duplicate
