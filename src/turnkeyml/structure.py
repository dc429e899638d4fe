"""Nested values that contain tensors (pytrees): the arguments and the results of a model.

A model takes and returns tensors inside dicts, lists, dataclasses and custom objects. This module
traverses such a value, names each tensor by its path, and rebuilds the value with other tensors in
the same positions. It copies containers with Python's own ``copy`` and imports no framework. Each
container is visited once, so shared and circular references are preserved.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = [
    "are_constant",
    "clone",
    "constants",
    "dtypes",
    "is_tensor",
    "leaves",
    "name_arguments",
    "once",
    "register_types",
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
    BaseException,
)


_tensors: list[type] = []
_models: list[type] = []


def register_types(*, tensor: type, model: type) -> None:
    """Register the tensor class and the model class of a framework. Models are not traversed."""
    _tensors.append(tensor)
    _models.append(model)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of a registered framework or a numeric numpy array."""
    if isinstance(value, tuple(_tensors)):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc"


def name_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their documented names, sorted by name."""
    named = {f"Positional Arg {i + 1}": arg for i, arg in enumerate(args)}
    named.update(kwargs)
    return {name: named[name] for name in sorted(named)}


def replace(value: Any, visit: Visitor, name: str = "") -> Any:
    """The same structure with every tensor replaced by ``visit(path, tensor)``.

    Containers are copied, never modified, those without tensors as well: a call may fill an empty
    cache. What cannot be copied stays the same object if it has no tensors.
    """
    return _Traversal(visit, copies=True).replace(value, name)


def once(visit: Visitor) -> Visitor:
    """A visitor that replaces a tensor that occurs twice by the same tensor both times.

    A model may look at that: attention is faster if query, key and value are one tensor.
    """
    seen: dict[int, tuple[Any, Any]] = {}

    def shared(path: str, tensor: Any) -> Any:
        if id(tensor) not in seen:  # it is kept, so that nothing else gets its identity
            seen[id(tensor)] = tensor, visit(path, tensor)
        return seen[id(tensor)][1]

    return shared


def clone(value: Any) -> Any:
    """The same structure with a copy of every tensor, detached from the autograd graph.

    Of a tensor that occurs twice there is one copy.
    """

    def duplicate(_: str, tensor: Any) -> Any:
        return tensor.detach().clone() if hasattr(tensor, "detach") else tensor.copy()

    return replace(value, once(duplicate))


def leaves(value: Any, name: str = "") -> dict[str, Any]:
    """Every tensor in a value, by its path."""
    found: dict[str, Any] = {}

    def collect(path: str, tensor: Any) -> Any:
        unique, n = path or "value", 2
        while unique in found:
            unique, n = f"{path}_{n}", n + 1
        found[unique] = tensor
        return tensor

    _Traversal(collect, copies=False).replace(value, name)
    return found


def shapes(tensors: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor, in the order of the mapping."""
    return {name: tuple(int(n) for n in tensor.shape) for name, tensor in tensors.items()}


def dtypes(tensors: Mapping[str, Any]) -> dict[str, str]:
    """The numpy name of each tensor's dtype, in the order of the mapping."""
    return {name: str(tensor.dtype).removeprefix("torch.") for name, tensor in tensors.items()}


def are_constant(tensors: Iterable[Any]) -> bool | None:
    """Whether each tensor has a single value, and one of them more than one element.

    None if the values cannot be read now.
    """
    several = False
    try:
        for tensor in tensors:
            if getattr(tensor, "is_cuda", False) and _captures_a_graph():
                return None
            flat = (tensor.detach() if hasattr(tensor, "detach") else tensor).reshape(-1)
            several = several or len(flat) > 1
            if len(flat) > 1 and not (bool(flat[0] == flat[-1]) and bool((flat == flat[0]).all())):
                return False
    except Exception:  # noqa: BLE001 - tensors without values, or of a kind that compares otherwise
        return None
    return several


def _captures_a_graph() -> bool:
    """Whether operations of this thread become part of a CUDA graph, where no value is known."""
    return bool(sys.modules["torch"].cuda.is_current_stream_capturing())


def constants(value: Any, numbers: bool = True) -> str:
    """A text for everything in a value but its tensors; it differs if the structure differs.

    Without ``numbers``, values that differ only in Python numbers give the same text.
    """
    words: list[str] = []
    seen: set[int] = set()

    def describe(item: Any) -> None:
        if is_tensor(item):
            words.append("tensor")
        elif isinstance(item, (bool, str, bytes, type(None))):
            words.append(repr(item))
        elif isinstance(item, (int, float, complex)):
            words.append(repr(item) if numbers else "number")
        elif id(item) in seen:
            words.append("again")
        else:
            seen.add(id(item))
            words.append(type(item).__qualname__)
            for key, child in _children(item):
                words.append(f"{key}:")
                describe(child)

    describe(value)
    return " ".join(words)


def _children(value: Any) -> list[tuple[Any, Any]]:
    """The items or attributes of a container, with their keys; empty for other values."""
    if isinstance(value, (*_OPAQUE, *_models)):
        return []
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(zip(getattr(value, "_fields", range(len(value))), value, strict=True))
    if dataclasses.is_dataclass(value):
        return [(f.name, getattr(value, f.name, None)) for f in dataclasses.fields(value)]
    if isinstance(value, deque):
        return list(enumerate(value))
    slots = [s for kind in type(value).__mro__ for s in _slots(kind) if hasattr(value, s)]
    return [*((s, getattr(value, s)) for s in slots), *getattr(value, "__dict__", {}).items()]


def _slots(kind: type) -> tuple[str, ...]:
    """The names of the attributes that a class stores in slots instead of ``__dict__``."""
    names = vars(kind).get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    return tuple(name for name in names if not name.startswith("__"))


class _Traversal:
    """One traversal of a value."""

    def __init__(self, visit: Visitor, copies: bool) -> None:
        self._visit = visit
        self._copies = copies
        """Whether containers are copied in which nothing was replaced."""
        self._done: dict[int, tuple[Any, Any]] = {}
        """Each container and its replacement, by id; a reference keeps the id from being reused."""

    def replace(self, value: Any, name: str) -> Any:
        if is_tensor(value):
            return self._visit(name, value)
        if id(value) in self._done:
            return self._done[id(value)][1]
        children = _children(value)
        if not children and not (self._copies and _may_be_filled(value)):
            return value
        self._done[id(value)] = (value, value)
        changed = {}
        for key, child in children:
            new = self.replace(child, f"{name}.{key}" if name else str(key))
            if new is not child:
                changed[key] = new
        if changed:
            self._done[id(value)] = (value, _rebuild(value, children, changed))
        elif self._copies and not isinstance(value, tuple):
            with contextlib.suppress(Exception):  # it has no tensors, so it may stay as it is
                self._done[id(value)] = (value, _rebuild(value, children, {}))
        return self._done[id(value)][1]


def _may_be_filled(value: Any) -> bool:
    """Whether a call may put something into an empty container: a list, or an object without
    attributes. Objects that a module names are not, as they may stand for something."""
    if isinstance(value, (list, dict, set, deque)):
        return True
    if isinstance(value, (*_OPAQUE, *_models)) or not hasattr(value, "__dict__"):
        return False
    module = sys.modules.get(type(value).__module__)
    return not any(named is value for named in vars(module).values()) if module else False


def _rebuild(value: Any, children: list[tuple[Any, Any]], changed: dict[Any, Any]) -> Any:
    """A copy of a container with some of its children replaced."""
    items = [changed.get(key, child) for key, child in children]
    if isinstance(value, deque):
        return type(value)(items, value.maxlen)
    if isinstance(value, tuple):
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if type(value) is list:
        return items
    if type(value) is dict:
        return dict(zip((key for key, _ in children), items, strict=True))
    duplicate = copy.copy(value)
    if duplicate is value:
        raise TypeError(f"a {type(value).__name__} cannot be copied")
    if isinstance(value, list):
        duplicate[:] = items
    elif isinstance(value, dict):
        for key, item in changed.items():
            duplicate[key] = item
    else:
        for key, item in changed.items():
            object.__setattr__(duplicate, key, item)
    return duplicate
