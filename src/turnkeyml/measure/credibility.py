"""Doubt a latency that cannot be that of the model, with the numbers that speak against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from turnkeyml.measure.after_timing import FEW_PAIRS, MOST_NAMED, MOST_RATE, Recheck, most_untimed
from turnkeyml.nouns import Flag, FlagKind, Performance

OTHER, LEAST_OTHER = 1.5, 1.25
"""How many times as long runs take on new inputs, in the median and nearly always, if that is no
noise: honest models gave 0.6 to 1.2 on a busy machine."""
LEAST_DIFFERENCE = 0.02
"""Milliseconds of difference that are no noise of a single run."""
CACHED, MOST_CACHED, SURELY_CACHED = 1 / 3, 3.0, 0.1
"""Of the difference between new and recorded inputs, what a second run on the new ones may keep, if
it was fast because it had seen them; how many times as long as on the recorded ones it takes then
at most; and the share of the first run that is little enough in any case."""
BELOW = 0.5
"""Of the latency on new inputs, below which the timed runs were not on new ones for the model."""
VERIFIED, LEAST_VERIFIED = 10.0, 0.05
"""How many times as long as the timed runs those take that are verified, and milliseconds more."""
NOTHING = 5.0
"""Empty calls that are no work: a method that looks something up and returns takes two to four."""
TIMES_CACHE, TIMES_MEMORY = 2.0, 16.0
"""Weights so many times as large as the caches come from memory in each run, and that is read so
many times as fast as one thread copies it at most."""
NARROWEST = 0.25
"""Of the bytes of a weight, what it may have in a build."""


def doubts(
    rechecks: Sequence[Recheck], performance: Performance, memory_speed: float | None
) -> Iterator[Flag]:
    """The flags of a measurement by what the check after the timing showed in its processes.

    ``memory_speed``: gigabytes that a thread copies in a second.
    """
    timed = performance.median_latency
    empty = performance.empty_call_latency
    if empty and timed < NOTHING * empty:
        yield Flag(
            FlagKind.IMPLAUSIBLE,
            f"A run took {_ms(timed)}, hardly longer than an empty call ({_ms(empty)}): nothing "
            "was computed in it.",
        )
    for found in rechecks:
        if found.failure:
            yield Flag(
                FlagKind.IMPLAUSIBLE,
                f"After the timed runs it could not be run again: {found.failure}.",
            )
        if found.same_outputs:
            yield Flag(
                FlagKind.SEEN,
                f"The outputs are the same on {found.same_outputs} sets of inputs with other "
                "values: it returns what it has kept, or it does not read its inputs.",
            )
        elif found.repeated >= FEW_PAIRS and found.count is not None and not found.count.flops:
            yield Flag(
                FlagKind.SEEN,
                f"The outputs are the same on {found.repeated} sets of new inputs, and no "
                "product with weights was counted in the original: it returns what it has kept.",
            )
        yield from _about_inputs(found, timed)
        yield from _about_speed(found, timed)
        yield from _about_peaks(found, timed, memory_speed)
        yield from _about_state(found)
        yield from _about_methods(found)


def _about_inputs(found: Recheck, timed: float) -> Iterator[Flag]:
    """Whether it is faster on inputs that it knows, or on some values than on others."""
    if found.new is None or found.again is None or found.recorded_latency is None:
        return
    new, recorded = found.new_latency or 0.0, found.recorded_latency
    if abs(new - recorded) < LEAST_DIFFERENCE:
        return
    times = f"{_ratio(found.new.low)} to {_ratio(found.new.high)} times"
    slower = found.new.median > OTHER and found.new.low > LEAST_OTHER
    faster = found.new.median < 1 / OTHER and found.new.high < 1 / LEAST_OTHER
    kept = found.again.median - 1 < CACHED * (found.new.median - 1)
    kept &= found.again.median < MOST_CACHED or (found.again_latency or 0.0) < SURELY_CACHED * new
    if slower and kept and timed < BELOW * new:
        yield Flag(
            FlagKind.SEEN,
            f"It is faster on inputs that it has seen: {_ms(recorded)} against {_ms(new)} on new "
            f"ones ({times}). It keeps results; measure it without its cache.",
        )
    elif slower and kept:
        yield Flag(
            FlagKind.STATE,
            f"It keeps results: {_ms(recorded)} on inputs that it has seen. The latency is that on "
            "new inputs.",
        )
    elif slower and found.constant and timed < BELOW * new:
        yield Flag(
            FlagKind.DUMMY,
            f"The inputs are one number each, and the model leaves work out on them: "
            f"{_ms(recorded)}, and {_ms(new)} on others of the same shapes ({times}). Call the "
            "model with inputs like those of the application.",
        )
    elif slower or faster:
        yield Flag(
            FlagKind.VALUES,
            f"The latency depends on the values of the inputs: {_ms(recorded)} on the recorded "
            f"ones, {_ms(new)} on others of the same shapes ({times}). Call the model with inputs "
            "like those of the application.",
        )


def _about_speed(found: Recheck, timed: float) -> Iterator[Flag]:
    """Whether the runs that were verified are much slower than those that were timed."""
    known = (found.recorded_latency, found.new_latency, found.again_latency)
    latencies = [latency for latency in known if latency is not None]
    if latencies and min(latencies) > max(VERIFIED * timed, timed + LEAST_VERIFIED):
        yield Flag(
            FlagKind.IMPLAUSIBLE,
            f"The timed runs took {_ms(timed)}, those that were verified {_ms(min(latencies))}: "
            "in the timed runs it does something else.",
        )


def _about_peaks(found: Recheck, timed: float, memory_speed: float | None) -> Iterator[Flag]:
    """Whether it is faster than the processors compute, or than the memory gives its weights."""
    if found.count is None or not timed:
        return
    rate = found.count.flops / timed * 1e3
    if found.most_flops is not None and rate > found.most_flops:
        yield Flag(
            FlagKind.IMPLAUSIBLE,
            f"The {found.count.flops / 1e9:.3g} GFLOPs of the model in {_ms(timed)} are "
            f"{rate / 1e12:,.3g} TFLOPs per second, and no more than "
            f"{found.most_flops / 1e12:.3g} are possible here: not all of it was computed.",
        )
    if memory_speed is None or found.cache_bytes is None:
        return
    weights = NARROWEST * found.count.weight_bytes - TIMES_CACHE * found.cache_bytes
    least = weights / (memory_speed * 1e6 * TIMES_MEMORY)
    if found.most_flops is not None and found.most_flops < MOST_RATE and timed < least:
        yield Flag(
            FlagKind.IMPLAUSIBLE,
            f"In {_ms(timed)} the memory cannot give the {found.count.weight_bytes / 1e9:.3g} GB "
            f"of weights, which takes at least {_ms(least)}: not all of it was computed.",
        )


def _about_state(found: Recheck) -> Iterator[Flag]:
    if found.changes_inputs:
        yield Flag(
            FlagKind.STATE,
            "It changed its inputs after some runs, so that later runs were on others: let it copy "
            "what it changes.",
        )
    if found.changed:
        named = "; ".join(found.changed[:MOST_NAMED])
        more = len(found.changed) - MOST_NAMED
        others = f"; and {more} more" if more > 0 else ""
        yield Flag(
            FlagKind.STATE,
            f"It keeps state from call to call, which changed while it was timed: {named}{others}.",
        )


def _about_methods(found: Recheck) -> Iterator[Flag]:
    """Whether the session works where nobody times it."""
    run = found.methods.get("run", 0.0)
    most = most_untimed(run, found.copying)
    for name in ("prepare", "synchronize", "outputs", "feed"):
        taken = found.methods.get(name, 0.0)
        if taken > most:
            yield Flag(
                FlagKind.METHODS,
                f"{name}() took {_ms(taken)} and run() {_ms(run)}: {_ADVICE[name]}.",
            )


_ADVICE = {
    "prepare": "only run() is timed, so the inference belongs there",
    "synchronize": "run() returned before the inference was done; set asynchronous = True",
    "outputs": "the inference must be done when run() and synchronize() have returned",
    "feed": "only run() is timed, so the inference belongs there",
}


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
