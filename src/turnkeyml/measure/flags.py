"""What the reader of a result should know about it, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from turnkeyml.measure.meter import TIMER_SHARE
from turnkeyml.measure.rules import Rule
from turnkeyml.measure.sampler import Samples
from turnkeyml.measure.statistics import drift, overall_interval, spread
from turnkeyml.nouns import Conditions, Flag, FlagKind

__all__ = ["find_flags"]

HIGH_SPREAD = 0.1
ENOUGH = 20
"""Samples of which there would be enough, were they independent."""
OTHER_SHARE = 0.05
WORST_OTHER_SHARE = 0.15
"""Of the processors, that other programs may use unmentioned: on average, and for half a second."""
STOLEN_SHARE = 0.01
THROTTLED_SHARE = 0.01
TICKS = 0.03
"""Seconds of processor time that the kernel's counters may be wrong by."""


def find_flags(sittings: Sequence[Samples], rule: Rule, conditions: Conditions) -> tuple[Flag, ...]:
    """Everything that stands between these samples and a number to rely on."""
    found = [*_about_length(sittings, rule), *_about_timing(sittings, rule)]
    found += [*_about_series(sittings), *_about_machine(sittings, conditions)]
    return tuple(found)


def _about_length(sittings: Sequence[Samples], rule: Rule) -> Iterator[Flag]:
    runs = sum(s.runs for s in sittings)
    latencies = np.concatenate([s.latencies for s in sittings])
    reasons = {s.stopped for s in sittings}
    interval = overall_interval([s.latencies for s in sittings])
    width = interval.half_width / float(np.median(latencies)) if interval else None
    known = f"the interval of the median is ±{width:.1%}" if width is not None else ""
    if "cap" in reasons:
        yield Flag(
            FlagKind.CAP,
            f"It was cut at the limit of {rule.cap_seconds:g} s after {runs:,} runs"
            f"{f'; {known}' if known else ''}. --iterations N measures as long as you like.",
        )
    elif "settled" in reasons:
        yield Flag(
            FlagKind.SETTLED,
            f"The noise is steady and {known}; ±{rule.precision:.0%} would take longer than the "
            f"limit of {rule.cap_seconds:g} s. A quieter machine or --rigorous gets closer.",
        )
    elif "restless" in reasons:
        yield Flag(
            FlagKind.SETTLED,
            f"The machine is restless, and more runs do not help{f': {known}' if known else ''}. "
            "Stop other programs and measure again, or give it time with --budget S.",
        )
    elif "time" in reasons and width is not None and width > rule.precision:
        yield Flag(
            FlagKind.CAP,
            f"The time of the race was over after {runs:,} runs; {known}. --rigorous measures as "
            "long as it takes.",
        )
    elif width is not None and width > rule.precision and len(sittings) > 1:
        yield Flag(
            FlagKind.PROCESSES,
            f"Each process was precise, but they differ: {known}. Measure again, on a quieter "
            "machine if you can.",
        )
    if interval is None:
        alike = ", each much like the one before," if len(latencies) >= ENOUGH else ""
        longer = "leave out --iterations or raise it" if rule.iterations else "measure longer"
        yield Flag(
            FlagKind.FEW,
            f"{len(latencies):,} samples{alike} are too few to say how good the median is; "
            f"{longer}.",
        )


def _about_timing(sittings: Sequence[Samples], rule: Rule) -> Iterator[Flag]:
    if not all(s.steady for s in sittings):
        yield Flag(
            FlagKind.UNSTEADY,
            "The warm-up had not become steady when its time was over; "
            "let the machine rest, or measure again with --rigorous.",
        )
    share = max(s.timer / (s.block * float(np.median(s.latencies)) or 1) for s in sittings)
    if share > 2 * TIMER_SHARE:
        why = (
            "without --iterations short models are timed in blocks"
            if rule.iterations
            else "the model changes its inputs, so that its runs cannot be timed in blocks"
        )
        yield Flag(
            FlagKind.TIMER, f"Reading the clock costs about {share:.1%} of each sample; {why}."
        )


def _about_series(sittings: Sequence[Samples]) -> Iterator[Flag]:
    drifts = [drift(s.latencies) for s in sittings]
    worst = max(drifts, key=lambda d: abs(d.relative) if d.significant else 0.0)
    if worst.significant:
        word = "slower" if worst.relative > 0 else "faster"
        yield Flag(
            FlagKind.DRIFT,
            f"The last third of the runs was {abs(worst.relative):.1%} {word} than the first: "
            "the machine was changing (heat, clock rate, other load). "
            "Let it come to rest and measure again.",
        )
    wide = max(spread(s.latencies) for s in sittings)
    if wide > HIGH_SPREAD:
        yield Flag(
            FlagKind.VARIATION,
            f"The runs vary a lot: the middle half of them spans {wide:.0%} of the median. "
            "Close other programs, or try fewer --threads.",
        )


def _about_machine(sittings: Sequence[Samples], conditions: Conditions) -> Iterator[Flag]:
    cores, processors = conditions.usable_cores, conditions.processors.count(",") + 1
    other, worst = conditions.other_cores or 0.0, conditions.worst_other_cores or 0.0
    watched = sum(a.seconds for s in sittings for a in s.activities) or sum(
        s.seconds for s in sittings
    )
    unclear = TICKS / max(watched, TICKS)
    much = other > OTHER_SHARE * processors + unclear or worst > WORST_OTHER_SHARE * processors
    if much:
        yield Flag(
            FlagKind.LOAD,
            f"Other programs kept {other:.1f} of {processors} processors busy, {worst:.1f} at "
            "worst. Stop them and measure again.",
        )
    if (conditions.stolen_share or 0.0) > STOLEN_SHARE:
        yield Flag(
            FlagKind.STEAL,
            f"The hypervisor gave {conditions.stolen_share:.0%} of our processor time to others; "
            "a dedicated machine would not.",
        )
    seconds = sum(s.seconds for s in sittings)
    if (conditions.throttled_seconds or 0.0) > THROTTLED_SHARE * seconds:
        quota = f" of {conditions.cpu_quota:g} cores" if conditions.cpu_quota else ""
        yield Flag(
            FlagKind.QUOTA,
            f"The CPU quota{quota} held us back for {conditions.throttled_seconds:.1f} s; "
            "raise it, or choose fewer --threads.",
        )
    if conditions.overheated:
        yield Flag(
            FlagKind.HEAT,
            f"The processor slowed itself down {conditions.overheated:.0f} times because of heat; "
            "cool it and measure again.",
        )
    if conditions.threads > cores:
        yield Flag(
            FlagKind.THREADS,
            f"There are more threads ({conditions.threads}) than cores ({cores}) to run them; "
            f"--threads {cores} would be as many.",
        )
