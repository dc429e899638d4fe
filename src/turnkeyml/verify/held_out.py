"""Inputs that an exporter has never seen: of the same shapes and dtypes, with other values.

Ordinary ones: floats are drawn anew from the distribution of the recorded ones, once negated, once
smaller and once larger: a model may decide by a sign or by a magnitude. Integers are drawn from the
values and ranges seen; masks get another pattern; lengths other values. The rows of strings change
places.

Further ones, from mild to extreme, for a model that returns nothing on ordinary ones: a detector
with random weights finds nothing in any ordinary image, so that any file matches it. It finds
something where its scores are far enough apart: in an image with little contrast, one with a few
very bright spots, or one that is many times as bright.

Padded ones: held-out masks are padded on the right. A token that may look only to its left then has
something to look at. Padded on the left, the first ones have nothing: their attention is a softmax
of minus infinities, which a model has to guard against. What a build computes at padded places does
not matter, as nothing uses it, but it must be a number: NaN spreads.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping

import numpy as np

from turnkeyml.cache import BFLOAT16, narrow, widen, widened
from turnkeyml.verify.reference import Outputs

SEED = 20_161

LENGTHS = ("len", "size", "num_", "count")
"""What the names of inputs that count something contain."""

SCALE = 3
"""How many times as small or as large as the recorded floats some are."""

NARROW = 100
"""How many times as close to their mean as the recorded floats some are."""

OUTLIERS, OUTLYING = 8, 1000
"""How many numbers are outliers, and how many times as large as the others these are."""

POWERS = range(1, 11)
"""The powers of ten by which floats are multiplied."""

COUNTING = "attention_mask"
"""What is in the name of a mask that is true where a token counts. Others may be the other way
round."""

Draw = Callable[[str, np.ndarray, "np.random.Generator"], np.ndarray]


def draw(recorded: Mapping[str, np.ndarray], variant: str) -> Outputs:
    """One set of inputs in the place of the recorded ones; the same for the same arguments."""
    floats, integers = _changes()[variant]
    return drawn(recorded, floats, integers, SEED + list(_changes()).index(variant))


def drawn(recorded: Mapping[str, np.ndarray], floats: Draw, integers: Draw, seed: int) -> Outputs:
    """The recorded inputs, changed by one function for floats and one for integers."""
    random = np.random.default_rng(seed)
    return {
        name: _of_kind(name, array, random, floats, integers) for name, array in recorded.items()
    }


def _changes() -> dict[str, tuple[Draw, Draw]]:
    """How each variant draws floats and integers. Constant integers may stand for a mode."""
    return {
        "redrawn": (redrawn, _integers),
        "negated": (_opposite, _integers),
        "redrawn where it varies": (redrawn, _varying_integers),
        "redrawn floats": (redrawn, unchanged),
        "negated floats": (_opposite, unchanged),
        "shuffled": (_shuffled, _shuffled),
        "smaller": (_smaller, _nothing_special),
        "smaller floats": (_smaller, unchanged),
        "larger": (_larger, _all_flags),
        "larger floats": (_larger, unchanged),
    }


VARIANTS: tuple[tuple[str, ...], ...] = (
    ("redrawn", "redrawn where it varies", "redrawn floats", "shuffled"),
    ("negated", "negated floats"),
    ("smaller", "smaller floats"),
    ("larger", "larger floats"),
)
"""The sets that are wanted: of each the first that the original accepts."""


def _of_kind(
    name: str, array: np.ndarray, random: np.random.Generator, floats: Draw, integers: Draw
) -> np.ndarray:
    if array.size == 0:
        return array
    if name.endswith(BFLOAT16):
        return narrow(np.asarray(floats(name, widen(array), random)))
    if array.dtype.kind in "fc":
        return np.asarray(floats(name, array, random))
    if array.dtype.kind in "iub":
        return np.asarray(integers(name, array, random))
    if array.ndim and integers is not unchanged:  # strings: each column in another order
        return random.permuted(array, axis=0)
    return array


def _shuffled(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The recorded values in another order: valid wherever values are judged one by one."""
    return random.permutation(array.ravel()).reshape(array.shape)


def unchanged(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The recorded values."""
    return array


def redrawn(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Values drawn from the recorded ones, or around the one value there is."""
    if np.all(array == array.flat[0]):
        centre = array.flat[0] if np.isfinite(array.flat[0]) else 0.0
        return (centre + random.standard_normal(array.shape) * max(abs(centre), 1.0)).astype(
            array.dtype
        )
    return random.choice(array.ravel(), array.shape).astype(array.dtype)


def _opposite(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return -redrawn(name, array, random)


def _smaller(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return (redrawn(name, array, random) / SCALE).astype(array.dtype)


def _larger(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return (redrawn(name, array, random) * SCALE).astype(array.dtype)


def _integers(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    low, high = int(array.min()), int(array.max())
    if is_mask(name, array):
        return _mask(array, random)
    if array.ndim <= 1 and any(word in name.lower() for word in LENGTHS):
        return random.integers(min(1, high), high, array.shape, endpoint=True).astype(array.dtype)
    if low == high:
        low, high = min(0, low), max(1, high)
    if array.size > 1 and len(np.unique(array)) == array.size:  # they may be places to write to
        return (low + random.choice(high - low + 1, array.shape, replace=False)).astype(array.dtype)
    return random.integers(low, high, array.shape, endpoint=True).astype(array.dtype)


def _nothing_special(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """No flag is set, and no edge of a graph goes from a node to itself."""
    if _are_flags(array):
        return np.zeros_like(array)
    found = _integers(name, array, random)
    if array.ndim == 2 and array.shape[0] == 2 and not is_mask(name, array):
        low, high = int(found.min()), int(found.max())
        following = np.where(found[1] < high, found[1] + 1, low)
        found[1] = np.where(found[0] == found[1], following, found[1])
    return found


def _all_flags(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.ones_like(array) if _are_flags(array) else _integers(name, array, random)


def _are_flags(array: np.ndarray) -> bool:
    """Booleans that are no mask over rows."""
    return array.dtype.kind == "b" and array.ndim <= 1


def _varying_integers(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return array if array.min() == array.max() else _integers(name, array, random)


def is_mask(name: str, array: np.ndarray) -> bool:
    """Whether an array of integers or booleans says what counts and what does not."""
    if array.dtype.kind == "b":
        return True
    return 0 <= array.min() <= array.max() <= 1 and "mask" in name.lower()


def _mask(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """As padding makes one: each row true up to a length of its own."""
    if array.ndim == 0:
        return np.asarray(not array).astype(array.dtype)
    rows = array.shape[-1]
    lengths = random.integers(1, max(1, rows - 1), array.shape[:-1], endpoint=True)
    return (np.arange(rows) < lengths[..., None]).astype(array.dtype)


def draw_further(recorded: Mapping[str, np.ndarray], variant: str, number: int = 0) -> Outputs:
    """A set of inputs in the place of the recorded ones, the same for the same arguments.

    ``number`` tells the sets of one variant apart.
    """
    seed = SEED + 200 + 2 * FURTHER.index(variant) + number
    return drawn(recorded, _further_changes()[variant], unchanged, seed)


def _further_changes() -> dict[str, Draw]:
    """How each variant draws floats; the mildest first."""
    scaled = {
        f"10^{power} times as large{sign}": functools.partial(_scaled, factor * 10.0**power)
        for power in POWERS
        for sign, factor in (("", 1), (", negated", -1))
    }
    return {"of little contrast": _narrow, "with outliers": _outliers, **scaled}


def _narrow(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        centre = array.mean()
    return (centre + (redrawn(name, array, random) - centre) / NARROW).astype(array.dtype)


def _outliers(name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    changed = redrawn(name, array, random)
    places = random.choice(array.size, min(OUTLIERS, array.size), replace=False)
    with np.errstate(over="ignore"):
        changed.flat[places] *= OUTLYING
    return changed


def _scaled(factor: float, name: str, array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    with np.errstate(over="ignore"):
        return (redrawn(name, array, random) * factor).astype(array.dtype)


FURTHER = tuple(_further_changes())
"""The names of the variants, the mildest first."""


def draw_padded(recorded: Mapping[str, np.ndarray]) -> Outputs | None:
    """The recorded inputs with masks that are padded on the left; None if there is no mask."""
    random = np.random.default_rng(SEED + 300)
    masks = {name: _padded(array, random) for name, array in recorded.items() if _pads(name, array)}
    return {**recorded, **masks} if masks else None


def without_padding(outputs: Outputs, golden: Outputs, inputs: Mapping[str, np.ndarray]) -> Outputs:
    """Outputs in which numbers at padded places are those of the original.

    Where it is not known which places are padded, all numbers are. NaN and infinities stay.
    """
    mask = next((a for name, a in inputs.items() if COUNTING in name and _pads(name, a)), None)
    found, expected = widened(outputs), widened(golden)
    pairs = itertools.zip_longest(found, expected[: len(found)])
    return {str(number): _replaced(*pair, mask) for number, pair in enumerate(pairs)}


def _pads(name: str, array: np.ndarray) -> bool:
    """Whether an input says for each row how much of it is padding."""
    is_integer = array.dtype.kind in "iub"
    return bool(is_integer and array.ndim == 2 and array.shape[1] > 1 and is_mask(name, array))


def _padded(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Each row false up to a length of its own."""
    rows, length = array.shape
    lengths = random.integers(1, max(1, length // 2), (rows, 1), endpoint=True)
    return (np.arange(length) >= lengths).astype(array.dtype)


def _replaced(array: np.ndarray, golden: np.ndarray | None, mask: np.ndarray | None) -> np.ndarray:
    if golden is None or array.shape != golden.shape or array.dtype.kind not in "fc":
        return array
    places = np.isfinite(array)
    if mask is not None and array.shape[:2] == mask.shape:
        places &= ~mask.astype(bool).reshape(mask.shape + (1,) * (array.ndim - 2))
    return np.where(places, golden, array)
