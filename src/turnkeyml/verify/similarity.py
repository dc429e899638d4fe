"""Which sets of inputs are like the recorded ones in magnitude.

Some held-out sets are three times as large, or as small, to turn decisions that depend on
magnitudes. What is calibrated for the range of the recorded inputs is not made for those.
"""

from __future__ import annotations

import numpy as np

from turnkeyml.cache import BFLOAT16, widen
from turnkeyml.verify.reference import Outputs, Reference
from turnkeyml.verify.tolerances import ALIKE_INPUTS


def alike(reference: Reference) -> list[Reference]:
    """The recorded set, and the held-out sets of the same magnitude."""
    return [
        reference,
        *(h for h in reference.held_out if _has_alike_inputs(h.inputs, reference.inputs)),
    ]


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
