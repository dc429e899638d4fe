"""What the reader of a result under load should know about it."""

from __future__ import annotations

from collections.abc import Iterator

from turnkeyml.nouns import Flag, FlagKind, Performance, UnderLoad

LATE_SHARE = 0.1
"""Of the median latency, by which the 99th percentile of requests may be sent late."""
LATE_MILLISECONDS = 1.0
"""Less than this is never worth a word."""


def load_flags(load: UnderLoad, performance: Performance) -> tuple[Flag, ...]:
    """The flags of a measurement under load: those of the machine, and those of the load."""
    kept = [flag for flag in performance.flags if flag.kind.traits.under_load]
    return (*kept, *_overload(load, performance), *_lateness(load, performance))


def _overload(load: UnderLoad, performance: Performance) -> Iterator[Flag]:
    if not load.overloaded:
        return
    answered = load.answered / (performance.wall_seconds or 1.0)
    lost = load.requests - load.answered
    given_up = f" {lost:,} were given up and count with how long they had waited." if lost else ""
    yield Flag(
        FlagKind.OVERLOAD,
        f"It answered {answered:.4g} of {load.rate or 0.0:.4g} requests a second, so that the "
        f"queue grew and the latencies say how long it was measured: choose a lower --rate."
        f"{given_up}",
    )


def _lateness(load: UnderLoad, performance: Performance) -> Iterator[Flag]:
    late = load.p99_lateness if load.p99_lateness is not None else load.worst_lateness
    if late <= max(LATE_MILLISECONDS, LATE_SHARE * performance.median_latency):
        return
    yield Flag(
        FlagKind.LATE,
        f"Some requests were sent {late:.3g} ms late, as no processor was free for the generator; "
        "the latencies contain it: leave it a core with fewer --threads.",
    )
