"""Information from the call stack about a call to a model: the caller, its location, the name."""

from __future__ import annotations

import dis
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import torch

import turnkeyml
from turnkeyml.build.origin import is_users_file

__all__ = [
    "arguments",
    "called_by_torch_tool",
    "caller",
    "find_name",
    "forward_entered_directly",
    "location",
]

_TORCH = os.path.dirname(torch.__file__) + os.sep
_PACKAGE = os.path.dirname(os.path.abspath(turnkeyml.__file__)) + os.sep
_TOOLS = tuple(
    _TORCH + part.replace("/", os.sep)
    for part in ("jit/", "onnx/", "export/", "fx/", "_dynamo/", "ao/", "utils/flop_counter")
)
_NESTED_LIMIT = 1000


def caller() -> FrameType | None:
    """The innermost frame that is neither in this package nor in ``torch.nn``."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE) and not name.startswith(_TORCH + "nn"):
            return frame
        frame = frame.f_back
    return None


def called_by_torch_tool(frame: FrameType | None) -> bool:
    """Whether a tracer, exporter or quantizer of torch makes this call, not the script."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_TOOLS):
            return frame.f_code.co_name not in _RUNNERS
        frame = frame.f_back
    return False


_RUNNERS = {"compile_wrapper", "_fn", "__call__", "call_wrapped"}
"""Functions of those tools that run their finished product on behalf of the script."""


def location(frame: FrameType | None) -> tuple[str, int]:
    """File and line of a call: the innermost frame in the user's own code, if there is one."""
    nearest = ("", 0)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_TORCH, _PACKAGE, "<")):
            if is_users_file(name):
                return os.path.abspath(name), frame.f_lineno
            if not nearest[0]:
                nearest = (name, frame.f_lineno)
        frame = frame.f_back
    return nearest


def forward_entered_directly(
    module: torch.nn.Module,
) -> tuple[torch.nn.Module, FrameType] | None:
    """The outermost model around ``module`` whose ``forward`` the script called directly.

    Such a call (or a class that overrides ``__call__``) bypasses ``torch.nn.Module.__call__``;
    only the frames on the stack show it.
    """
    found = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        ours = file.startswith((_TORCH, _PACKAGE)) and not file.startswith(_TORCH + "nn" + os.sep)
        if name in ("forward", "__call__") and not ours:
            owner = _owner(frame)
            if owner is not None and owner is not module and _contains(owner, module):
                found = (owner, frame)
        frame = frame.f_back
    return found


def _owner(frame: FrameType) -> torch.nn.Module | None:
    """The module whose method a frame executes."""
    code = frame.f_code
    if not code.co_varnames or code.co_argcount < 1:
        return None
    owner = variables(frame).get(code.co_varnames[0])
    if not isinstance(owner, torch.nn.Module):
        return None
    for kind in type(owner).__mro__:
        method = vars(kind).get(code.co_name)
        while method is not None:
            if getattr(method, "__code__", None) is code:
                return owner
            method = getattr(method, "__wrapped__", None)
    return None


def variables(frame: FrameType) -> Mapping[str, Any]:
    """The local variables of a frame, without leaving behind a copy that keeps them alive."""
    values = frame.f_locals
    optimized = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    if not optimized or sys.version_info >= (3, 13) or sys.getrefcount(values) > 3:
        return values
    taken = dict(values)
    values.clear()
    return taken


def _contains(owner: torch.nn.Module, module: torch.nn.Module) -> bool:
    return any(inner is module for inner in owner.modules())


def find_name(frame: FrameType | None, *candidates: Any) -> str | None:
    """The name of the variable, attribute, list or dict entry that is one of the candidates."""
    main = vars(sys.modules["__main__"])
    scopes: list[Mapping[str, Any]] = [main]
    while frame is not None and len(scopes) < 40:
        if not frame.f_code.co_filename.startswith((_TORCH, _PACKAGE)):
            scopes.append(variables(frame))
        frame = frame.f_back
    for search in (_plain_names, _nested_names):
        for scope in scopes:
            for name, value in search(scope):
                if any(value is candidate for candidate in candidates):
                    return name
    return None


def _plain_names(scope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in list(scope.items()):
        if name not in ("self", "cls") and not name.startswith("__"):
            yield name, value


def _nested_names(scope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The attributes and items of the variables in a scope, one level deep."""
    for name, value in list(scope.items()):
        if name.startswith("__"):
            continue
        if type(value) is dict:
            for key in list(value)[:_NESTED_LIMIT]:
                yield f"{name}[{key!r}]", value[key]
        elif type(value) in (list, tuple):
            for index, item in enumerate(value[:_NESTED_LIMIT]):
                yield f"{name}[{index}]", item
        elif isinstance(value, torch.nn.Module):
            for attribute, inner in list(value._modules.items()):
                yield attribute, inner
        else:
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is dict and not isinstance(value, type(sys)):
                for attribute, inner in list(attributes.items())[:_NESTED_LIMIT]:
                    yield attribute, inner


def arguments(frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any], bool]:
    """The arguments of a running method, and whether it may have reassigned some of them."""
    code, values = frame.f_code, variables(frame)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    stored = {
        i.argval
        for i in dis.get_instructions(code)
        if i.opname.startswith("STORE_FAST") and i.offset < frame.f_lasti
    }
    positional = tuple(values[name] for name in names[1 : code.co_argcount] if name in values)
    keywords = {name: values[name] for name in names[code.co_argcount :] if name in values}
    rest = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & inspect.CO_VARARGS:
        positional += tuple(values.get(code.co_varnames[rest], ()))
        rest += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords.update(values.get(code.co_varnames[rest], {}))
    flat = {n for s in stored for n in (s if isinstance(s, tuple) else (s,))}
    return positional, keywords, bool(flat & set(names))
