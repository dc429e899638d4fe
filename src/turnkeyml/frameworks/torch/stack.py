"""Information from the call stack about a call to a model: the caller, its location, the name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import torch

import turnkeyml
from turnkeyml.build import is_users_file
from turnkeyml.frameworks.torch.scopes import variables

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
