"""The ways into a model that do not go through ``torch.nn.Module.__call__``.

A script may call another method of a model (``clip.encode_text(x)``, ``policy.predict(x)``), or
``model.forward(x)`` itself. Only the frames on the stack show it, when the first part of the model
is called. The whole model is what the script calls then, not its parts. A class may also override
``__call__``; its own is wrapped while the script runs.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

import turnkeyml
from turnkeyml import structure
from turnkeyml.frameworks.register import Invocation
from turnkeyml.frameworks.torch.modules import contains
from turnkeyml.frameworks.torch.stack import Passed, passed, variables

MOST_CALLS = 4
"""A method that calls one part of the model more often than this in one run is a loop over it."""

_TORCH = os.path.dirname(torch.__file__) + os.sep
_PACKAGE = os.path.dirname(os.path.abspath(turnkeyml.__file__)) + os.sep
_DIRECT = ("forward", "__call__")

_LOOPS = ("generate", "fit", "train", "validation_step", "test_step")
"""Beginnings of the names of methods that call a model over and over, or to train it."""

_NOT_MODELS = ("torch", "keras")
"""Packages whose own classes have a ``__call__`` that others look after."""


@dataclass(frozen=True)
class Way:
    """A method of a model that is running, and its arguments."""

    owner: torch.nn.Module
    frame: FrameType
    method: str
    """Empty for ``forward`` itself."""
    passed: Passed


@dataclass
class MethodRun:
    """One run of a method, with the calls that it makes to parts of its model.

    It is kept in ``f_trace`` of the frame, so that it is freed with the frame.
    """

    invocation: Invocation
    owner: torch.nn.Module
    method: str
    calls: dict[int, int] = field(default_factory=dict)
    """How often the method has called each part."""
    parts: list[tuple[Invocation, float, bool]] = field(default_factory=list)
    """Each call to a part; it counts if the method turns out to be a loop."""
    rejected: bool = False

    def __call__(self, *_: object) -> None:
        """Does nothing: ``f_trace`` is meant for functions."""

    @property
    def name(self) -> tuple[type, str]:
        return type(self.owner), self.method

    @property
    def may_loop(self) -> bool:
        """Whether it may be a loop over the model: any method may, but ``forward`` itself."""
        return bool(self.method)

    def is_loop(self, target: Any) -> bool:
        """Count one more call to a part; whether the method is a loop over it."""
        self.calls[id(target)] = self.calls.get(id(target), 0) + 1
        most = 1 if target is self.owner else MOST_CALLS
        return self.may_loop and self.calls[id(target)] > most

    def add(self, part: Invocation | None, seconds: float, completed: bool) -> None:
        """Note a call to a part that has ended."""
        self.invocation.seconds += seconds
        if part is not None:
            self.parts.append((part, seconds, completed))

    def reject(self) -> None:
        """Count the calls to the parts so far, and not the run of the method."""
        self.rejected = True
        self.invocation.executed -= 1
        self.invocation.completed -= 1
        for part, seconds, completed in self.parts:
            self.invocation.seconds -= seconds
            part.count(seconds, completed)


def way_in(module: torch.nn.Module, loops: set[tuple[type, str]]) -> Way | None:
    """The outermost method of a model around ``module`` that gets tensors; None if there is none.

    Methods that loop over their model are looked through, and so are methods that get no tensors.
    """
    looping = False
    with_arrays = None
    for owner, frame in reversed(list(_running_methods(module))):
        name = frame.f_code.co_name
        if name in _DIRECT:
            if owner is not module:
                return Way(owner, frame, "", passed(frame))
            continue
        looping = looping or _loops(name) or (type(owner), name) in loops
        if looping or name.startswith("__"):
            continue
        way = Way(owner, frame, name, passed(frame))
        leaves = structure.leaves((way.passed.args, way.passed.kwargs)).values()
        if any(map(torch.is_tensor, leaves)):
            return way
        if leaves and with_arrays is None:
            with_arrays = way
    return with_arrays


def is_probe() -> bool:
    """Whether the constructor of a module makes the call, to see what its parts compute."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "__init__" and _self(frame) is not None:
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def own_calls_wrapped(
    watched: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Iterator[None]:
    """Within the block, ``watched`` wraps the ``__call__`` of every module class that is defined.

    The classes have their own ``__call__`` again afterwards.
    """
    patched: list[tuple[type, Callable[..., Any]]] = []

    def __init_subclass__(cls: type, **settings: Any) -> None:
        super(torch.nn.Module, cls).__init_subclass__(**settings)
        own = vars(cls).get("__call__")
        package = cls.__module__.partition(".")[0]
        if isinstance(own, types.FunctionType) and package not in _NOT_MODELS:
            cls.__call__ = functools.wraps(own)(watched(own))  # type: ignore[method-assign]
            patched.append((cls, own))

    torch.nn.Module.__init_subclass__ = classmethod(__init_subclass__)  # type: ignore[assignment]
    try:
        yield
    finally:
        del torch.nn.Module.__init_subclass__
        for cls, own in patched:
            cls.__call__ = own  # type: ignore[method-assign]


def _loops(name: str) -> bool:
    return name.startswith(_LOOPS) or "loss" in name


def _running_methods(module: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, FrameType]]:
    """The running methods of modules that contain ``module``, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        library = file.startswith((_TORCH, _PACKAGE))
        if not library or (name == "forward" and file.startswith(_TORCH + "nn" + os.sep)):
            owner = _owner(frame)
            if owner is not None and contains(owner, module):
                yield owner, frame
        frame = frame.f_back


def _self(frame: FrameType) -> torch.nn.Module | None:
    """The first argument of a running function if it is a module."""
    code = frame.f_code
    if code.co_argcount < 1:
        return None
    owner = variables(frame).get(code.co_varnames[0])
    return owner if isinstance(owner, torch.nn.Module) else None


def _owner(frame: FrameType) -> torch.nn.Module | None:
    """The module whose method a frame executes."""
    owner = _self(frame)
    if owner is None:
        return None
    name = frame.f_code.co_name
    known = [(kind, vars(kind)[name]) for kind in type(owner).__mro__ if name in vars(kind)]
    hidden = getattr(frame.f_code, "co_qualname", "")  # since Python 3.11
    if any(_runs(method, frame) or hidden == f"{k.__qualname__}.{name}" for k, method in known):
        return owner
    return owner if _runs(vars(owner).get(name), frame) else None


def _runs(method: Any, frame: FrameType) -> bool:
    """Whether a frame executes a function, or the function that it decorates by ``wraps``."""
    while method is not None:
        function = getattr(method, "__func__", method)
        if getattr(function, "__code__", None) is frame.f_code:
            return True
        method = getattr(function, "__wrapped__", None)
    return False
