"""When requests arrive: a schedule that is made before anything runs."""

from __future__ import annotations

import numpy as np

SEED = 20
"""Of the first schedule. The same seed gives the same gaps at every rate, only closer together, so
that two rates differ in nothing else."""


def poisson_arrivals(rate: float, count: int, seed: int = SEED) -> np.ndarray:
    """Nanoseconds from the beginning to each of so many arrivals of a Poisson process."""
    gaps = np.random.default_rng(seed).exponential(1.0, count)
    return np.asarray(np.cumsum(gaps) / rate * 1e9, dtype=np.int64)
