"""Runs on several copies of the recorded inputs at once."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, cast

import numpy as np

from turnkeyml.measure.session import Opened
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import Outputs, Reference, compare

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session


def feed_batch(
    opened: Opened,
    reference: Reference,
    *,
    batch: int,
    batched: Collection[str],
    precision: str,
    alone: Verification,
) -> Verification:
    """Feed copies of the recorded inputs; the verdict on the outputs, which must be copies too.

    ``alone`` is the verdict on a single copy, which counts if it is the worse one.
    """
    inputs = {n: _copies(a, batch) if n in batched else a for n, a in reference.inputs.items()}
    outputs = opened.run_on(inputs)
    golden = _expected(reference.outputs, outputs, batch)
    found = compare(outputs, Reference(inputs, golden, precision=reference.precision), precision)
    cast("Session", opened.session).feed(inputs)
    worse = (
        found.verdict.rank > alone.verdict.rank and alone.verdict is not Verdict.NONDETERMINISTIC
    )
    return found if worse else alone


def _expected(golden: Outputs, outputs: Outputs, batch: int) -> Outputs:
    """The outputs of the original, repeated where the model returns more of them."""
    pairs = zip(golden.items(), outputs.values(), strict=False)
    return {
        name: _copies(one, batch) if one.ndim and len(other) != len(one) else one
        for (name, one), other in pairs
        if other.ndim == one.ndim
    }


def _copies(array: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([array] * count) if array.ndim else array
