"""Decide what the samples of two rows say about the ratio of their medians.

Like is compared with like: runs for which the processors of both sides lay equally far apart. A
hypervisor may move the processors of a virtual machine between two measurements, or during one.
That changes the latency of one model by a few percent, of another by half, and in either direction:
no factor makes the two sides comparable. So only the runs of the same placement are compared.

The memory may be slower on one side as well, because of neighbors on the host. How much of that
reaches a model is not known either, but in which direction, and that it is not more than a share of
it for most: the ratio is known less closely then.
"""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure import (
    ALIKE,
    Distribution,
    Guess,
    Ratio,
    draws_from_interval,
    draws_from_samples,
    extremes,
    guess_from_interval,
    guess_from_samples,
    load_samples_and_distances,
    ratio_generator,
    ratio_of,
    student,
)
from turnkeyml.report.compared_rows import Row

LEAST_DISTURBANCE = 0.005
"""Smaller relative disturbances are ignored."""
LEAST_SAMPLES = 30
"""That each side needs of one placement."""
LEAST_OF_PROCESS = 10
"""A process with fewer does not count."""
LOOK_NOISE = 0.018
"""The relative standard deviation of one look at the speed of the memory."""
LOOKS = 2
"""For each process, before its runs and after them."""
EXPOSURE = 0.35
"""The largest share of a change of the memory's speed that may reach a model that computes."""
MEMORY_BOUND = 0.7
"""Of its latency: a model whose memory takes longer to read once may feel all of a change."""
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


@dataclass(frozen=True)
class Process:
    """The samples of a process in milliseconds, and how far apart the processors were at each."""

    latencies: np.ndarray
    distances: np.ndarray
    """NaN where nobody knows."""


@dataclass(frozen=True)
class Likeness:
    """What of two sides can be compared."""

    a: list[np.ndarray] | None
    """The latencies of each process; None without samples."""
    b: list[np.ndarray] | None
    is_part: bool = False
    """Whether some runs were left out."""
    note: str = ""
    is_comparable: bool = True


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


def like_with_like(
    a: Row, b: Row, processes_a: Sequence[Process] | None, processes_b: Sequence[Process] | None
) -> Likeness:
    """The runs of both sides with the same placement; all of them if the placement is the same, or
    nobody knows it, or it does not matter."""
    everything = Likeness(_latencies(processes_a), _latencies(processes_b))
    if not _matters(a, b):
        return everything
    sides = [_distances(a, processes_a), _distances(b, processes_b)]
    found = [extremes(distances) for distances in sides]
    if found[0] is None or found[1] is None:
        return everything
    low, high = min(found[0][0], found[1][0]), max(found[0][1], found[1][1])
    if high <= ALIKE * low:
        return everything
    middle = math.sqrt(low * high)
    if processes_a is not None and processes_b is not None:
        best = _best(processes_a, processes_b, middle)
        if best is not None:
            return best
    return Likeness(everything.a, everything.b, note=_apart(sides), is_comparable=False)


def _matters(a: Row, b: Row) -> bool:
    """Whether both were measured on the same CPU, and not with one thread each."""
    same = a.conditions.get("cpu") == b.conditions.get("cpu")
    return same and not a.conditions.get("threads") == b.conditions.get("threads") == "1"


def _latencies(processes: Sequence[Process] | None) -> list[np.ndarray] | None:
    return None if processes is None else [p.latencies for p in processes]


def _distances(row: Row, processes: Sequence[Process] | None) -> np.ndarray:
    """At each sample, or at least the recorded one."""
    found = np.concatenate([p.distances for p in processes]) if processes else np.empty(0)
    found = found[np.isfinite(found)]
    return found if len(found) or not row.distance else np.array([row.distance])


def _best(a: Sequence[Process], b: Sequence[Process], middle: float) -> Likeness | None:
    """The placement of which both sides have most; None if neither has enough."""
    found = []
    for near in (True, False):
        parts = [_part(side, middle, near) for side in (a, b)]
        found.append((min(sum(map(len, part)) for part in parts), parts))
    count, (part_a, part_b) = max(found, key=lambda one: one[0])
    if count < LEAST_SAMPLES:
        return None
    shares = [_share(part, side) for part, side in ((part_a, a), (part_b, b))]
    note = (
        "the hypervisor moved the processors: compared by the runs for which they lay alike "
        f"({shares[0]:.0%} of A, {shares[1]:.0%} of B)"
    )
    return Likeness(part_a, part_b, is_part=True, note=note)


def _part(processes: Sequence[Process], middle: float, near: bool) -> list[np.ndarray]:
    with np.errstate(invalid="ignore"):
        found = [p.latencies[(p.distances < middle) == near] for p in map(_known, processes)]
    return [part for part in found if len(part) >= LEAST_OF_PROCESS]


def _known(process: Process) -> Process:
    known = np.isfinite(process.distances)
    return Process(process.latencies[known], process.distances[known])


def _share(part: Sequence[np.ndarray], side: Sequence[Process]) -> float:
    return sum(map(len, part)) / sum(len(p.latencies) for p in side)


def _apart(sides: Sequence[np.ndarray]) -> str:
    a, b = (float(np.median(side)) for side in sides)
    slow, times = ("A", a / b) if a > b else ("B", b / a)
    return (
        "the hypervisor moved the processors between A and B: they passed data to each other "
        f"{times:.1f} times as slowly in {slow}, which changes the latency; measure again"
    )


def memory_effect(a: Row, b: Row) -> tuple[float, str]:
    """How much of the logarithm of a ratio may at most come from memory that was faster on one
    side, and a note about it: the ratio at equal speed lies between that of the medians and that
    much more. 0 and nothing if the speed was the same, or nobody knows it."""
    same = a.conditions.get("cpu") == b.conditions.get("cpu")
    if not same or a.memory_speed is None or b.memory_speed is None:
        return 0.0, ""
    change = math.log(b.memory_speed / a.memory_speed)
    chance = 2 * LOOK_NOISE * math.sqrt(1 / (LOOKS * a.processes) + 1 / (LOOKS * b.processes))
    if abs(change) <= chance:
        return 0.0, ""
    word = "faster" if change > 0 else "slower"
    note = f"the memory was {abs(math.expm1(change)):.0%} {word} in B, so that less can be told"
    bound = max(a.memory_share, b.memory_share) > MEMORY_BOUND
    return (1.0 if bound else EXPOSURE) * change, note
