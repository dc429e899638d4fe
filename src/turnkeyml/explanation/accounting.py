"""Recorded operator times as parts of the latency that was measured without a profiler."""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.nouns.profiles import Profile

__all__ = ["Account", "account"]

NOTABLE = 0.05


@dataclass(frozen=True)
class Account:
    """Operators and the rest, which add up to the latency. Times are in milliseconds."""

    latency: float
    recorded_ms: float
    """The sum of the operators as they were recorded."""
    scale: float
    """What a recorded time is multiplied by."""
    notes: tuple[str, ...] = ()

    @property
    def operators_ms(self) -> float:
        return self.recorded_ms * self.scale

    @property
    def outside_ms(self) -> float:
        return self.latency - self.operators_ms


def account(profile: Profile, latency: float) -> Account:
    """How recorded times become parts of a latency.

    The machine may have been faster or slower while it profiled: the plain runs in between tell by
    how much. Operators that take longer together than a whole plain run were slowed down by the
    profiler, all in the same proportion as far as anyone can tell.
    """
    recorded = sum(operator.ms for operator in profile.operators)
    drift = latency / profile.plain_ms
    slowed = max(1.0, recorded / profile.plain_ms)
    return Account(latency, recorded, drift / slowed, tuple(_notes(profile, drift, slowed)))


def _notes(profile: Profile, drift: float, slowed: float) -> list[str]:
    cost = profile.profiled_ms / profile.plain_ms - 1
    notes = []
    if cost > NOTABLE:
        notes.append(
            f"{profile.profiler} makes a run {cost:.0%} slower ({_ms(profile.profiled_ms)} instead "
            f"of {_ms(profile.plain_ms)}); that is no part of the latency and was taken off."
        )
    if slowed > 1 + NOTABLE:
        notes.append(
            f"The operators were recorded {slowed - 1:.0%} longer than a whole run without the "
            "profiler takes; all were shortened in the same proportion."
        )
    if abs(drift - 1) > NOTABLE:
        notes.append(
            f"Runs took {_ms(profile.plain_ms)} while the profiler was used and "
            f"{_ms(profile.plain_ms * drift)} when the latency was measured; the times of the "
            f"operators were multiplied by {drift:.2f}."
        )
    return [*notes, *profile.notes]


def _ms(ms: float) -> str:
    return f"{ms:.3g} ms"
