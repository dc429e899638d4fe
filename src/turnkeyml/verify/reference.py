"""What the original model computes on the recorded inputs: the measure of every build."""

from __future__ import annotations

import contextlib
import copy
import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.cache.arrays import BFLOAT16, to_numpy
from turnkeyml.errors import describe

__all__ = ["Reference", "as_numbers", "evaluating", "lowest_precision", "of_onnx", "of_torch"]

Outputs = dict[str, np.ndarray]

PRECISE_LIMIT_BYTES = 5 << 28
"""Weights above this are not copied into another precision just for a closer comparison."""

PRECISE_LIMIT_SECONDS = 20.0
"""Nor is a model run in fp64 that takes longer than this as it is."""


@dataclass(frozen=True)
class Reference:
    """The golden outputs, how far to trust them, and ways to get more exact ones."""

    inputs: Outputs
    outputs: Outputs
    deterministic: bool = True
    in_precision: Callable[[str], Outputs | None] = lambda _: None
    """The outputs of the original computed in another precision, where that can be done."""


def of_torch(
    model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], names: list[str]
) -> Reference:
    """Run a live model twice on its recorded arguments."""
    import torch

    def run(module: Any, cast: Any = None) -> Outputs:
        def convert(_: str, tensor: Any) -> Any:
            floats = torch.is_tensor(tensor) and tensor.is_floating_point()
            return tensor.to(cast) if floats else tensor

        call_args, call_kwargs = structure.clone((args, kwargs))
        if cast is not None:
            call_args, call_kwargs = structure.replace((call_args, call_kwargs), convert)
        with torch.no_grad(), evaluating(module):
            result = module(*call_args, **call_kwargs)
        return dict(to_numpy(n, t) for n, t in structure.leaves(result, "output").items())

    @functools.cache
    def in_precision(dtype: str) -> Outputs | None:
        cast = getattr(torch, dtype)
        if cast == lowest_precision(model):
            return first
        size = sum(p.numel() * p.element_size() for p in model.parameters())
        too_slow = cast == torch.float64 and seconds > PRECISE_LIMIT_SECONDS
        if size > PRECISE_LIMIT_BYTES or too_slow:
            return None
        try:
            if cast.itemsize < lowest_precision(model).itemsize:
                with _rounding(cast) as rounded:
                    return run(rounded(copy.deepcopy(model)))
            return run(copy.deepcopy(model).to(cast), cast)
        except Exception as error:  # noqa: BLE001 - many models fix a dtype inside; the log says so
            print(f"The original does not run in {dtype}: {describe(error)}", flush=True)
            return None

    tensors = structure.leaves((args, kwargs))
    inputs = dict(
        to_numpy(name, tensor) for name, tensor in zip(names, tensors.values(), strict=True)
    )
    first = run(model)
    begin = time.perf_counter()
    second = run(model)
    seconds = time.perf_counter() - begin
    return Reference(inputs, first, _same(first, second), in_precision)


def lowest_precision(model: Any) -> Any:
    """The lowest floating-point type among the weights; float16 before bfloat16."""
    import torch

    found = {t.dtype for t in [*model.parameters(), *model.buffers()] if t.is_floating_point()}
    return min(found, key=lambda d: (d.itemsize, d != torch.float16), default=torch.float32)


PRODUCTS = frozenset(
    {"addbmm", "addmm", "baddbmm", "bmm", "einsum", "linear", "matmul", "__matmul__", "mm"}
)
"""Matrix products, whichever way they are written."""


@contextlib.contextmanager
def _rounding(dtype: Any) -> Iterator[Callable[[Any], Any]]:
    """A function that rounds a model's weights to a lower precision, and makes it round what its
    parts return; within the block, the results of matrix products are rounded too.

    So compute accelerators: numbers of 16 bits, sums of 32. A processor that is told to compute
    in half precision throughout takes a hundred times as long.
    """
    import torch
    from torch.overrides import TorchFunctionMode

    def rounded(value: Any) -> Any:
        if torch.is_tensor(value) and value.is_floating_point():
            return value.to(dtype).to(value.dtype)
        if type(value) in (list, tuple):
            return type(value)(map(rounded, value))
        return value

    class Products(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            result = function(*args, **(kwargs or {}))
            return rounded(result) if getattr(function, "__name__", "") in PRODUCTS else result

    def prepare(model: Any) -> Any:
        with torch.no_grad():
            for tensor in [*model.parameters(), *model.buffers()]:
                tensor.copy_(rounded(tensor))
        for module in model.modules():
            module.register_forward_hook(lambda _module, _inputs, outputs: rounded(outputs))
        return model

    with Products():
        yield prepare


def of_onnx(path: Path, inputs: Outputs, threads: int) -> Reference:
    """Run an ONNX file as it is, with no optimisation by the runtime."""
    from turnkeyml.runtimes.ort_session import OrtSession

    session = OrtSession(str(path), inputs, threads, level="none", prepacking=False)
    first, second = session.outputs(), session.outputs()
    return Reference(inputs, first, _same(first, second))


@contextlib.contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Within the block a model is in eval mode; afterwards each part is as it was."""
    training = [module for module in model.modules() if module.training]
    with contextlib.suppress(NotImplementedError):  # an exported program knows one mode only
        model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


def as_numbers(outputs: Outputs) -> list[np.ndarray]:
    """The outputs in order, with 16-bit patterns turned into the numbers they stand for."""
    return [
        (array.astype(np.uint32) << 16).view(np.float32) if name.endswith(BFLOAT16) else array
        for name, array in outputs.items()
    ]


def _same(first: Outputs, second: Outputs) -> bool:
    """Whether two runs agree as well as two runs of one computation do."""
    pairs = zip(as_numbers(first), as_numbers(second), strict=False)
    return len(first) == len(second) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
        for a, b in pairs
    )
