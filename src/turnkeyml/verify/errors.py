"""How far outputs are from the original's, in the figures that tolerances are given in.

They are taken on the recorded inputs and on held-out inputs of the same magnitude. Some held-out
sets are three times as large, or as small, to turn decisions that depend on magnitudes: what is
calibrated for the range of the recorded inputs is not made for those.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from turnkeyml.cache import BFLOAT16, widen, widened
from turnkeyml.nouns import OutputErrors
from turnkeyml.verify.floats import cosine
from turnkeyml.verify.magnitudes import places_of, real
from turnkeyml.verify.reference import Outputs, Reference, is_informative
from turnkeyml.verify.tolerances import ALIKE_INPUTS

MOST_DECIBELS = 200.0
"""Of outputs that are the same, or so close that double precision does not tell."""

_WRONG = OutputErrors(0.0, -MOST_DECIBELS, math.inf)
"""Of outputs that cannot be compared number by number."""


def errors_of(run: Callable[[Outputs], Outputs], reference: Reference) -> OutputErrors | None:
    """The worst errors on the recorded inputs and on held-out inputs of the same magnitude.

    If the original returns nothing on these, on all held-out inputs. None if it never returns
    anything or does not repeat its own results, so that errors say nothing.
    """
    sets = _telling(reference) if reference.deterministic else []
    if not sets:
        return None
    found = [_of_set(run(known.inputs), known.outputs) for known in sets]
    return _worst(found, len(sets))


def alike(reference: Reference) -> list[Reference]:
    """The recorded set, and the held-out sets of the same magnitude."""
    return [
        reference,
        *(h for h in reference.held_out if _has_alike_inputs(h.inputs, reference.inputs)),
    ]


def _telling(reference: Reference) -> list[Reference]:
    """The sets to compare; none if the original returns nothing on any of them."""
    for sets in (alike(reference), [reference, *reference.held_out]):
        if any(is_informative(known.outputs) for known in sets):
            return sets
    return []


def _of_set(outputs: Outputs, golden: Outputs) -> OutputErrors:
    found, expected = widened(outputs), widened(golden)
    if [a.shape for a in found] != [g.shape for g in expected]:
        return _WRONG
    return _worst([_of_output(a, g) for a, g in zip(found, expected, strict=True)], 1)


def _of_output(found: np.ndarray, golden: np.ndarray) -> OutputErrors:
    if golden.size == 0:
        return OutputErrors(1.0, MOST_DECIBELS, 0.0)
    if golden.dtype.kind not in "biufc" or found.dtype.kind not in "biufc":
        wrong = float(np.mean(found.astype(str) != golden.astype(str)))
        return OutputErrors(1.0, MOST_DECIBELS, 0.0) if not wrong else _WRONG
    a, g = real(found), real(golden)
    places = places_of(g)
    numbers, regular = places.regular_of(a), places.regular_of(g)
    if not np.isfinite(numbers).all():
        return _WRONG
    noise = numbers - regular
    signal = float(np.linalg.norm(regular))
    error = float(np.abs(noise).max(initial=0.0))
    largest = float(np.abs(regular).max(initial=0.0))
    return OutputErrors(
        cosine(numbers, regular),
        _decibels(signal, float(np.linalg.norm(noise))),
        error / largest if largest else (math.inf if error else 0.0),
    )


def _decibels(signal: float, noise: float) -> float:
    if noise == 0:
        return MOST_DECIBELS
    if signal == 0:
        return -MOST_DECIBELS
    return min(MOST_DECIBELS, 20 * math.log10(signal / noise))


def _worst(found: list[OutputErrors], sets: int) -> OutputErrors:
    return OutputErrors(
        min((e.cosine for e in found), default=1.0),
        min((e.sqnr for e in found), default=MOST_DECIBELS),
        max((e.relative for e in found), default=0.0),
        sets,
    )


def _has_alike_inputs(inputs: Outputs, recorded: Outputs) -> bool:
    return all(
        1 / ALIKE_INPUTS <= _times(name, inputs[name], array) <= ALIKE_INPUTS
        for name, array in recorded.items()
        if name in inputs
    )


def _times(name: str, array: np.ndarray, recorded: np.ndarray) -> float:
    """How many times as large the largest finite number is; 1 unless they are floats."""
    if name.endswith(BFLOAT16):
        array, recorded = widen(array), widen(recorded)
    if recorded.dtype.kind not in "fc" or array.shape != recorded.shape:
        return 1.0
    most, usual = (np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in (array, recorded))
    return float(most / usual) if usual else 1.0
