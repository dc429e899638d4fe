"""Findings about a few operators, or one type of them, that take most of the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from turnkeyml.explanation.kinds import Kind, kind_of
from turnkeyml.explanation.roofline import limit_of
from turnkeyml.explanation.words import counted, milliseconds
from turnkeyml.nouns import Explanation, Finding, Operator

DOMINANT = 0.3
"""A share that makes a type or an operator the first thing to look at."""
GOOD = 0.5
"""Of what the machine allows, from which on an implementation is good."""
MOST = 0.5
"""Of the time of a type, that other rules explain if they explain the type."""
SHORT_MS = 0.01
ARITHMETIC = (Kind.MATMUL, Kind.CONV, Kind.CONV_TRANSPOSE, Kind.RECURRENT, Kind.ATTENTION)
OWN_RULES = (Kind.CAST, Kind.LAYOUT)
"""Kinds whose share another rule explains better; so do those for arithmetic and for weights where
the machine is the limit, and that for overhead."""


def _sum(operators: Iterable[Operator]) -> float:
    return sum(operator.ms for operator in operators)


def named_operator(explanation: Explanation) -> Operator | None:
    """The operator that a finding of its own is about; None if there is none."""
    for first in explanation.operators[:1]:
        if first.share >= DOMINANT and len(explanation.operators) > 1 and not _is_explained(first):
            return first
    return None


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
