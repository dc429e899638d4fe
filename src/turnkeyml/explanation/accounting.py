"""Recorded operator times as parts of the latency that was measured without a profiler."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from turnkeyml.explanation.words import milliseconds
from turnkeyml.nouns import Profile

WORTH_A_NOTE = 0.05
LEAST_SHARE = 0.1
"""Of its recorded time, that an operator keeps at least, whatever recording it costs."""


@dataclass(frozen=True)
class Account:
    """Operators and the rest, which add up to the latency. Times are in milliseconds."""

    latency: float
    recorded_ms: float
    """The sum of the operators as they were recorded."""
    times: tuple[float, ...]
    """The part of the latency of each operator, in the order of the profile."""
    notes: tuple[str, ...] = ()

    @property
    def operators_ms(self) -> float:
        return sum(self.times)

    @property
    def outside_ms(self) -> float:
        return max(0.0, self.latency - self.operators_ms)


def account(profile: Profile, latency: float) -> Account:
    """How recorded times become parts of a latency.

    The machine may have been faster or slower while it profiled: the plain runs in between tell by
    how much. Operators that take longer together than a whole plain run include what it costs to
    record them; that is taken off, in equal parts per call.
    """
    recorded = sum(operator.ms for operator in profile.operators)
    if profile.on_device:
        return _on_device(profile, latency, recorded)
    drift = latency / profile.plain_ms
    times = [ms * drift for ms in _without_recording(profile, recorded)]
    return Account(latency, recorded, tuple(times), tuple(_notes(profile, recorded, drift)))


def _on_device(profile: Profile, latency: float, recorded: float) -> Account:
    """The times of an accelerator's own clock are parts of the latency as they are."""
    scale = min(1.0, latency / recorded) if recorded else 1.0
    times = tuple(operator.ms * scale for operator in profile.operators)
    return Account(latency, recorded, times, tuple(_device_notes(profile, latency, recorded)))


def _device_notes(profile: Profile, latency: float, recorded: float) -> Iterator[str]:
    yield from _cost_of_profiling(profile)
    if recorded > (1 + WORTH_A_NOTE) * latency:
        yield (
            f"The operators were recorded with {milliseconds(recorded)} together, more than the "
            f"latency; they were multiplied by {latency / recorded:.2f}."
        )
    yield from profile.notes


def _without_recording(profile: Profile, recorded: float) -> list[float]:
    """The times of the operators, together at most a plain run."""
    excess = recorded - profile.plain_ms
    if excess <= 0:
        return [operator.ms for operator in profile.operators]
    each = excess / max(1.0, sum(operator.calls for operator in profile.operators))
    left = [max(LEAST_SHARE * o.ms, o.ms - each * o.calls) for o in profile.operators]
    return [ms * profile.plain_ms / sum(left) for ms in left]


def _cost_of_profiling(profile: Profile) -> Iterator[str]:
    plain, profiled = milliseconds(profile.plain_ms), milliseconds(profile.profiled_ms)
    if profile.profiled_ms > (1 + WORTH_A_NOTE) * profile.plain_ms:
        cost = profile.profiled_ms / profile.plain_ms - 1
        yield (
            f"{profile.profiler} makes a run {cost:.0%} slower ({profiled} instead of {plain}); "
            "that is no part of the latency."
        )


def _notes(profile: Profile, recorded: float, drift: float) -> Iterator[str]:
    plain = milliseconds(profile.plain_ms)
    now = milliseconds(profile.plain_ms * drift)
    yield from _cost_of_profiling(profile)
    if recorded > (1 + WORTH_A_NOTE) * profile.plain_ms:
        yield (
            f"The operators were recorded with {milliseconds(recorded)} together, more than a run "
            f"without the profiler takes ({plain}); the excess was taken off in equal parts per "
            "call."
        )
    short = [o for o in profile.operators if o.ms * 1e3 < profile.resolution_us * o.calls]
    if recorded < (1 - WORTH_A_NOTE) * profile.plain_ms and len(short) > 1:
        yield (
            f"{len(short)} of {len(profile.operators)} operators are shorter than the unit of the "
            f"profiler's clock ({profile.resolution_us:g} µs); most of their time counts as "
            "outside of operators."
        )
    if abs(drift - 1) > WORTH_A_NOTE:
        yield (
            f"Runs took {plain} while the profiler was used and {now} when the latency was "
            f"measured; the times of the operators were multiplied by {drift:.2f}."
        )
    yield from profile.notes
