"""One sampler for every runtime: the same warm-up, the same rule for when to stop."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from turnkeyml.runtimes.session import Session

__all__ = ["Rule", "Samples", "sample"]

RECOVERY_SECONDS = 0.01
"""Warm-up right before timing, as whatever came between leaves the caches with other things."""


@dataclass(frozen=True)
class Rule:
    """How long to warm up and how often to measure. Times are in seconds."""

    iterations: int = 100
    warmup_runs: int = 5
    warmup_seconds: float = 0.5
    warmup_cap_seconds: float = 15.0


@dataclass(frozen=True)
class Samples:
    """What was timed, in nanoseconds; nothing is left out."""

    warmup: np.ndarray
    timed: np.ndarray


def sample(
    session: Session, rule: Rule, on_estimate: Callable[[float], None] | None = None
) -> Samples:
    """Time a session by a rule. ``on_estimate`` hears once how many seconds are to come."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        warmup = _warm_up(session, rule.warmup_runs, rule.warmup_seconds, rule.warmup_cap_seconds)
        if on_estimate:
            typical = float(np.median(warmup[-max(1, len(warmup) // 2) :]))
            on_estimate(typical * rule.iterations / 1e9)
        timed = np.full(rule.iterations, -1, dtype=np.int64)
        warmup += _warm_up(session, 1, RECOVERY_SECONDS, RECOVERY_SECONDS)
        _time(session, timed)
        return Samples(np.array(warmup, dtype=np.int64), timed)
    finally:
        if collecting:
            gc.enable()


def _warm_up(session: Session, runs: int, seconds: float, cap_seconds: float) -> list[int]:
    """Run until it has run often enough and long enough, or far too long."""
    times: list[int] = []
    clock = time.perf_counter_ns
    begin = clock()
    while True:
        session.prepare()
        start = clock()
        session.run()
        now = clock()
        times.append(now - start)
        elapsed = (now - begin) / 1e9
        if elapsed >= cap_seconds or (elapsed >= seconds and len(times) >= runs):
            return times


def _time(session: Session, times: np.ndarray) -> None:
    """Fill an array with the times of as many runs."""
    clock, prepare, run = time.perf_counter_ns, session.prepare, session.run
    for i in range(len(times)):
        prepare()
        start = clock()
        run()
        times[i] = clock() - start
