"""A model that rounds more than it would: to a lower precision, or by larger steps than its own."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from turnkeyml.frameworks.torch.operators import EveryOperator

PRODUCTS = frozenset(
    {"addbmm", "addmm", "baddbmm", "bmm", "einsum", "linear", "matmul", "__matmul__", "mm"}
)
"""The names of torch's matrix-product functions."""

Change = Callable[[torch.Tensor], torch.Tensor]


@contextlib.contextmanager
def rounding(dtype: torch.dtype) -> Iterator[Callable[[Any], Any]]:
    """Yields a function that makes a model emulate a lower precision.

    The function rounds the weights and adds hooks that round the outputs of submodules. Within the
    block, the results of matrix products are rounded too. Accelerators compute like this: 16-bit
    values, 32-bit accumulation. Real half precision on a CPU is a hundred times slower.
    """

    def rounded(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(dtype).to(tensor.dtype)

    def prepare(model: Any) -> Any:
        with torch.no_grad():
            for tensor in filter(_is_float, [*model.parameters(), *model.buffers()]):
                tensor.copy_(rounded(tensor))
        return _with_hooks(model, rounded)

    with _products(rounded):
        yield prepare


class Wobbling(EveryOperator):
    """Within the block, the result of every operator is off by up to a share of itself, at random.

    So would roundings of that size have it. Whole numbers stay, as every precision holds them.
    """

    def __init__(self, share: float, seed: int) -> None:
        super().__init__()
        self._share = share
        self._random = torch.Generator().manual_seed(seed)

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: Any, result: Any) -> Any:
        returns = function._schema.returns
        if any(returned.alias_info is not None for returned in returns):  # a view, or in place
            return result
        return _changed(result, self.wobbled)

    def wobbled(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor that is off as much."""
        error = torch.rand(tensor.shape, generator=self._random, dtype=tensor.dtype) * 2 - 1
        changed = tensor * (1 + self._share * error)
        return torch.where(tensor == tensor.round(), tensor, changed)


def _with_hooks(model: Any, change: Change) -> Any:
    """A model whose submodules return changed results."""
    for module in model.modules():
        module.register_forward_hook(lambda _module, _inputs, outputs: _changed(outputs, change))
    return model


@contextlib.contextmanager
def _products(change: Change) -> Iterator[None]:
    """Within the block matrix products have changed results."""

    class Products(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            result = function(*args, **(kwargs or {}))
            named = getattr(function, "__name__", "") in PRODUCTS
            return _changed(result, change) if named else result

    with Products():
        yield


def _changed(value: Any, change: Change) -> Any:
    """A value with all floating-point tensors in it changed."""
    if torch.is_tensor(value):
        return change(value) if _is_float(value) else value
    if type(value) in (list, tuple):
        return type(value)(_changed(item, change) for item in value)
    if isinstance(value, dict):
        changed = copy.copy(value)
        for key, item in value.items():
            changed[key] = _changed(item, change)
        return changed
    return value


def _is_float(value: Any) -> bool:
    return torch.is_tensor(value) and value.is_floating_point()
