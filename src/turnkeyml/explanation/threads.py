"""Findings about threads: would fewer be as fast?"""

from __future__ import annotations

from collections.abc import Iterator

from turnkeyml.explanation.words import counted, milliseconds
from turnkeyml.nouns import Alternative, Explanation, Finding

ALIKE = 1.03
"""Latencies whose ratio is below this are the same, as precisely as we measure here."""
POOR = 0.6
"""A share of the ideal speed-up below which threads are not used well."""


def thread_findings(explanation: Explanation) -> Iterator[Finding]:
    """That fewer threads are as fast or faster, or that more of them help little."""
    fewer = [
        one
        for one in explanation.alternatives
        if one.ms is not None
        and one.threads < explanation.threads
        and one.precision == explanation.precision
    ]
    if not fewer:
        return
    best = min(fewer, key=_ms)
    enough = next(
        (one for one in fewer if _ms(one) <= ALIKE * min(_ms(best), explanation.latency)), None
    )
    if enough is not None and _ms(enough) <= ALIKE * explanation.latency:
        yield _enough(explanation, enough)
    elif fewer[0].threads == 1:
        yield from _poor(explanation, fewer[0])


def _enough(explanation: Explanation, one: Alternative) -> Finding:
    gain = explanation.latency - _ms(one)
    ratio = explanation.latency / _ms(one)
    few, many = counted(one.threads, "thread"), counted(explanation.threads, "thread")
    verb = "is" if one.threads == 1 else "are"
    text = f"{few} {verb} as fast as {explanation.threads}."
    if ratio > ALIKE:
        text = f"{few} {verb} {ratio:.2f} times as fast as {explanation.threads}."
    return Finding(
        "threads",
        text,
        f"{milliseconds(_ms(one))} with {few}, {milliseconds(explanation.latency)} with {many}, "
        "measured in turns",
        f"use --threads {one.threads}",
        max(gain, 0.0) or explanation.latency * 0.01,
    )


def _poor(explanation: Explanation, one: Alternative) -> Iterator[Finding]:
    speedup = _ms(one) / explanation.latency
    ideal = min(explanation.threads, explanation.peaks.threads)
    efficiency = speedup / ideal
    if efficiency >= POOR:
        return
    yield Finding(
        "parallelism",
        f"{explanation.threads} threads are only {speedup:.2f} times as fast as 1: "
        f"{efficiency:.0%} of the ideal.",
        f"{milliseconds(_ms(one))} with 1 thread, {milliseconds(explanation.latency)} with "
        f"{explanation.threads}, measured in turns",
        "use fewer threads and run several inferences at a time, or a larger batch",
        explanation.latency - _ms(one) / ideal,
    )


def _ms(one: Alternative) -> float:
    assert one.ms is not None
    return one.ms
