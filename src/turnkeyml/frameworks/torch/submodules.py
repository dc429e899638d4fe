"""What the submodules of a PyTorch model return while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from turnkeyml import structure
from turnkeyml.verify import InnerResult

MAX_BYTES = 1 << 30
"""The most bytes that are kept of one call; of more than that, every second result or fewer."""

MAX_STEP = 1 << 10

DECISION_BYTES = 1 << 24
"""Larger tensors of integers or booleans are data, not decisions."""

SCORES_BYTES = 1 << 26
"""Larger tensors of scores are not kept with what was decided by them."""


def inner_results(call: Callable[[], Any], model: torch.nn.Module) -> list[InnerResult]:
    """The results of every submodule during a call of the model, in the order in which they end.

    Integers and booleans are kept from functions as well: the decisions of a model (indices of the
    best, what is above a threshold) are rarely made in a submodule. With them are the scores that
    they were made by.
    """
    recorder = _Recorder()
    _record(call, model, recorder)
    return recorder.kept


class _Recorder:
    """Keeps every decision, and every floating-point result; every second one, or fourth, if these
    take too much memory."""

    def __init__(self) -> None:
        self._numbered: list[tuple[int, InnerResult]] = []
        """Floating-point results with their numbers, from 1 on; decisions have the number 0."""
        self._step = 1
        self._seen = 0
        self._bytes = 0

    @property
    def kept(self) -> list[InnerResult]:
        return [result for _, result in self._numbered]

    def keep(self, name: str, value: Any, scores: tuple[np.ndarray, ...] = ()) -> None:
        for tensor in structure.leaves(value, name).values():
            if not torch.is_tensor(tensor) or tensor.numel() < 2:
                continue
            number = 0
            if tensor.is_floating_point():
                number = self._seen = self._seen + 1
                if number % self._step:
                    continue
            elif tensor.is_complex() or tensor.nbytes > DECISION_BYTES:
                continue
            self._add(number, InnerResult(name, _array(tensor), scores))

    def _add(self, number: int, result: InnerResult) -> None:
        last = self._numbered[-1][1] if self._numbered else None
        if last and not result.scores and np.array_equal(last.array, result.array):
            return  # a container returns what its last submodule does
        self._numbered.append((number, result))
        self._bytes += _bytes(result)
        while self._bytes > MAX_BYTES and self._step < MAX_STEP:
            self._step *= 2
            self._numbered = [(n, r) for n, r in self._numbered if n % self._step == 0]
            self._bytes = sum(_bytes(r) for _, r in self._numbered)


def _bytes(result: InnerResult) -> int:
    return result.array.nbytes + sum(score.nbytes for score in result.scores)


def _array(tensor: torch.Tensor) -> np.ndarray:
    copied = tensor.detach().to("cpu", copy=True)
    exact = copied.float() if copied.is_floating_point() and copied.itemsize < 4 else copied
    found: np.ndarray = exact.contiguous().numpy()
    return found


def _scores(arguments: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
    """The first arguments of a function that decides by floating-point numbers, else none."""
    first = arguments[:2]
    floats = [a for a in first if torch.is_tensor(a) and a.is_floating_point()]
    if not floats or sum(tensor.nbytes for tensor in floats) > SCORES_BYTES:
        return ()
    known = [a for a in first if torch.is_tensor(a) or isinstance(a, (int, float))]
    return tuple(_array(torch.as_tensor(argument)) for argument in known)


def _record(call: Callable[[], Any], model: torch.nn.Module, recorder: _Recorder) -> None:
    """Call a model, and have a recorder keep what its submodules and decisions give."""

    def hook(name: str) -> Callable[[Any, Any, Any], None]:
        return lambda _module, _inputs, outputs: recorder.keep(name, outputs)

    class DecisionResults(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            result = function(*args, **(kwargs or {}))
            tensors = result if isinstance(result, (tuple, list)) else (result,)
            decided = [t for t in tensors if torch.is_tensor(t) and not t.is_floating_point()]
            if decided:
                name = getattr(function, "__name__", "a function")
                recorder.keep(name, decided, _scores(args))
            return result

    inner = [(name, module) for name, module in model.named_modules() if name]
    hooks = [module.register_forward_hook(hook(name)) for name, module in inner]
    try:
        with DecisionResults():
            call()
    finally:
        for handle in hooks:
            handle.remove()
