"""Information from the call stack about a call to a model: the caller, its location, the name.

For a running method of a model, also the arguments that it was called with, even those that it has
reassigned since.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FrameType
from typing import Any

import torch

import turnkeyml
from turnkeyml.build import is_users_file

_TORCH = os.path.dirname(torch.__file__) + os.sep
_PACKAGE = os.path.dirname(os.path.abspath(turnkeyml.__file__)) + os.sep
_TOOLS = tuple(
    _TORCH + part.replace("/", os.sep)
    for part in ("jit/", "onnx/", "export/", "fx/", "_dynamo/", "ao/", "utils/flop_counter")
)

_RUNNERS = {"compile_wrapper", "_fn", "__call__", "call_wrapped"}
"""Functions of those tools that run their finished product on behalf of the script."""

_NESTED_LIMIT = 1000

_HARMLESS = (
    ast.Expression,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Starred,
    ast.Slice,
    ast.UnaryOp,
    ast.unaryop,
    ast.expr_context,
)
"""What an argument may consist of to be evaluated again."""

_UNKNOWN = object()


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


def is_in_library(frame: FrameType | None) -> bool:
    """Whether a frame runs code that is not the user's own."""
    return frame is not None and not is_users_file(frame.f_code.co_filename)


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


def variables(frame: FrameType) -> Mapping[str, Any]:
    """The local variables of a frame, without leaving behind a copy that keeps them alive."""
    values = frame.f_locals
    optimized = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    if not optimized or sys.version_info >= (3, 13) or sys.getrefcount(values) > 3:
        return values
    taken = dict(values)
    values.clear()
    return taken


@dataclass(frozen=True)
class Passed:
    """The arguments of a call, without ``self``."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    reassigned: tuple[str, ...] = ()
    """Parameters that have other values by now, and whose first values are not known."""


def passed(frame: FrameType) -> Passed:
    """The arguments of a running method; those that it reassigned are looked up at its caller."""
    code, values = frame.f_code, dict(variables(frame))
    ordinary = code.co_varnames[1 : code.co_argcount]
    end = code.co_argcount + code.co_kwonlyargcount
    changed = set(code.co_varnames[1:end]) & _stored(code, frame.f_lasti)
    if changed:
        first = _from_caller(frame, code)
        values.update({name: first[name] for name in changed & first.keys()})
        changed -= first.keys()
    args = tuple(values[name] for name in ordinary if name in values)
    kwargs = {n: values[n] for n in code.co_varnames[code.co_argcount : end] if n in values}
    if code.co_flags & inspect.CO_VARARGS:
        args += tuple(values.get(code.co_varnames[end], ()))
        end += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(values.get(code.co_varnames[end], {}))
    return Passed(args, kwargs, tuple(sorted(changed)))


def _stored(code: CodeType, before: int) -> set[str]:
    """The local variables that a function assigns to in the code up to an offset."""
    stored: set[str] = set()
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("STORE_FAST") and instruction.offset < before:
            names = instruction.argval
            stored.update(names if isinstance(names, tuple) else (names,))
    return stored


def _from_caller(frame: FrameType, code: CodeType) -> dict[str, Any]:
    """The arguments by parameter, as far as variables of the caller still hold them."""
    caller = frame.f_back
    call = _call_expression(caller) if caller is not None else None
    if caller is None or call is None:
        return {}
    values = list(_positional(call, caller))
    if values and values[0] is variables(frame).get(code.co_varnames[0]):
        values = values[1:]  # the caller passes ``self`` by itself, as decorators do
    found = dict(zip(code.co_varnames[1 : code.co_argcount], values, strict=False))
    for keyword in call.keywords:
        value = _look_up(keyword.value, caller)
        if keyword.arg is not None:
            found[keyword.arg] = value
        elif value is not _UNKNOWN:
            found.update(value)
    return {name: value for name, value in found.items() if value is not _UNKNOWN}


def _positional(call: ast.Call, caller: FrameType) -> Iterator[Any]:
    for node in call.args:
        if not isinstance(node, ast.Starred):
            yield _look_up(node, caller)
            continue
        several = _look_up(node.value, caller)
        if several is _UNKNOWN:
            return  # how many there are is not known, nor what follows them
        yield from several


def _look_up(node: ast.expr, caller: FrameType) -> Any:
    """The value of an expression that only names things; ``_UNKNOWN`` for any other."""
    if not all(isinstance(part, _HARMLESS) for part in ast.walk(node)):
        return _UNKNOWN
    scope = dict(variables(caller))
    try:
        return eval(compile(ast.Expression(node), "<argument>", "eval"), caller.f_globals, scope)
    except Exception:  # noqa: BLE001 - the variable is gone
        return _UNKNOWN


def _call_expression(caller: FrameType) -> ast.Call | None:
    """The call that a frame is executing; None if its source code is not known."""
    if sys.version_info < (3, 11):
        return None  # only the line is known there
    positions = caller.f_code.co_positions()
    line, last, start, end = next(islice(positions, caller.f_lasti // 2, None))
    lines = linecache.getlines(caller.f_code.co_filename)
    if None in (line, last, start, end) or len(lines) < last:
        return None
    text = [one.encode() for one in lines[line - 1 : last]]
    text[-1] = text[-1][:end]
    text[0] = text[0][start:]
    try:
        node = ast.parse(b"(" + b"".join(text) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.Call) else None
