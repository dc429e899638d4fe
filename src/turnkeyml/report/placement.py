"""Compare like with like: runs for which the processors of both sides lay equally far apart.

A hypervisor may move the processors of a virtual machine between two measurements, or during one.
That changes the latency of one model by a few percent, of another by half, and in either direction:
no factor makes the two sides comparable. So only the runs of the same placement are compared.

The memory may be slower on one side as well, because of neighbours on the host. How much of that
reaches a model is not known either, but in which direction, and that it is not more than a share of
it for most: the ratio is known less closely then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.measure import ALIKE, extremes
from turnkeyml.report.compared_rows import Row

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
