"""Operators against the measured peaks: how close is each to what the machine allows?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from turnkeyml.explanation.accounting import Account
from turnkeyml.explanation.costs import cost_of
from turnkeyml.explanation.kinds import Kind, kind_of
from turnkeyml.explanation.peaks import bandwidth
from turnkeyml.explanation.source import NOTHING, SourceNode
from turnkeyml.nouns import Bound, Operator, OperatorTime, Part, Peaks, Profile

CLOSE = 0.5
"""An operator that reaches this much of what the machine allows is held back by the machine."""
BEYOND = 1.2
"""An operator that reaches more of what the peaks allow shows that they are not its peaks."""
NOTABLE = 0.1
"""A share of the latency in such operators from which on nothing is concluded from the peaks."""
SHORT_MS = 0.02
"""A shorter call that is far from what the machine allows is mostly overhead of the call."""


def operators_of(
    profile: Profile, account: Account, peaks: Peaks, source: Mapping[str, SourceNode]
) -> tuple[Operator, ...]:
    """The operators with their costs, the most expensive first."""
    costs = [cost_of(one, source.get(one.name, NOTHING)) for one in profile.operators]
    weights = sum(cost.weight_bytes for cost in costs)
    found = []
    for one, cost, ms in zip(profile.operators, costs, account.times, strict=True):
        whole = Operator(
            name=one.name,
            op_type=one.op_type,
            ms=ms,
            share=ms / account.latency,
            calls=one.calls,
            module=one.module or module_of(one.name),
            provider=one.provider,
            kernel=one.kernel,
            precision=_math_of(one, cost.precision, profile),
            inputs=one.inputs,
            outputs=one.outputs,
            flops=None if cost.flops is None else cost.flops * one.calls,
            bytes=None if cost.bytes is None else cost.bytes * one.calls,
            weight_bytes=cost.weight_bytes * one.calls,
        )
        found.append(_against(whole, peaks, weights))
    return tuple(sorted(found, key=lambda operator: -operator.ms))


def without_bounds(operators: Iterable[Operator]) -> tuple[Operator, ...]:
    """The operators without what the machine allows, where their times are not those of the
    machine that computes them."""
    return tuple(replace(one, least_ms=None, bound=Bound.UNKNOWN) for one in operators)


def _math_of(operator: OperatorTime, precision: str, profile: Profile) -> str:
    """The precision of the arithmetic, which may be less than that of the data."""
    is_rounded = precision == "fp32" and kind_of(operator.op_type).value in profile.tf32
    return "tf32" if is_rounded else precision


def module_of(name: str) -> str:
    """The module that an exporter has put into the name of a node; empty if it has not."""
    if not name.startswith("/"):
        return ""
    parts = name.split("/")[1:]
    fused = [n for n, part in enumerate(parts) if part.endswith("Fusion")]
    return ".".join(parts[: fused[0] if fused else len(parts)][:-1])


def _against(operator: Operator, peaks: Peaks, all_weights: float) -> Operator:
    """With the least time that the peaks allow, and what that depends on."""

    if operator.flops is None or operator.bytes is None or is_transfer(operator):
        return operator
    moving = _moving_ms(operator, peaks, all_weights)
    computing = _computing_ms(operator, peaks)
    if moving is None or computing is None:
        return operator
    bound = Bound.COMPUTE if computing > moving else Bound.MEMORY
    return replace(operator, least_ms=max(computing, moving), bound=bound)


def _moving_ms(operator: Operator, peaks: Peaks, all_weights: float) -> float | None:
    """Weights come from where those of the whole model fit, the rest from where it fits alone."""
    assert operator.bytes is not None
    far, near = bandwidth(peaks, all_weights), bandwidth(peaks, operator.bytes / operator.calls)
    if far is None or near is None:
        return None
    others = operator.bytes - operator.weight_bytes
    return (operator.weight_bytes / far + others / near) / 1e6


def _computing_ms(operator: Operator, peaks: Peaks) -> float | None:
    assert operator.flops is not None
    peak = peaks.product(operator.precision)
    if not operator.flops or (peak is None and kind_of(operator.op_type) not in _HEAVY):
        return 0.0  # moving its data takes longer in any precision
    return None if peak is None else operator.flops / peak / 1e6


_HEAVY = (Kind.MATMUL, Kind.CONV, Kind.CONV_TRANSPOSE, Kind.RECURRENT, Kind.ATTENTION, Kind.UNKNOWN)


def is_transfer(operator: Operator) -> bool:
    """Whether it copies between the host and an accelerator, which no peak is known of."""
    return kind_of(operator.op_type) is Kind.TRANSFER


def held_to_peaks(
    operators: tuple[Operator, ...], latency: float
) -> tuple[tuple[Operator, ...], str]:
    """The operators, without bounds if they show that the peaks do not hold here, and why then.

    They show it if those that are faster than the peaks allow take a tenth of the latency, or
    would take a tenth of it longer at the peaks.
    """
    beyond = [o for o in operators if o.efficiency is not None and o.efficiency > BEYOND]
    share = sum(one.share for one in beyond)
    gained = sum((one.least_ms or 0.0) - one.ms for one in beyond) / latency
    if max(share, gained) <= NOTABLE:
        return operators, ""
    times = max(one.efficiency or 0.0 for one in beyond)
    return without_bounds(operators), _in_words(share, times)


def _in_words(share: float, times: float) -> str:
    """Why the peaks do not hold where operators with a share of the time exceed them so far."""
    part = f"{share:.0%}" if share >= 0.01 else "less than 1%"
    return (
        f"Operators with {part} of the time ran at up to {times:.3g} times the measured peaks, so "
        "these do not hold here: the runtime did not compute what was counted (it knew the "
        "result), or data stayed in a small cache, or other programs ran while the peaks were "
        "measured (--remeasure-peaks measures them again). No conclusion is drawn from them."
    )


def types_of(operators: Iterable[Operator]) -> tuple[Part, ...]:
    """The operators by type, the most expensive first."""
    return _parts(operators, lambda operator: operator.op_type)


def modules_of(operators: Iterable[Operator]) -> tuple[Part, ...]:
    """The operators by module where names tell, the most expensive first."""
    named = [operator for operator in operators if operator.module]
    return _parts(named, lambda operator: operator.module)


def _parts(operators: Iterable[Operator], name: Callable[[Operator], str]) -> tuple[Part, ...]:
    together: dict[str, list[Operator]] = {}
    for operator in operators:
        together.setdefault(name(operator), []).append(operator)
    parts = [
        Part(name, len(group), sum(o.ms for o in group), sum(o.share for o in group))
        for name, group in together.items()
    ]
    return tuple(sorted(parts, key=lambda part: -part.ms))


LIMITS = ("compute", "memory", "kernels", "overhead", "transfers", "unknown")


def limits_of(operators: Iterable[Operator], outside_ms: float) -> dict[str, float]:
    """The milliseconds by what holds them back."""
    found = dict.fromkeys(LIMITS, 0.0)
    for operator in operators:
        found[limit_of(operator)] += operator.ms
    return {**found, "outside": outside_ms}


def limit_of(operator: Operator) -> str:
    """What holds an operator back: the machine, its own implementation, or the call."""
    if is_transfer(operator):
        return "transfers"
    if operator.efficiency is None:
        return "unknown"
    if operator.efficiency >= CLOSE:
        return operator.bound.value
    return "overhead" if operator.ms / max(operator.calls, 1.0) < SHORT_MS else "kernels"
