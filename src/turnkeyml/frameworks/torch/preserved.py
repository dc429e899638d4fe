"""Running a model without leaving a trace in it."""

from __future__ import annotations

import contextlib
import random
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from turnkeyml.runtimes import MOST_BUFFER_BYTES

KEPT = (dict, list, deque)
"""Containers whose items are given back."""


class State:
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


@contextlib.contextmanager
def preserved(model: torch.nn.Module, state: State | None = None) -> Iterator[None]:
    """Within the block a model may change; afterwards it has its earlier buffers and attributes.

    Calls of ours must not become part of its state. Within the block it begins with ``state``.
    """
    before = State(model)
    if state is not None:
        state.restore()
    try:
        yield
    finally:
        before.restore()


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
