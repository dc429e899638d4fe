"""Classes that override ``torch.nn.Module.__call__``, patched while a script runs."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

_NOT_MODELS = ("torch", "keras")
"""Packages whose own classes have a ``__call__`` that others look after."""


@contextlib.contextmanager
def watching(watched: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
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
