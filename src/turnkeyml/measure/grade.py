"""How far a median can be relied on: one number, the margin, and the grade that follows from it."""

from __future__ import annotations

import math

from turnkeyml.nouns import Conditions, FlagKind, Grade, Performance

__all__ = [
    "LIMITS",
    "OTHER_SHARE",
    "disturbance_of",
    "disturbances",
    "grade_of",
    "margin_of",
    "processor_count",
]

LIMITS = {Grade.A: 0.01, Grade.B: 0.03, Grade.C: 0.10}
"""The largest margin of each grade, relative to the median; beyond the last it is a D."""

OTHER_SHARE = 0.05
"""Of the processors, that other programs may use on average without consequence."""

FLAGGED = {
    FlagKind.DRIFT: 0.03,
    FlagKind.UNSTEADY: 0.03,
    FlagKind.PLACEMENT: 0.05,
    FlagKind.HEAT: 0.05,
    FlagKind.THROTTLE: 0.05,
    FlagKind.FOREIGN: 0.05,
}
"""By how much, relative to it, what a flag speaks of may have moved a median: nobody can tell
exactly, so these are the usual magnitudes."""


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
    kinds = {flag.kind for flag in performance.flags}
    if conditions is not None and conditions.overheated:
        kinds.add(FlagKind.HEAT)
    flagged = {kind: share if kind in kinds else 0.0 for kind, share in FLAGGED.items()}
    timer = (performance.timer_latency or 0.0) / performance.runs_per_sample
    found = {**flagged, FlagKind.TIMER: timer / (performance.median_latency or math.inf)}
    return found if conditions is None else {**found, **_taken(performance, conditions)}


def _taken(performance: Performance, conditions: Conditions) -> dict[FlagKind, float]:
    """Whoever takes a share of the machine may cost us that share of the time."""
    others = (conditions.other_cores or 0.0) / processor_count(conditions)
    own = (conditions.own_cores or 0.0) / processor_count(conditions)
    throttled = (conditions.throttled_seconds or 0.0) / (performance.wall_seconds or 1.0)
    return {
        FlagKind.LOAD: max(0.0, others - OTHER_SHARE),
        FlagKind.OWN_LOAD: max(0.0, own - OTHER_SHARE),
        FlagKind.STEAL: conditions.stolen_share or 0.0,
        FlagKind.QUOTA: throttled,
    }


def processor_count(conditions: Conditions) -> int:
    """How many logical processors the process was allowed to use."""
    return conditions.processors.count(",") + 1
