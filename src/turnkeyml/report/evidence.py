"""What the samples of two rows say about the ratio of their medians."""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure import (
    Distribution,
    Guess,
    Ratio,
    draws_from_interval,
    draws_from_samples,
    guess_from_interval,
    guess_from_samples,
    load_samples_and_distances,
    ratio_generator,
    ratio_of,
    student,
)
from turnkeyml.report.compared_rows import Row
from turnkeyml.report.placement import Likeness, Process, like_with_like, memory_effect

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
    draws: Callable[[], np.ndarray] | None
    """Draws of the logarithm of the ratio; None where it cannot be told."""
    ratio: Ratio | None
    notes: tuple[str, ...]
    is_comparable: bool = True
    """Whether the sides have runs with the same placement, as far as anyone knows."""


def evidence_of(a: Row, b: Row) -> Evidence:
    """What can be told about the second of two rows, compared with the first.

    Random numbers are drawn only where they could decide otherwise than the intervals do.
    """
    like = like_with_like(a, b, _samples(a), _samples(b))
    if not like.is_comparable:
        return _incomparable(a, b, like)
    return _by_guesses(a, b, like) or _by_draws(a, b, like)


def _incomparable(a: Row, b: Row, like: Likeness) -> Evidence:
    """The evidence of sides without runs of the same placement: only their medians."""
    notes = [like.note]
    for row, side, samples in ((a, "A", like.a), (b, "B", like.b)):
        known = _guess(row, samples, False) or _draws(row, side, samples, False) is not None
        notes += _notes(row, side, samples, has_interval=bool(known))
    told = tuple(filter(None, notes))
    return Evidence(b.median / a.median, None, None, told, is_comparable=False)


def _by_guesses(a: Row, b: Row, like: Likeness) -> Evidence | None:
    """The evidence without random numbers; None where these may decide."""
    guess_a, guess_b = _guess(a, like.a, like.is_part), _guess(b, like.b, like.is_part)
    if guess_a is None or guess_b is None:
        return None
    effect, why = memory_effect(a, b)
    medians = _medians(a, b, like)
    found = Distribution(guess_a, guess_b, effect)
    if found.verdict(*medians) is None:
        return None
    ratio = found.ratio(*medians)
    notes = (why, like.note, *_notes(a, "A", like.a), *_notes(b, "B", like.b))

    def draws() -> np.ndarray:
        return found.draws(ratio_generator("mean", *_names(b)))

    return Evidence(ratio.value, draws, ratio, tuple(filter(None, notes)))


def _by_draws(a: Row, b: Row, like: Likeness) -> Evidence:
    draws_a, draws_b = _draws(a, "A", like.a, like.is_part), _draws(b, "B", like.b, like.is_part)
    first, second = _medians(a, b, like)
    notes = (
        like.note,
        *_notes(a, "A", like.a, has_interval=draws_a is not None),
        *_notes(b, "B", like.b, has_interval=draws_b is not None),
    )
    if draws_a is None or draws_b is None:
        return Evidence(second / first, None, None, tuple(filter(None, notes)))
    effect, why = memory_effect(a, b)
    random = ratio_generator("memory", b.item.build_name)
    draws = draws_b - draws_a + effect * random.random(len(draws_a))
    ratio = ratio_of(first, second, draws)
    return Evidence(ratio.value, lambda: draws, ratio, tuple(filter(None, (why, *notes))))


def _medians(a: Row, b: Row, like: Likeness) -> tuple[float, float]:
    """The medians to compare: the recorded ones, unless some runs are left out."""
    if not like.is_part or like.a is None or like.b is None:
        return a.median, b.median
    return float(np.median(np.concatenate(like.a))), float(np.median(np.concatenate(like.b)))


def _guess(row: Row, processes: list[np.ndarray] | None, is_part: bool) -> Guess | None:
    """What ``_draws`` draws from; None where that is not clear without drawing."""
    interval = None if is_part or row.low is None or row.high is None else (row.low, row.high)
    if processes is None:
        found = guess_from_interval(row.median, row.low, row.high)
    else:
        least = 0.0 if is_part else _recorded_error(row, len(processes))
        found = guess_from_samples(processes, least, interval)
    if found is not None and row.disturbance >= LEAST_DISTURBANCE:
        return found.widened(row.disturbance)
    return found


def _draws(
    row: Row, side: str, processes: list[np.ndarray] | None, is_part: bool
) -> np.ndarray | None:
    """Draws of the logarithm of a row's median; None where there is no interval."""
    random = ratio_generator(side, *_names(row))
    if processes is None:
        draws = draws_from_interval(row.median, row.low, row.high, random)
    else:
        least = 0.0 if is_part else _recorded_error(row, len(processes))
        draws = draws_from_samples(processes, random, least)
    if draws is not None and row.disturbance >= LEAST_DISTURBANCE:
        return draws + random.normal(0.0, row.disturbance, len(draws))
    return draws


def _names(row: Row) -> list[str]:
    """What tells the random numbers of a row from those of others."""
    item = row.item
    parameters = repr(sorted(item.parameters.items()))
    return [item.build_name, item.device_type, item.label, parameters]


def _notes(
    row: Row, side: str, processes: list[np.ndarray] | None, has_interval: bool = True
) -> list[str]:
    """Notes about where the interval of a row comes from."""
    if not has_interval:
        why = ": too few independent runs" if processes is not None else ", and no raw samples"
        return [f"no interval in {side}{why}"]
    notes = []
    if processes is None:
        notes.append(f"no raw samples in {side}: compared by the interval of its median")
    if row.disturbance >= LEAST_DISTURBANCE:
        notes.append(f"{side} was disturbed, which may have slowed it by {row.disturbance:.0%}")
    return notes


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
            processes, distances = load_samples_and_distances(row.samples)
            together = np.concatenate(processes)
            median = float(np.median(together))
            found = list(map(Process, processes, distances))
    except _DAMAGED_SAMPLES:
        return None
    own = len(together) == row.sample_count and math.isclose(median, row.median, rel_tol=1e-9)
    return found if own else None
