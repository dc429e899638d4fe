"""Further inputs for a model that returns nothing on ordinary ones, from mild to extreme.

A detector with random weights finds nothing in any ordinary image, so that any file matches it. It
finds something where its scores are far enough apart: in an image with little contrast, one with a
few very bright spots, or one that is many times as bright.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np

from turnkeyml.verify.held_out import SEED, Draw, drawn, redrawn, unchanged
from turnkeyml.verify.reference import Outputs

NARROW = 100
"""How many times as close to their mean as the recorded floats some are."""
OUTLIERS, OUTLYING = 8, 1000
"""How many numbers are outliers, and how many times as large as the others these are."""
POWERS = range(1, 11)
"""The powers of ten by which floats are multiplied."""


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
