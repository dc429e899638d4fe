"""Running a model under observation, without leaving a trace in it.

Blocks that restore the state, the mode and the random numbers, and blocks that see every operator,
in the branches of ``torch.cond`` and in other threads too.
"""

from __future__ import annotations

import contextlib
import random
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.thread import _worker
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from turnkeyml.runtimes import MOST_BUFFER_BYTES

KEPT = (dict, list, deque)
"""Containers whose items are given back."""

Watching = Callable[[], AbstractContextManager[None]]
"""Makes what watches the thread that enters it."""


@contextlib.contextmanager
def preserved(model: torch.nn.Module, state: ModelState | None = None) -> Iterator[None]:
    """Within the block a model may change; afterwards it has its earlier buffers and attributes.

    Calls of ours must not become part of its state. Within the block it begins with ``state``.
    """
    before = ModelState(model)
    if state is not None:
        state.restore()
    try:
        yield
    finally:
        before.restore()


class ModelState:
    """The buffers and attributes that a model has now, which can be given back to it.

    Models keep state between calls: counters, caches, tables that grow with the largest position
    they have seen.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        attributes = [vars(module) for module in model.modules()]
        inner = [v for known in attributes for v in known.values() if isinstance(v, KEPT)]
        self._copies = [(container, container.copy()) for container in (*attributes, *inner)]
        small = sum(buffer.nbytes for buffer in model.buffers()) <= MOST_BUFFER_BYTES
        self._buffers = [(b, b.detach().clone()) for b in model.buffers()] if small else []

    def restore(self) -> None:
        """Give the model these buffers and attributes."""
        for container, known in self._copies:
            _restore(container, known)
        with torch.no_grad():
            for buffer, values in self._buffers:
                if buffer.shape == values.shape:
                    buffer.copy_(values)


def _restore(container: Any, known: Any) -> None:
    """Give a container the items of an earlier copy."""
    if isinstance(container, list):
        container[:] = known
        return
    if isinstance(container, deque):
        container.clear()
        container.extend(known)
        return
    for key in [key for key in container if key not in known]:
        del container[key]
    for key, value in known.items():
        if key not in container or container[key] is not value:
            container[key] = value


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Within the block chance depends on a seed: that of torch, Python and NumPy."""
    python, numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]):
        if torch.cuda.is_initialized():
            torch.manual_seed(seed)
        else:  # the same without a note of who asked for it, for a GPU that is used later
            torch.default_generator.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)


@contextlib.contextmanager
def eval_mode(model: Any) -> Iterator[None]:
    """Within the block a model is in eval mode; afterwards each submodule has its old mode."""
    training = [module for module in model.modules() if module.training]
    with contextlib.suppress(NotImplementedError):  # an exported program has no eval()
        model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


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
def threads_within(watching: Watching) -> Iterator[None]:
    """Within the block, threads that are started and what a pool of threads gets to do are watched.

    Torch's modes belong to one thread.
    """
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            with watching():
                return call(*args, **kwargs)

        return inner

    def watched_start(thread: Any) -> None:
        if getattr(thread, "_target", None) is not _worker:  # that of a pool outlives the block
            thread.run = watched(thread.run)
        start(thread)

    def watched_submit(pool: Any, call: Any, /, *args: Any, **kwargs: Any) -> Any:
        return submit(pool, watched(call), *args, **kwargs)

    threading.Thread.start = watched_start  # type: ignore[method-assign, assignment]
    ThreadPoolExecutor.submit = watched_submit  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]
        ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]
