"""What the samples of two rows say about the ratio of their medians."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure import ratios
from turnkeyml.measure.ratios import Ratio
from turnkeyml.measure.record import load_distances, load_samples
from turnkeyml.measure.statistics import student
from turnkeyml.report.placement import Likeness, Process, like_with_like, memory_effect
from turnkeyml.report.rows import Row

__all__ = ["Evidence", "evidence_of"]

LEAST_DISTURBANCE = 0.005
"""Smaller relative disturbances are ignored."""

_DAMAGED_SAMPLES = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    SyntaxError,
    EOFError,
    NotImplementedError,
    MemoryError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy raises if a file is not an archive, or a damaged one."""


@dataclass(frozen=True)
class Evidence:
    """What is known about the ratio of B to A."""

    value: float
    """Of the runs that can be compared; of all if none can."""
    draws: np.ndarray | None
    """Of the logarithm of the ratio; None where it cannot be told."""
    ratio: Ratio | None
    notes: tuple[str, ...]
    is_comparable: bool = True
    """Whether the sides have runs with the same placement, as far as anyone knows."""


def evidence_of(a: Row, b: Row) -> Evidence:
    """What can be told about the second of two rows, compared with the first."""
    like = like_with_like(a, b, _samples(a), _samples(b))
    draws_a, notes_a = _draws(a, "A", like.a, like.is_part)
    draws_b, notes_b = _draws(b, "B", like.b, like.is_part)
    first, second = _medians(a, b, like)
    notes = (like.note, *notes_a, *notes_b)
    if draws_a is None or draws_b is None or not like.is_comparable:
        told = tuple(filter(None, notes))
        return Evidence(second / first, None, None, told, like.is_comparable)
    effect, why = memory_effect(a, b)
    random = ratios.generator("memory", b.item.build_name)
    draws = draws_b - draws_a + effect * random.random(len(draws_a))
    ratio = ratios.ratio_of(first, second, draws)
    return Evidence(ratio.value, draws, ratio, tuple(filter(None, (why, *notes))))


def _medians(a: Row, b: Row, like: Likeness) -> tuple[float, float]:
    """The medians to compare: the recorded ones, unless some runs are left out."""
    if not like.is_part or like.a is None or like.b is None:
        return a.median, b.median
    return float(np.median(np.concatenate(like.a))), float(np.median(np.concatenate(like.b)))


def _draws(
    row: Row, side: str, processes: list[np.ndarray] | None, is_part: bool
) -> tuple[np.ndarray | None, list[str]]:
    """Draws of the logarithm of a row's median, and notes about where they come from."""
    item = row.item
    where = [item.build_name, item.device_type, item.label, repr(sorted(item.parameters.items()))]
    random = ratios.generator(side, *where)
    if processes is not None:
        least = 0.0 if is_part else _recorded_error(row, len(processes))
        draws = ratios.draws_from_samples(processes, random, least)
        notes = [f"no interval in {side}: too few independent runs"] * (draws is None)
    else:
        draws = ratios.draws_from_interval(row.median, row.low, row.high, random)
        known = f"no raw samples in {side}: compared by the interval of its median"
        notes = [f"no interval in {side}, and no raw samples" if draws is None else known]
    if draws is not None and row.disturbance >= LEAST_DISTURBANCE:
        draws = draws + random.normal(0.0, row.disturbance, len(draws))
        notes.append(f"{side} was disturbed, which may have slowed it by {row.disturbance:.0%}")
    return draws, notes


def _recorded_error(row: Row, processes: int) -> float:
    """The relative standard error of the median, from its recorded interval."""
    if row.low is None or row.high is None or processes < 2:
        return 0.0
    return (row.high - row.low) / 2 / student(processes) / row.median


def _samples(row: Row) -> list[Process] | None:
    """The raw samples by process; None if they do not exist or do not belong to the row.

    A later measurement of the build with the same runtime overwrites the file, also for another
    point of a sweep, while the record of the first one is kept.
    """
    if row.samples is None:
        return None
    try:
        with np.errstate(all="ignore"):
            processes = load_samples(row.samples)
            together = np.concatenate(processes)
            median = float(np.median(together))
            found = list(map(Process, processes, load_distances(row.samples)))
    except _DAMAGED_SAMPLES:
        return None
    own = len(together) == row.sample_count and math.isclose(median, row.median, rel_tol=1e-9)
    return found if own else None
