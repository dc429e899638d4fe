"""Token times: what the measured invocations of a decoder mean for its users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from turnkeyml.nouns import (
    Evaluation,
    Generation,
    InvocationRecord,
    InvocationResult,
    Phase,
    Verdict,
)


def with_token_times(evaluation: Evaluation, phase: Phase | None, tokens: int) -> Evaluation:
    """An evaluation with the figures that its median is for a decoder; not under load, where it is
    not that of one step after the other."""
    if evaluation.performance is None or phase is None or evaluation.under_load is not None:
        return evaluation
    median = evaluation.performance.median_latency
    if phase is Phase.PREFILL:
        return replace(evaluation, time_to_first_token=median)
    return replace(
        evaluation, time_per_output_token=median, tokens_per_second=tokens * 1000 / median
    )


def generations(rows: Sequence[InvocationResult]) -> list[Generation]:
    """One summary per decoder and per way in which all of its phases were measured."""
    found = []
    decoders = dict.fromkeys(_model(r) for r in rows if r.invocation.phase is Phase.DECODE)
    for model in decoders:
        own = [row for row in rows if _model(row) == model]
        prefill = [row for row in own if row.invocation.phase is Phase.PREFILL]
        decode = [row for row in own if row.invocation.phase is Phase.DECODE]
        alone = [e for r in decode for e in r.evaluations if e.under_load is None]
        labels = dict.fromkeys((e.device_type, e.label) for e in alone)
        for label in labels:
            first = _measured(prefill, label)
            steps = _measured(decode, label)
            if len(steps) == len(decode) and len(first) == len(prefill):
                found.append(_summary(prefill, first, decode, steps))
    return found


def _model(row: InvocationResult) -> tuple[str, str | None]:
    return row.invocation.model_hash, row.invocation.parent_hash


def _measured(rows: Iterable[InvocationResult], label: tuple[str, str]) -> list[Evaluation]:
    """The evaluation of each row with that device and label, where it succeeded."""
    return [
        evaluation
        for row in rows
        for evaluation in row.evaluations
        if (evaluation.device_type, evaluation.label) == label and evaluation.ok
    ]


def _summary(
    prefill: Sequence[InvocationResult],
    first: Sequence[Evaluation],
    decode: Sequence[InvocationResult],
    steps: Sequence[Evaluation],
) -> Generation:
    record = decode[0].invocation
    lengths = [_length(row.invocation) for row in decode]
    times = [e.time_per_output_token or 0.0 for e in steps]
    mean = mean_over(lengths, times)
    verdicts = [e.verdict for e in (*first, *steps)]
    return Generation(
        model_name=record.name,
        model_hash=record.model_hash,
        parent_hash=record.parent_hash,
        device_type=steps[0].device_type,
        device=steps[0].device,
        runtime=steps[0].runtime,
        label=steps[0].label,
        time_to_first_token=first[0].time_to_first_token if first else None,
        time_per_output_token=mean,
        tokens_per_second=record.tokens * 1000 / mean,
        cache_lengths=tuple(lengths),
        verdict=max(verdicts, key=lambda verdict: verdict.rank, default=Verdict.NOT_CHECKED),
        prefill_hash=prefill[0].invocation.hash if prefill else None,
        decode_hashes=tuple(row.invocation.hash for row in decode),
    )


def _length(record: InvocationRecord) -> int:
    return record.steps.length if record.steps else 0


def mean_over(lengths: Sequence[int], times: Sequence[float]) -> float:
    """The mean over all steps from the first to the last, between which times are interpolated."""
    points = sorted(zip(lengths, times, strict=True))
    span = points[-1][0] - points[0][0]
    if span == 0:
        return sum(times) / len(times)
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return area / span
