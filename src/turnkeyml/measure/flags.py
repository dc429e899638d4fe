"""Flags and the grade: what disturbed a measurement, and how far its median can be relied on.

Each flag is a sentence that says what to do. The margin is the larger of how well the samples tell
the median and how much a disturbance may have moved it; the grade follows from the margin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from turnkeyml.measure.interference import ALIKE, extremes
from turnkeyml.measure.meter import TIMER_SHARE, Samples
from turnkeyml.measure.statistics import drift, overall_interval, spread
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import (
    OTHER_SHARE,
    Conditions,
    Disturbance,
    Flag,
    FlagKind,
    Grade,
    Performance,
    StopReason,
    UnderLoad,
    margins,
)

HIGH_SPREAD = 0.1
ENOUGH = 20
"""Samples that would be enough if they were independent."""
WORST_OTHER_SHARE = 0.15
"""Of the processors, that other programs may use unmentioned for half a second."""
STOLEN_SHARE = 0.01
THROTTLED_SHARE = 0.01
FOLDED_SHARE = 0.3
"""Of the weights or of the work, that may depend on no input unmentioned."""
TICKS = 0.03
"""Seconds of processor time that the kernel's counters may be wrong by."""

LATE_SHARE = 0.1
"""Of the median latency, by which the 99th percentile of requests may be sent late."""
LATE_MILLISECONDS = 1.0
"""Less than this is never worth a word."""

LIMITS = {Grade.A: 0.01, Grade.B: 0.03, Grade.C: 0.10}
"""The largest margin of each grade, relative to the median; beyond the last it is a D."""


def find_flags(samples: Sequence[Samples], rule: Rule, conditions: Conditions) -> tuple[Flag, ...]:
    """Everything that keeps these samples from giving a number to rely on.

    The text of each is one sentence: what was wrong, and what to do.
    """
    if any(s.stopped == StopReason.SELF_REPORTED for s in samples):
        text = "The runtime measured by itself: turnkey has neither timed nor verified these runs."
        return (Flag(FlagKind.REPORTED, text),)
    found = [*_about_length(samples, rule), *_about_timing(samples, rule)]
    found += [*_about_series(samples), *_about_machine(samples, conditions)]
    return tuple(found)


def about_folding(shares: Mapping[str, float]) -> Iterator[Flag]:
    """What to say of a file whose ``weights`` or ``work`` depend in part on no input."""
    weights, work = shares.get("weights", 0.0), shares.get("work", 0.0)
    if max(weights, work) >= FOLDED_SHARE:
        what, verb = ("weights", "do") if weights >= FOLDED_SHARE else ("work", "does")
        yield Flag(
            FlagKind.FOLDED,
            f"{shares[what]:.0%} of the {what} {verb} not depend on the input: the runtime "
            "computes that part once, when it loads the file.",
        )


def load_flags(load: UnderLoad, performance: Performance) -> tuple[Flag, ...]:
    """The flags of a measurement under load: those of the machine, and those of the load."""
    kept = [flag for flag in performance.flags if flag.kind.traits.under_load]
    return (*kept, *_overload(load, performance), *_lateness(load, performance))


def _about_length(samples: Sequence[Samples], rule: Rule) -> Iterator[Flag]:
    runs = sum(s.runs for s in samples)
    latencies = np.concatenate([s.latencies for s in samples])
    reasons = {s.stopped for s in samples}
    interval = overall_interval([s.latencies for s in samples])
    width = interval.half_width / float(np.median(latencies)) if interval else None
    known = f"the median is known to ±{width:.1%}" if width is not None else ""
    if StopReason.CAP in reasons:
        yield Flag(
            FlagKind.CAP,
            f"It stopped at the time limit of {rule.cap_seconds:g} s after {runs:,} runs"
            f"{f' and {known}' if known else ''}: --iterations N measures as long as you like.",
        )
    elif StopReason.SETTLED in reasons:
        yield Flag(
            FlagKind.SETTLED,
            f"The noise is steady: {known}, and ±{rule.precision:.0%} would take longer than the "
            f"time limit of {rule.cap_seconds:g} s; use a quieter machine or --rigorous.",
        )
    elif StopReason.RESTLESS in reasons:
        yield Flag(
            FlagKind.SETTLED,
            f"The machine is restless{f' and {known}' if known else ''}, which more runs would not "
            "change: stop other programs, or give it time with --budget S.",
        )
    elif StopReason.TIME in reasons and width is not None and width > rule.precision:
        yield Flag(
            FlagKind.CAP,
            f"The race was over after {rule.race_seconds:g} s and {known}: --rigorous measures as "
            "long as it takes.",
        )
    elif width is not None and width > rule.precision and len(samples) > 1:
        yield Flag(
            FlagKind.PROCESSES,
            f"Each process was precise, but they differ and {known}: measure again, on a quieter "
            "machine if you can.",
        )
    if interval is None:
        yield _too_few(len(latencies), rule)


def _too_few(samples: int, rule: Rule) -> Flag:
    correlated = "correlated " if samples >= ENOUGH else ""
    longer = "leave out --iterations or raise it" if rule.iterations else "measure longer"
    return Flag(
        FlagKind.FEW,
        f"{samples:,} {correlated}samples are too few to tell how well the median is known: "
        f"{longer}.",
    )


def _about_timing(samples: Sequence[Samples], rule: Rule) -> Iterator[Flag]:
    if not all(s.steady for s in samples):
        yield Flag(
            FlagKind.UNSTEADY,
            "The warm-up did not become steady within its time limit: "
            "let the machine rest, or measure again with --rigorous.",
        )
    share = max(s.timer / (s.block * float(np.median(s.latencies)) or 1) for s in samples)
    if share > 2 * TIMER_SHARE:
        why = (
            "without --iterations short models are timed in blocks"
            if rule.iterations
            else "each run needs inputs of its own, so runs cannot be timed in blocks"
        )
        yield Flag(
            FlagKind.TIMER, f"Reading the clock costs about {share:.1%} of each sample: {why}."
        )


def _about_series(samples: Sequence[Samples]) -> Iterator[Flag]:
    drifts = [drift(_in_one_place(s)) for s in samples]
    worst = max(drifts, key=lambda d: abs(d.relative) if d.significant else 0.0)
    if worst.significant:
        word = "slower" if worst.relative > 0 else "faster"
        yield Flag(
            FlagKind.DRIFT,
            f"The last third of the runs was {abs(worst.relative):.1%} {word} than the first "
            "(heat, clock rate, other load): let the machine rest and measure again.",
        )
    wide = max(spread(s.latencies) for s in samples)
    if wide > HIGH_SPREAD:
        yield Flag(
            FlagKind.VARIATION,
            f"The runs vary a lot, the middle half of them by {wide:.0%} of the median: "
            "close other programs or try fewer --threads.",
        )


def _about_machine(samples: Sequence[Samples], conditions: Conditions) -> Iterator[Flag]:
    yield from _about_load(samples, conditions)
    yield from _about_own_load(samples, conditions)
    if (conditions.stolen_share or 0.0) > STOLEN_SHARE:
        yield Flag(
            FlagKind.STEAL,
            f"The hypervisor gave {conditions.stolen_share:.0%} of our processor time to others: "
            "measure on a dedicated machine.",
        )
    yield from _about_placement(samples, conditions)
    seconds = sum(s.seconds for s in samples)
    if (conditions.throttled_seconds or 0.0) > THROTTLED_SHARE * seconds:
        quota = f" of {conditions.cpu_quota:g} cores" if conditions.cpu_quota else ""
        yield Flag(
            FlagKind.QUOTA,
            f"The CPU quota{quota} throttled us for {conditions.throttled_seconds:.1f} s: "
            "raise it or choose fewer --threads.",
        )
    if conditions.overheated:
        yield Flag(
            FlagKind.HEAT,
            f"The processor throttled itself {conditions.overheated:.0f} times because of heat: "
            "cool it and measure again.",
        )
    yield from _about_accelerator(conditions)
    threads, cores = conditions.threads, conditions.usable_cores
    if threads > cores:
        yield Flag(
            FlagKind.THREADS,
            f"There are more threads ({threads}) than cores ({cores}): choose --threads {cores}.",
        )


def _about_load(samples: Sequence[Samples], conditions: Conditions) -> Iterator[Flag]:
    processors = processor_count(conditions)
    other, worst = conditions.other_cores or 0.0, conditions.worst_other_cores or 0.0
    watched = sum(a.seconds for s in samples for a in s.activities) or sum(
        s.seconds for s in samples
    )
    unclear = TICKS / max(watched, TICKS)
    if other > OTHER_SHARE * processors + unclear or worst > WORST_OTHER_SHARE * processors:
        most = f", {worst:.1f} at worst" if worst > other else ""
        yield Flag(
            FlagKind.LOAD,
            f"Other programs kept {other:.1f} of {processors} processors busy{most}: "
            "stop them and measure again.",
        )


def _about_own_load(samples: Sequence[Samples], conditions: Conditions) -> Iterator[Flag]:
    loads = [s.own_load for s in samples if s.own_load is not None]
    processors, cores = processor_count(conditions), conditions.own_cores or 0.0
    unclear = TICKS / max(sum(load.seconds for load in loads), TICKS)
    if not loads or cores <= OTHER_SHARE * processors + unclear:
        return
    counts = {
        ("thread", "threads"): max(load.threads for load in loads),
        ("process", "processes"): max(load.processes for load in loads),
    }
    left = " and ".join(f"{n} {names[n != 1]}" for names, n in counts.items() if n)
    them = "it" if sum(counts.values()) == 1 else "them"
    yield Flag(
        FlagKind.OWN_LOAD,
        f"The script left {left} running that used {cores:.1f} of {processors} processors while "
        f"its models were measured: end {them} before the script ends.",
    )


def _about_placement(samples: Sequence[Samples], conditions: Conditions) -> Iterator[Flag]:
    found = extremes(d for s in samples for d in s.distances if d)
    if found is None or conditions.threads < 2:
        return
    if found[1] > ALIKE * found[0]:
        yield Flag(
            FlagKind.PLACEMENT,
            "The hypervisor moved our processors while we measured: for some of the time they "
            f"passed data to each other {found[1] / found[0]:.1f} times as slowly; measure again.",
        )
    elif conditions.processors_apart:
        yield Flag(
            FlagKind.PLACEMENT,
            "The hypervisor runs our processors on different core complexes, which changes the "
            "latency of models with several threads: measure again later, or with --rigorous.",
        )


def _in_one_place(samples: Samples) -> np.ndarray:
    """The latencies while the processors were where they were most of the time: a drift that is
    due to their place is not called one."""
    found = extremes(d for d in samples.distances if d)
    if found is None or found[1] <= ALIKE * found[0]:
        return samples.latencies
    middle = math.sqrt(found[0] * found[1])
    rounds = list(zip(samples.rounds(), samples.distances, strict=True))
    near = [times for times, distance in rounds if distance and distance < middle]
    far = [times for times, distance in rounds if distance and distance >= middle]
    return np.concatenate(max(near, far, key=lambda part: sum(map(len, part))))


def _about_accelerator(conditions: Conditions) -> Iterator[Flag]:
    reasons = conditions.accelerator.get("throttle_reasons")
    if reasons:
        yield Flag(
            FlagKind.THROTTLE,
            f"The accelerator throttled itself ({', '.join(map(str, reasons))}): cool it, raise "
            "its power limit or lock its clocks, and measure again.",
        )
    foreign = conditions.accelerator.get("foreign_processes") or 0
    if foreign:
        processes = "process" if foreign == 1 else "processes"
        yield Flag(
            FlagKind.FOREIGN,
            f"{foreign} {processes} of others used the accelerator: stop what 'nvidia-smi' or the "
            "like lists, and measure again.",
        )


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
