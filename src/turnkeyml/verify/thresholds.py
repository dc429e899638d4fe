"""Inputs around the numbers that a model compares values with: a threshold, the id of a token."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from turnkeyml.verify.held_out import SEED, Draw, drawn, is_mask, unchanged
from turnkeyml.verify.reference import Outputs

MOST_NUMBERS = 8
"""How many numbers are tried."""


def draw_around(recorded: Mapping[str, np.ndarray], numbers: Iterable[float]) -> Iterator[Outputs]:
    """Sets of inputs in the place of the recorded ones, for each of the first few numbers."""
    chosen = list(dict.fromkeys(n for n in numbers if math.isfinite(n)))[:MOST_NUMBERS]
    kinds = {array.dtype.kind for array in recorded.values()}
    for number in chosen:
        yield from (
            drawn(recorded, unchanged, d, SEED) for d in _integers(number) if kinds & {*"iu"}
        )
        yield from (drawn(recorded, d, unchanged, SEED) for d in _floats(number) if kinds & {*"f"})


def _integers(number: float) -> Iterator[Draw]:
    """The number in the first place of each row, then everywhere; more, and less."""
    yield functools.partial(_first, round(number))
    for whole in (round(number), math.floor(number) + 1, math.ceil(number) - 1):
        yield functools.partial(_filled, whole)


def _floats(number: float) -> Iterator[Draw]:
    """As large that the largest is twice the number, or half of it; that the mean of the magnitudes
    is a little more; moved so that the mean is twice the number."""
    if number == 0:
        return
    for measure, wanted in ((_most, 2.0), (_most, 0.5), (_typical, 1.05)):
        yield functools.partial(_scaled, measure, wanted * number)
    yield functools.partial(_moved, 2 * number)


def _first(number: int, name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if not array.ndim or not _holds(number, name, array):
        return array
    changed = array.copy()
    changed[..., :1] = number
    return changed


def _filled(number: int, name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.full_like(array, number) if _holds(number, name, array) else array


def _holds(number: int, name: str, array: np.ndarray) -> bool:
    """Whether an array may have that integer."""
    if is_mask(name, array):
        return False
    limits = np.iinfo(array.dtype)
    return bool(limits.min <= number <= limits.max) and (number >= 0 or bool(array.min() < 0))


def _scaled(
    measure: Callable[[np.ndarray], float],
    wanted: float,
    name: str,
    array: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    with np.errstate(all="ignore"):
        changed = (array * (wanted / measure(array))).astype(array.dtype)
    return changed if np.isfinite(changed).all() else array


def _moved(wanted: float, name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    with np.errstate(all="ignore"):
        changed = (array + (wanted - array.mean())).astype(array.dtype)
    return changed if np.isfinite(changed).all() else array


def _most(array: np.ndarray) -> float:
    return float(np.abs(array).max())


def _typical(array: np.ndarray) -> float:
    return float(np.abs(array).mean())
