"""A model that is entered by a method other than ``forward``, as a module of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class Entered(torch.nn.Module):
    """Calls one method of a model, so that everything that takes a module can take the method."""

    def __init__(self, model: torch.nn.Module, method: str) -> None:
        super().__init__()
        self.model = model
        self.method = method

    @property
    def entry(self) -> Any:
        """The method itself, for the names of its parameters."""
        return getattr(self.model, self.method)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.model, self.method)(*args, **kwargs)


def entered(model: Any, method: str) -> Any:
    """The module to build and measure: the model, or one of its methods as a module."""
    return Entered(model, method) if method else model


@contextlib.contextmanager
def arrays_are_tensors() -> Iterator[None]:
    """Within the block, functions that convert between numpy and torch pass tensors through.

    A method may take numpy arrays and return them. An exporter needs the operators in between.
    """
    original = torch.from_numpy

    class Conversions(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            name = getattr(function, "__name__", "")
            if name == "numpy" and torch.is_tensor(args[0]):
                return args[0]
            if name == "tensor" and args and torch.is_tensor(args[0]):
                dtype = (kwargs or {}).get("dtype")
                return args[0].to(dtype) if dtype else args[0]
            return function(*args, **(kwargs or {}))

    torch.from_numpy = lambda array: array if torch.is_tensor(array) else original(array)
    try:
        with Conversions():
            yield
    finally:
        torch.from_numpy = original
