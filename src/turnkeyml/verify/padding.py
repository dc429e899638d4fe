"""Inputs that are padded on the left, and what may be expected there.

Held-out masks are padded on the right. A token that may look only to its left then has something
to look at. Padded on the left, the first ones have nothing: their attention is a softmax of minus
infinities, which a model has to guard against. What a build computes at padded places does not
matter, as nobody uses it, but it must be a number: NaN spreads.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.verify.held_out import SEED, is_mask
from turnkeyml.verify.reference import Outputs

COUNTING = "attention_mask"
"""What is in the name of a mask that is true where a token counts. Others may be the other way
round."""


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
