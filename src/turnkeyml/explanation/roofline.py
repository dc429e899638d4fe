"""Turn a profile into operators that are held against the measured peaks.

First the layers of TensorRT, of which its profiler knows the names alone, get the types and shapes
of the nodes that it has fused into them. Then the recorded times become parts of the latency that
was measured without a profiler. Then each operator is compared with what the machine allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from turnkeyml.explanation.costs import ARITHMETIC, NOTHING, Kind, SourceNode, cost_of, kind_of
from turnkeyml.explanation.peaks import bandwidth
from turnkeyml.explanation.quantities import milliseconds
from turnkeyml.nouns import LAYER, Bound, Operator, OperatorTime, Part, Peaks, Profile, TensorShape

WORTH_A_NOTE = 0.05
LEAST_SHARE = 0.1
"""Of its recorded time, that an operator keeps at least, whatever recording it costs."""
CLOSE = 0.5
"""An operator that reaches this much of what the machine allows is held back by the machine."""
BEYOND = 1.2
"""An operator that reaches more of what the peaks allow shows that they are not its peaks."""
NOTABLE = 0.1
"""A share of the latency in such operators from which on nothing is concluded from the peaks."""
SHORT_MS = 0.02
"""A shorter call that is far from what the machine allows is mostly overhead of the call."""
LIMITS = ("compute", "memory", "kernels", "overhead", "transfers", "unknown")
FUSED = "Fused subgraph"
_SEPARATORS = re.compile(r" \+ |\|\||, |\.\.\.|[(){}\[\]]")
_REFORMAT = re.compile(r"Reformatting CopyNode for (Input|Output) Tensor (\d+) to (.*)", re.S)


def with_nodes(profile: Profile, source: Mapping[str, SourceNode]) -> Profile:
    """The same profile, whose layers have the types and shapes of the nodes in their names."""
    operators = [_layer(one, source) if one.op_type == LAYER else one for one in profile.operators]
    return replace(profile, operators=tuple(operators))


def _layer(layer: OperatorTime, source: Mapping[str, SourceNode]) -> OperatorTime:
    copied = _REFORMAT.match(layer.name)
    if copied:
        return _reformat(layer, copied, source)
    names = _names(layer.name, source)
    heavy = [name for name in names if kind_of(source[name].op_type) in ARITHMETIC]
    if "ForeignNode" in layer.name or len(heavy) > 1:
        return replace(layer, op_type=FUSED, module=module_of(names[0]) if names else "")
    if not names:
        return layer
    main = heavy[0] if heavy else names[-1]
    node, last = source[main], source[names[-1]]
    return replace(
        layer,
        op_type=node.op_type,
        module=module_of(main),
        inputs=_inputs(main, names, source),
        outputs=tuple(last.writes.values()),
    )


def _names(text: str, source: Mapping[str, SourceNode]) -> list[str]:
    """The nodes in the name of a layer, in the order of the file."""
    words = {word.strip() for word in _SEPARATORS.split(text)}
    return [name for name in source if name in words]


def _inputs(
    main: str, names: Sequence[str], source: Mapping[str, SourceNode]
) -> tuple[TensorShape, ...]:
    """What the main node of a layer reads, then what the others read from outside of it."""
    written = {value for name in names for value in source[name].writes}
    found = dict(source[main].reads)
    for name in names:
        found |= {v: t for v, t in source[name].reads.items() if v not in written}
    return tuple(found.values())


def _reformat(
    layer: OperatorTime, copied: re.Match[str], source: Mapping[str, SourceNode]
) -> OperatorTime:
    """A copy of a tensor into another layout or precision, before or after a layer."""
    side, number, target = copied[1], int(copied[2]), copied[3]
    names = _names(target, source)
    tensors: list[TensorShape] = []
    if names:
        node = source[names[0] if side == "Input" else names[-1]]
        tensors = [*(node.reads if side == "Input" else node.writes).values()]
    known = tuple(tensors[number : number + 1])
    return replace(layer, op_type="Reformat", inputs=known, outputs=known)


def module_of(name: str) -> str:
    """The module that an exporter has put into the name of a node; empty if it has not."""
    if not name.startswith("/"):
        return ""
    parts = name.split("/")[1:]
    fused = [n for n, part in enumerate(parts) if part.endswith("Fusion")]
    return ".".join(parts[: fused[0] if fused else len(parts)][:-1])


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


def _without_recording(profile: Profile, recorded: float) -> list[float]:
    """The times of the operators, together at most a plain run."""
    excess = recorded - profile.plain_ms
    if excess <= 0:
        return [operator.ms for operator in profile.operators]
    each = excess / max(1.0, sum(operator.calls for operator in profile.operators))
    left = [max(LEAST_SHARE * o.ms, o.ms - each * o.calls) for o in profile.operators]
    return [ms * profile.plain_ms / sum(left) for ms in left]


def _device_notes(profile: Profile, latency: float, recorded: float) -> Iterator[str]:
    yield from _cost_of_profiling(profile)
    if recorded > (1 + WORTH_A_NOTE) * latency:
        yield (
            f"The operators were recorded with {milliseconds(recorded)} together, more than the "
            f"latency; they were multiplied by {latency / recorded:.2f}."
        )
    yield from profile.notes


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


def _cost_of_profiling(profile: Profile) -> Iterator[str]:
    plain, profiled = milliseconds(profile.plain_ms), milliseconds(profile.profiled_ms)
    if profile.profiled_ms > (1 + WORTH_A_NOTE) * profile.plain_ms:
        cost = profile.profiled_ms / profile.plain_ms - 1
        yield (
            f"{profile.profiler} makes a run {cost:.0%} slower ({profiled} instead of {plain}); "
            "that is no part of the latency."
        )


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


def _math_of(operator: OperatorTime, precision: str, profile: Profile) -> str:
    """The precision of the arithmetic, which may be less than that of the data."""
    is_rounded = precision == "fp32" and kind_of(operator.op_type).value in profile.tf32
    return "tf32" if is_rounded else precision


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
    if not operator.flops or (
        peak is None and kind_of(operator.op_type) not in (*ARITHMETIC, Kind.UNKNOWN)
    ):
        return 0.0  # moving its data takes longer in any precision
    return None if peak is None else operator.flops / peak / 1e6


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


def without_bounds(operators: Iterable[Operator]) -> tuple[Operator, ...]:
    """The operators without what the machine allows, where their times are not those of the
    machine that computes them."""
    return tuple(replace(one, least_ms=None, bound=Bound.UNKNOWN) for one in operators)


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
