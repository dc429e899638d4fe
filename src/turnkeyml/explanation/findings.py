"""Findings: what costs time, in sentences with their evidence and what to try.

Every number in them comes from the measurement. A rule is a function of an explanation; the list
at the end has them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from turnkeyml.explanation.costs import ARITHMETIC, Kind, kind_of
from turnkeyml.explanation.gpu_findings import ACCELERATED, BY_HOST
from turnkeyml.explanation.quantities import counted, gigaflops, kinds_in_words, milliseconds, size
from turnkeyml.explanation.roofline import is_transfer, limit_of
from turnkeyml.nouns import Alternative, Bound, Explanation, Finding, Operator

NOTABLE = 0.05
"""A share of the latency below which nothing is worth a sentence."""
LARGE = 0.15
CLOSE = 0.5
DOMINANT = 0.3
"""A share that makes a type or an operator the first thing to look at."""
GOOD = 0.5
"""Of what the machine allows, from which on an implementation is good."""
MOST = 0.5
"""Of the time of a type, that other rules explain if they explain the type."""
SHORT_MS = 0.01
ALIKE = 1.03
"""Latencies whose ratio is below this are the same, as precisely as we measure here."""
POOR = 0.6
"""A share of the ideal speed-up below which threads are not used well."""
OWN_RULES = (Kind.CAST, Kind.LAYOUT)
"""Kinds whose share another rule explains better; so do those for arithmetic and for weights where
the machine is the limit, and that for overhead."""


def findings_of(explanation: Explanation) -> Explanation:
    """The same with its findings, those about most of the time first."""
    rules = BY_HOST if explanation.by_host else RULES
    if explanation.no_roofline:
        rules = tuple(rule for rule in rules if rule not in FROM_PEAKS)
    found = [finding for rule in rules for finding in rule(explanation)]
    return replace(explanation, findings=tuple(sorted(found, key=lambda one: -one.ms)))


def casts(explanation: Explanation) -> Iterator[Finding]:
    """Conversions between precisions."""
    found = _of_kinds(explanation, Kind.CAST)
    ms = _sum(found)
    if ms < NOTABLE * explanation.latency:
        return
    dtypes = sorted({t.dtype for one in found for t in (*one.inputs, *one.outputs)})
    halves = [d for d in dtypes if d in ("float16", "bfloat16")]
    between = " and ".join(kinds_in_words(dtypes))
    text = (
        f"Casts between {between} take {_share(explanation, ms)}"
        if len(dtypes) > 1
        else (f"Casts take {_share(explanation, ms)}")
    )
    advice = "remove the casts, or keep the model in one precision"
    if halves and explanation.accelerator:
        advice = "keep the model in one precision, with inputs and outputs in fp16 as well"
    elif halves:
        advice = _without_half(explanation)
    yield Finding(
        "casts", text + ".", f"{counted(len(found), 'node')}, {milliseconds(ms)}", advice, ms
    )


def _without_half(explanation: Explanation) -> str:
    """What to do about casts to half: take the fp32 file, if the build has one."""
    why = "here the runtime converts and does not compute in half"
    for other in explanation.alternatives:
        if other.precision == "fp32" and other.ms is not None:
            return f"use --precision fp32: {why} (measured: {milliseconds(other.ms)} in fp32)"
    return f"export the model in fp32, which the build has no file in: {why}"


def layout(explanation: Explanation) -> Iterator[Finding]:
    """Transposes and reorders, which only move data."""
    found = _of_kinds(explanation, Kind.LAYOUT)
    ms = _sum(found)
    if ms < 2 * NOTABLE * explanation.latency:
        return
    types = " and ".join(sorted({one.op_type for one in found})[:3])
    yield Finding(
        "layout",
        f"{_share(explanation, ms)} of the time is spent on moving data to another layout "
        f"({types}).",
        f"{counted(len(found), 'node')}, {milliseconds(ms)}; the longest is {found[0].name}",
        "avoid transposes in the model (channels-last inputs, attention without permutes), or try "
        "a runtime that fuses them: turnkey race",
        ms,
    )


def dominant(explanation: Explanation) -> Iterator[Finding]:
    """A few operators, or one type, that take most of the time."""
    if not explanation.operators:
        return
    first = explanation.operators[0]
    if named_operator(explanation) is not None:
        yield _one_operator(explanation, first)
        return
    for part in explanation.types[:1]:
        group = [one for one in explanation.operators if one.op_type == part.name]
        if part.share < DOMINANT or _sum(filter(_is_explained, group)) > MOST * part.ms:
            continue
        precisions = sorted({one.precision for one in group if one.precision})
        inside = f" in {' and '.join(precisions)}" if precisions else ""
        yield Finding(
            "operator type",
            f"{part.share:.0%} of the time in {counted(part.count, f'{part.name} node')}{inside}.",
            f"{milliseconds(part.ms)}{_allowed(explanation, group)}; the longest is {first.name}"
            if first in group
            else f"{milliseconds(part.ms)}{_allowed(explanation, group)}",
            _advice_for(explanation, group),
            part.ms,
        )


def named_operator(explanation: Explanation) -> Operator | None:
    """The operator that a finding of its own is about; None if there is none."""
    for first in explanation.operators[:1]:
        if first.share >= DOMINANT and len(explanation.operators) > 1 and not _is_explained(first):
            return first
    return None


def is_overhead(operator: Operator) -> bool:
    """Whether a call is so short that it is mostly the call, as far from the peaks as it is."""
    is_short = operator.ms / max(operator.calls, 1.0) < SHORT_MS
    return is_short and limit_of(operator) in ("overhead", "unknown")


def _is_explained(operator: Operator) -> bool:
    kind, efficiency = kind_of(operator.op_type), operator.efficiency
    is_close = efficiency is not None and efficiency >= GOOD
    return kind in OWN_RULES or (kind in ARITHMETIC and is_close) or is_overhead(operator)


def _one_operator(explanation: Explanation, one: Operator) -> Finding:
    inside = f", in {one.precision}" if one.precision else ""
    return Finding(
        "operator",
        f"{one.share:.0%} of the time in one of {len(explanation.operators)} operators: {one.name} "
        f"({one.op_type}{inside}).",
        f"{milliseconds(one.ms)}{_allowed(explanation, [one])}",
        _advice_for(explanation, [one]),
        one.ms,
    )


def _allowed(explanation: Explanation, group: list[Operator]) -> str:
    """What the machine would allow for some operators, as the end of a sentence."""
    if explanation.no_roofline:
        return ""
    known = [one for one in group if one.least_ms is not None]
    if len(known) < len(group):
        return "; its cost is unknown" if len(group) == 1 else "; the cost of some is unknown"
    least = sum(one.least_ms or 0.0 for one in known)
    bounds = {one.bound for one in known}
    what = f" ({known[0].bound} bound)" if len(bounds) == 1 else ""
    return (
        f"; this machine allows {milliseconds(least)}{what}, so that "
        f"{_percent(least / max(_sum(known), 1e-12))} of what it could do is reached"
    )


def _percent(share: float) -> str:
    return "less than 1%" if share < 0.01 else f"{share:.0%}"


def _advice_for(explanation: Explanation, group: list[Operator]) -> str:
    if explanation.no_roofline:
        return "try another runtime: turnkey race"
    ms, least = _sum(group), sum(one.least_ms or 0.0 for one in group)
    if any(one.least_ms is None for one in group):
        return "replace the operator, or try another runtime: turnkey race"
    if least >= GOOD * ms:
        return "the implementation is good: only less work, or a lower precision, makes it faster"
    return (
        "the implementation is far from what the machine allows: try another runtime (turnkey "
        "race), another opset or another form of the operator"
    )


def weights(explanation: Explanation) -> Iterator[Finding]:
    """Weights that must come from memory in each run."""
    least, latency = explanation.weights_ms, explanation.latency
    used_once = explanation.flops <= 64 * explanation.weight_bytes
    if least < 0.3 * latency or not used_once:
        return
    speed = explanation.weight_bytes / least / 1e6
    yield Finding(
        "weights",
        f"The weights ({size(explanation.weight_bytes)}) must be read in each run: no "
        f"configuration with these weights can be faster than {milliseconds(least)} here, you are "
        f"at {least / latency:.0%} of that.",
        f"{speed:.0f} GB/s were measured for a working set of that size, {explanation.peaks.where}",
        "use a larger batch, so that each weight is used more often, or smaller weights (int8, "
        "fp16 where the runtime computes in it)",
        least,
    )


def arithmetic(explanation: Explanation) -> Iterator[Finding]:
    """Arithmetic that is close to what the machine can do."""
    found = [o for o in explanation.operators if o.bound is Bound.COMPUTE and o.least_ms]
    least = sum(one.least_ms or 0.0 for one in found)
    if least < CLOSE * explanation.latency:
        return
    precision = max(found, key=lambda one: one.ms).precision
    peak = explanation.peaks.product(precision) or 0.0
    flops = sum(one.flops or 0.0 for one in found)
    yield Finding(
        "arithmetic",
        f"The arithmetic ({gigaflops(flops)}) takes {milliseconds(least)} at the peak of this "
        f"machine, {least / explanation.latency:.0%} of the latency: the model is compute bound.",
        f"a matrix product in {precision} reaches {peak:.0f} GFLOP/s {explanation.peaks.where}",
        _faster_precision(explanation, precision, peak),
        least,
    )


def _faster_precision(explanation: Explanation, precision: str, peak: float) -> str:
    others = {p: explanation.peaks.product(p) or 0.0 for p in explanation.peaks.products}
    best = max(others, key=lambda name: others[name], default=precision)
    if peak and others.get(best, 0.0) > 1.2 * peak:
        return (
            f"use fewer operations, or {best}: a matrix product in it is "
            f"{others[best] / peak:.1f} times as fast here"
        )
    more = "a faster GPU" if explanation.accelerator else "more cores"
    return f"use fewer operations or {more}; no other precision is faster here"


def elementwise(explanation: Explanation) -> Iterator[Finding]:
    """Elementwise operators that read and write memory one after the other."""
    found = [
        one
        for one in _of_kinds(explanation, Kind.ELEMENTWISE, Kind.REDUCTION, Kind.NORMALIZATION)
        if one.ms / max(one.calls, 1.0) >= SHORT_MS
    ]
    ms = _sum(found)
    if ms < LARGE * explanation.latency or len(found) < 3:
        return
    types = ", ".join(list(dict.fromkeys(one.op_type for one in found))[:4])
    moved = sum(one.bytes or 0.0 for one in found)
    yield Finding(
        "elementwise",
        f"{_share(explanation, ms)} of the time in {len(found)} elementwise operators that are not "
        f"fused ({types}): each reads and writes its data.",
        f"{milliseconds(ms)} for {size(moved)}",
        "try another runtime, which may fuse them: turnkey race",
        ms,
    )


def overhead(explanation: Explanation) -> Iterator[Finding]:
    """Time that is spent on calls and not on work; a GPU has rules of its own for that."""
    if explanation.accelerator:
        return
    operators = () if explanation.no_roofline else explanation.operators
    short = [one for one in operators if is_overhead(one)]
    ms = explanation.outside_ms + _sum(short)
    if ms < 2 * LARGE * explanation.latency:
        return
    calls = sum(one.calls for one in explanation.operators)
    each = milliseconds(explanation.latency / max(calls, 1.0))
    name = "Python and the dispatcher" if explanation.in_python else "calling operators"
    limit = f" shorter than {SHORT_MS * 1e3:.0f} µs" if short else ""
    yield Finding(
        "Python" if explanation.in_python else "overhead",
        f"{_share(explanation, ms)} of the time is overhead of {name}, not work: "
        f"{calls:.0f} calls per run, {each} each.",
        f"{milliseconds(explanation.outside_ms)} {explanation.outside}, and "
        f"{milliseconds(_sum(short))} in {len(short)} operators{limit}",
        "use a runtime that compiles the model (turnkey race), or a larger batch"
        if explanation.in_python
        else "use a larger batch, fewer and larger operators, or a runtime that fuses them",
        ms,
    )


def precisions(explanation: Explanation) -> Iterator[Finding]:
    """Another precision of the same build that is faster."""
    for other in explanation.alternatives:
        if other.precision == explanation.precision or other.ms is None or other.setting:
            continue
        if other.ms < 0.95 * explanation.latency:
            yield Finding(
                "precision",
                f"{other.precision} is {explanation.latency / other.ms:.2f} times as fast as "
                f"{explanation.precision} here.",
                f"{milliseconds(other.ms)} against {milliseconds(explanation.latency)}, measured "
                f"in turns{_doubt(other)}",
                f"use --precision {other.precision}",
                explanation.latency - other.ms,
            )


def _doubt(other: Alternative) -> str:
    """That the outputs of an alternative are not those of the original, for the evidence."""
    if other.verdict is None or other.verdict.trusted:
        return ""
    return f"; its outputs are not trusted ({other.verdict})"


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


def unknown(explanation: Explanation) -> Iterator[Finding]:
    """Operators about whose cost nothing is known, without one that has a finding of its own."""
    named = named_operator(explanation)
    unnamed = [o for o in explanation.operators if o is not named and not is_transfer(o)]
    found = [o for o in unnamed if o.least_ms is None]
    ms = _sum(found)
    if ms < LARGE * explanation.latency:
        return
    types = ", ".join(list(dict.fromkeys(one.op_type for one in found))[:5])
    yield Finding(
        "unknown cost",
        f"{_share(explanation, ms)} of the time in {counted(len(found), 'operator')} whose cost is "
        f"not known ({types}).",
        f"{milliseconds(ms)}; their time is measured, what the machine would allow is not known",
        "compare with another runtime: turnkey race",
        ms,
    )


def _of_kinds(explanation: Explanation, *kinds: Kind) -> list[Operator]:
    return [one for one in explanation.operators if kind_of(one.op_type) in kinds]


def _sum(operators: Iterable[Operator]) -> float:
    return sum(operator.ms for operator in operators)


def _share(explanation: Explanation, ms: float) -> str:
    return f"{ms / explanation.latency:.0%}"


Rule = Callable[[Explanation], Iterator[Finding]]
FROM_PEAKS: tuple[Rule, ...] = (weights, arithmetic, unknown)
"""Rules that hold operators against the peaks, or say that they cannot be."""
RULES: tuple[Rule, ...] = (
    casts,
    layout,
    dominant,
    weights,
    arithmetic,
    elementwise,
    overhead,
    precisions,
    thread_findings,
    unknown,
    *ACCELERATED,
)
