"""Peaks of a machine that is busy with something else: noticed, and corrected later."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from turnkeyml.nouns import OTHER_SHARE, Peaks
from turnkeyml.system import Reading, allowed_processors, read_activity


def watched(measure: Callable[[], Peaks]) -> Peaks:
    """The peaks that a function measures in child processes, with what other programs used."""
    before = _reading()
    peaks = measure()
    return replace(peaks, other_cores=before.until(_reading()).other_cores or 0.0)


def _reading() -> Reading:
    """The counters now; the children that have ended are ours."""
    ours, now = os.times(), read_activity()
    return replace(now, own=now.own + ours.children_user + ours.children_system)


def is_disturbed(peaks: Peaks) -> bool:
    """Whether other programs used so much of the machine that the peaks are too low."""
    return peaks.other_cores > OTHER_SHARE * len(allowed_processors())


def best_of(peaks: Peaks, kept: Peaks | None) -> Peaks:
    """The faster one of each figure: a peak is what the machine has been seen to reach."""
    if kept is None:
        return peaks
    return replace(
        peaks,
        products=_faster(peaks.products, kept.products),
        bandwidths=_faster(peaks.bandwidths, kept.bandwidths),
        other_cores=min(peaks.other_cores, kept.other_cores),
    )


def _faster(
    one: dict[str, dict[str, float]], other: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    found = {name: dict(speeds) for name, speeds in one.items()}
    for name, speeds in other.items():
        mine = found.setdefault(name, {})
        for kernel, speed in speeds.items():
            mine[kernel] = max(speed, mine.get(kernel, 0.0))
    return found
