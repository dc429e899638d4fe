"""What the profilers of all runtimes share: taking turns with plain runs, and typical runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

BLOCK_SECONDS = 0.2
"""How long one of them runs before it is the other's turn: switching more often would let each
find the caches with what the other has left there."""
REST_SECONDS = 0.05
LEAST_TURNS = 3
LEAST_BLOCK = 2
RECOVERY_RUNS = 5
"""Runs at the beginning of each turn that do not count."""

Run = Callable[[], None]
Around = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True)
class ProfilingTurns:
    """Milliseconds of plain and of profiled runs. The first runs of each turn do not count."""

    plain: np.ndarray
    profiled: np.ndarray
    counted: tuple[bool, ...]
    """For each profiled run that was made, whether it is in ``profiled``."""


def clock(run: Run) -> float:
    """The milliseconds that a run takes."""
    begin = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - begin) / 1e6


def take_turns(
    plain: Run, profiled: Run, seconds: float, most_runs: int, around: Around = nullcontext
) -> ProfilingTurns:
    """Run both in turns for about so many seconds, the profiled one ``most_runs`` times at most.

    A machine that becomes faster or slower meanwhile does so for both. ``around`` makes a context
    for each turn of the profiled one.
    """
    plain()
    with around():
        one = max(min(clock(profiled) for _ in range(RECOVERY_RUNS)), 1e-3)
    counted = [False] * RECOVERY_RUNS
    turns, block = _division(seconds, one / 1e3, most_runs)
    slow: list[float] = []
    fast: list[float] = []
    for _ in range(turns):
        fast += _turn(plain, block)
        with around():
            slow += _turn(profiled, block)
        counted += [False] * RECOVERY_RUNS + [True] * block
    return ProfilingTurns(np.array(fast), np.array(slow), tuple(counted))


def _division(seconds: float, one: float, most_runs: int) -> tuple[int, int]:
    """How many turns of how many runs, if a run takes ``one`` seconds."""
    turns = max(LEAST_TURNS, round(seconds / 2 / BLOCK_SECONDS))
    block = max(LEAST_BLOCK, min(int(BLOCK_SECONDS / one), most_runs // turns))
    fitting = int(seconds / (2 * one * (block + RECOVERY_RUNS)))
    return max(LEAST_TURNS, min(turns, fitting)), block


def _turn(run: Run, block: int) -> list[float]:
    """The milliseconds of some runs, after a rest and a few that do not count.

    The threads of a runtime go on spinning for a while after a run: they would take the processors
    from those of the other.
    """
    time.sleep(REST_SECONDS)
    return [clock(run) for _ in range(RECOVERY_RUNS + block)][RECOVERY_RUNS:]


def typical(times: Sequence[float] | np.ndarray) -> np.ndarray:
    """Which of some times are in the middle half: their numbers. Their mean is robust, and the
    parts of a run have means that add up."""
    order = np.argsort(np.asarray(times), kind="stable")
    quarter = len(order) // 4
    return np.sort(order[quarter : len(order) - quarter])
