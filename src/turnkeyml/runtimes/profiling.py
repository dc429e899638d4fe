"""What the profilers of all runtimes share: taking turns with plain runs, and typical runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Turns", "clock", "take_turns", "typical"]

BLOCK_SECONDS = 0.1
"""How long one of them runs before it is the other's turn: switching more often would let each
find the caches with what the other has left there."""
TRIALS = 3
"""Runs from which we guess how long one takes."""
LEAST_TURNS = 3
LEAST_RUNS = 6

Run = Callable[[], None]
Around = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Turns:
    """Milliseconds of plain and of profiled runs. The first run of each turn does not count."""

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
) -> Turns:
    """Run both in turns for about so many seconds, the profiled one ``most_runs`` times at most.

    A machine that becomes faster or slower meanwhile does so for both. ``around`` makes a context
    for each turn of the profiled one.
    """
    plain()
    with around():
        trials = [clock(profiled) for _ in range(TRIALS)]
    one = max(min(trials), 1e-3)
    turns = max(LEAST_TURNS, round(seconds / 2 / BLOCK_SECONDS))
    block = min(int(BLOCK_SECONDS * 1e3 / one), most_runs // turns)
    block = max(block, LEAST_RUNS // LEAST_TURNS)
    turns = max(LEAST_TURNS, min(turns, int(seconds * 1e3 / (2 * one * (block + 1)))))
    slow: list[float] = []
    fast: list[float] = []
    counted = [False] * TRIALS
    for _ in range(turns):
        fast += [clock(plain) for _ in range(block + 1)][1:]
        with around():
            slow += [clock(profiled) for _ in range(block + 1)][1:]
        counted += [False, *[True] * block]
    return Turns(np.array(fast), np.array(slow), tuple(counted))


def typical(times: Sequence[float] | np.ndarray) -> np.ndarray:
    """Which of some times are in the middle half: their numbers. Their mean is robust, and the
    parts of a run have means that add up."""
    order = np.argsort(np.asarray(times), kind="stable")
    quarter = len(order) // 4
    return np.sort(order[quarter : len(order) - quarter])
