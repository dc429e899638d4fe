"""The first batch that ``predict``, ``evaluate`` or ``fit`` pass to a model, from their data."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import GeneratorType
from typing import Any

import numpy as np

from turnkeyml import structure

DEFAULT_ROWS = 32
"""The batch size of Keras where the script gives none."""


def first_batch(data: Any, rows: int | None) -> tuple[Any, Any]:
    """The inputs of the first batch, and the data to use in place of the given ones.

    They are the given ones unless these can be read only once.
    """
    keras = sys.modules["keras"]
    if isinstance(data, GeneratorType):
        first = next(data)
        return _inputs(first), _again(first, data)
    if isinstance(data, keras.utils.PyDataset):
        return _inputs(data[0]), data
    if not _is_arrays(data):
        with _unchanged_randomness():
            return _inputs(next(iter(data))), data
    return structure.replace(_plain(data), lambda _, t: _rows(t, rows or DEFAULT_ROWS)), data


def _inputs(batch: Any) -> Any:
    """The inputs in a batch that may have targets and weights besides."""
    return sys.modules["keras"].utils.unpack_x_y_sample_weight(batch)[0]


def _again(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _is_arrays(data: Any) -> bool:
    """Whether the data are arrays that Keras cuts into batches, and not batches already."""
    flat = sys.modules["keras"].tree.flatten(data)
    return all(structure.is_tensor(a) or hasattr(a, "__array__") for a in flat)


def _plain(data: Any) -> Any:
    """The data with tables of pandas as arrays."""

    def convert(value: Any) -> Any:
        return value if structure.is_tensor(value) else np.asarray(value)

    return sys.modules["keras"].tree.map_structure(convert, data)


def _rows(array: Any, rows: int) -> Any:
    """The first rows, in the precision to which Keras converts the floats of arrays."""
    first = array[:rows]
    if isinstance(first, np.ndarray) and first.dtype.kind == "f":
        return first.astype(sys.modules["keras"].config.floatx())
    return first


@contextlib.contextmanager
def _unchanged_randomness() -> Iterator[None]:
    """Within the block a loader of PyTorch may shuffle; the script's random numbers stay."""
    torch = sys.modules.get("torch")
    state = torch.get_rng_state() if torch is not None else None
    try:
        yield
    finally:
        if torch is not None:
            torch.set_rng_state(state)
