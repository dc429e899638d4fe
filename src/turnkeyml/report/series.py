"""Raw samples, reduced to what a plot of them shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml.measure import load_samples
from turnkeyml.nouns import DamagedRecord, Evaluation

BUCKETS = 80
"""Of the plot over time; each shows the median and the extremes of its samples."""
BINS = 40
"""Of the histogram."""
TAIL = 0.995
"""The histogram ends at this quantile; its last bin has what is beyond."""
DIGITS = 4


def series_of(path: Path | None, evaluation: Evaluation) -> dict[str, Any] | None:
    """The samples of an evaluation over time and their histogram, in milliseconds.

    None if there are none, or the file has those of a later measurement.
    """
    performance = evaluation.performance
    if path is None or performance is None:
        return None
    try:
        with np.errstate(all="ignore"):
            processes = load_samples(path)
            samples = np.concatenate(processes)
            ordered = np.sort(samples)
    except (OSError, DamagedRecord, ValueError, OverflowError):
        return None
    middle = (len(samples) - 1) / 2
    median = float(ordered[math.floor(middle)] + ordered[math.ceil(middle)]) / 2
    own = len(samples) == performance.samples
    if not own or not math.isclose(median, performance.median_latency, rel_tol=1e-9):
        return None
    starts = np.cumsum([0, *map(len, processes)])[:-1]
    return (
        {"count": len(samples), "processes": starts.tolist()} | _over_time(samples) | _bins(ordered)
    )


def _over_time(samples: np.ndarray) -> dict[str, Any]:
    """The end of each bucket in seconds of measured time, and its low, median and high."""
    size = math.ceil(len(samples) / BUCKETS)
    whole, rest = np.split(samples, [len(samples) // size * size])
    starts = np.arange(0, len(samples), size)
    ends = np.append(starts[1:], len(samples)) - 1
    buckets = [np.sort(whole.reshape(-1, size), axis=1)]
    if len(rest):
        buckets.append(np.sort(rest)[np.newaxis])
    named = {
        "seconds": np.cumsum(samples)[ends] / 1e3,
        "low": np.concatenate([found[:, 0] for found in buckets]),
        "middle": np.concatenate([_middle(found) for found in buckets]),
        "high": np.concatenate([found[:, -1] for found in buckets]),
    }
    return {name: _short(values) for name, values in named.items()}


def _middle(ordered: np.ndarray) -> np.ndarray:
    """The median of each row of sorted numbers."""
    count = ordered.shape[1]
    return (ordered[:, (count - 1) // 2] + ordered[:, count // 2]) / 2


def _bins(ordered: np.ndarray) -> dict[str, Any]:
    """The histogram of sorted samples."""
    low, high = float(ordered[0]), float(ordered[int(TAIL * (len(ordered) - 1))])
    if not low < high:
        return {"from": low, "to": low, "bins": [len(ordered)], "beyond": 0}
    ends = np.searchsorted(ordered, np.linspace(low, high, BINS + 1)[1:], side="right")
    counts = np.diff(ends, prepend=0)
    return {
        "from": low,
        "to": high,
        "bins": counts.tolist(),
        "beyond": len(ordered) - int(ends[-1]),
    }


def _short(values: Any) -> list[float]:
    """The same with the digits that a plot can show."""
    return [float(f"{value:.{DIGITS}g}") for value in values]
