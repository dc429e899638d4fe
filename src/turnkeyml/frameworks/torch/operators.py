"""Seeing every operator that a model runs, in the branches of ``torch.cond`` too."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class EveryOperator(TorchDispatchMode):
    """Within the block ``ran`` gets every operator with its result, and returns what it gives."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False: otherwise torch imports its compiler for us, which takes a second."""
        return False

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: Any, result: Any) -> Any:
        raise NotImplementedError

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        kwargs = kwargs or {}
        if isinstance(function, torch._ops.HigherOrderOperator):
            return self._of_graphs(function, args, kwargs)
        if _consists_of_others(function):
            with self:
                return function.decompose(*args, **kwargs)
        return self.ran(function, args, kwargs, function(*args, **kwargs))

    def _of_graphs(self, function: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
        """The result of an operator that runs functions: of a branch we see the operators."""
        if function is not torch.ops.higher_order.cond:
            return function(*args, **kwargs)
        condition, one, other, operands = args
        with self:
            return (one if condition else other)(*operands)


def _consists_of_others(function: Any) -> bool:
    """Whether an operator is a name for several, which torch usually runs in its place.

    Under ``inference_mode`` and inside of a branch it does not.
    """
    implicit = torch._C.DispatchKey.CompositeImplicitAutograd
    return bool(function.has_kernel_for_dispatch_key(implicit))


@contextlib.contextmanager
def uncompiled() -> Iterator[None]:
    """Within the block nothing is compiled.

    ``torch.cond`` compiles itself, and a model may have compiled functions. What watches a model
    (hooks, modes) cannot be compiled, and where that has failed once an exporter fails as well.
    """
    if "torch._dynamo" not in sys.modules:  # then nothing has been compiled so far
        yield
        return
    with torch.compiler.set_stance("force_eager"):
        yield
