"""The arguments that a running method was called with, also if it has reassigned some since."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from turnkeyml.frameworks.torch.scopes import variables

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
