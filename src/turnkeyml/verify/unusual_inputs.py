"""Inputs that turn decisions which inputs like the recorded ones may never turn.

Unusual ones, for models that decide by value: all zero, sorted, a hundred times as large. Others
lie around the numbers that a model compares values with: a threshold, the id of a token.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from turnkeyml.verify.held_out import SEED, Draw, drawn, is_mask, unchanged
from turnkeyml.verify.reference import Outputs

MOST_NUMBERS = 8
"""How many numbers are tried."""


def draw_unusual(recorded: Mapping[str, np.ndarray], variant: str) -> Outputs:
    """One set of inputs in the place of the recorded ones; the same for the same arguments."""
    floats, integers = _unusual_changes()[variant]
    return drawn(recorded, floats, integers, SEED + 100 + UNUSUAL.index(variant))


def _unusual_changes() -> dict[str, tuple[Draw, Draw]]:
    """How each variant changes floats and integers; the most plausible first."""
    return {
        "four times as large": (functools.partial(_multiplied, 4), unchanged),
        "a quarter as large": (functools.partial(_multiplied, 0.25), unchanged),
        "with one integer zero": (unchanged, _one_zero),
        "with the largest integer": (unchanged, _largest),
        "positive": (lambda name, array, random: np.abs(array), unchanged),
        "negative": (lambda name, array, random: -np.abs(array), unchanged),
        "with sorted integers": (unchanged, _sorted),
        "with reversed integers": (unchanged, _reversed),
        "with four times the integers": (unchanged, functools.partial(_beyond, 4)),
        "four times as large, negated": (functools.partial(_multiplied, -4), unchanged),
        "with an outlier": (_outlier, unchanged),
        "sorted": (_sorted, unchanged),
        "with the smallest integer": (unchanged, _smallest),
        "with extreme integers": (unchanged, _extremes),
        "with integers of one": (unchanged, _ones),
        "with all but one integer zero": (unchanged, _all_but_one_zero),
        "with thirty times the integers": (unchanged, functools.partial(_beyond, 30)),
        "with a hundred times the integers": (unchanged, functools.partial(_beyond, 100)),
        "zero": (lambda name, array, random: np.zeros_like(array), unchanged),
        "one": (_ones, unchanged),
        "a hundredth as large": (functools.partial(_multiplied, 0.01), unchanged),
        "a hundred times as large": (functools.partial(_multiplied, 100), unchanged),
        "a hundred times as large, negated": (functools.partial(_multiplied, -100), unchanged),
    }


def _multiplied(
    factor: float, name: str, array: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    with np.errstate(over="ignore"):
        return (array * factor).astype(array.dtype)


def _sorted(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.sort(array, axis=None).reshape(array.shape)


def _reversed(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Sizes that must have a sum keep it."""
    return np.flip(array).copy()


def _outlier(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """One number is twenty times as large as the largest."""
    changed = array.copy()
    changed.flat[random.integers(array.size)] = 20 * max(1e-6, float(np.abs(array).max()))
    return changed


def _one_zero(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    changed = array.copy()
    changed.flat[random.integers(array.size)] = 0
    return changed


def _all_but_one_zero(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """In each row; a single number is zero."""
    changed = np.zeros_like(array)
    if array.ndim:
        changed[..., 0] = array.max()
    return changed


def _ones(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.ones_like(array)


def _largest(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.full_like(array, array.max())


def _smallest(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.full_like(array, array.min())


def _extremes(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return random.choice([array.min(), array.max()], array.shape).astype(array.dtype)


def _beyond(factor: int, name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Integers below that many times the largest, and the largest of these for sure."""
    if is_mask(name, array):
        return array
    highest = min(factor * max(1, int(array.max())) - 1, int(np.iinfo(array.dtype).max))
    lowest = min(0, int(array.min()))
    changed = random.integers(lowest, highest, array.shape, endpoint=True).astype(array.dtype)
    changed.flat[random.integers(array.size)] = highest
    return changed


UNUSUAL = tuple(_unusual_changes())
"""The names of the variants, the most plausible first."""


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
