"""How far a median can be relied on: one number, the margin, and the grade that follows from it."""

from __future__ import annotations

import math

from turnkeyml.nouns import Conditions, Disturbance, FlagKind, Grade, Performance, margins

LIMITS = {Grade.A: 0.01, Grade.B: 0.03, Grade.C: 0.10}
"""The largest margin of each grade, relative to the median; beyond the last it is a D."""


def grade_of(performance: Performance, conditions: Conditions | None) -> Grade:
    """The grade of a measurement."""
    margin = margin_of(performance, conditions)
    return next((grade for grade, limit in LIMITS.items() if margin <= limit), Grade.D)


def margin_of(performance: Performance, conditions: Conditions | None) -> float:
    """By how much, relative to it, the median may be wrong; infinite where nobody knows.

    The larger of how well the samples tell the median and how much what else went on may have
    moved it.
    """
    width = performance.relative_half_width
    known = math.inf if width is None or not performance.is_credible else width
    return max(known, disturbance_of(performance, conditions))


def disturbance_of(performance: Performance, conditions: Conditions | None) -> float:
    """By how much, relative to it, what else went on may have moved the median."""
    return max(disturbances(performance, conditions).values())


def disturbances(performance: Performance, conditions: Conditions | None) -> dict[FlagKind, float]:
    """The same for each kind of disturbance; 0 for those that there was none of."""
    return margins(_disturbance(performance, conditions))


def _disturbance(performance: Performance, conditions: Conditions | None) -> Disturbance:
    """The flags of a measurement with the shares of the machine that it did not have."""
    kinds = {flag.kind for flag in performance.flags}
    timer = (performance.timer_latency or 0.0) / performance.runs_per_sample
    timer /= performance.median_latency or math.inf
    if conditions is None:
        return Disturbance(kinds, timer=timer)
    if conditions.overheated:
        kinds.add(FlagKind.HEAT)
    return Disturbance(
        kinds,
        others=(conditions.other_cores or 0.0) / processor_count(conditions),
        own=(conditions.own_cores or 0.0) / processor_count(conditions),
        stolen=conditions.stolen_share or 0.0,
        throttled=(conditions.throttled_seconds or 0.0) / (performance.wall_seconds or 1.0),
        timer=timer,
    )


def processor_count(conditions: Conditions) -> int:
    """How many logical processors the process was allowed to use."""
    return conditions.processors.count(",") + 1
