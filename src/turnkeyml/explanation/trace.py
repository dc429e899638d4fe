"""One profiled run in the Chrome trace event format, which Perfetto opens."""

from __future__ import annotations

from typing import Any

from turnkeyml.nouns import Explanation, Operator, Profile, Span

PROCESS = 1


def trace_of(explanation: Explanation, profile: Profile) -> dict[str, Any]:
    """The trace of a profile; each operator has its cost and its bound as arguments.

    The times are as they were recorded, with what the profiler costs.
    """
    known = {operator.name: operator for operator in explanation.operators}
    threads = list(dict.fromkeys(span.thread or "operators" for span in profile.spans))
    title = f"{explanation.build_name} on {explanation.runtime} {explanation.precision}".strip()
    return {
        "displayTimeUnit": "ms",
        "otherData": {"profiler": profile.profiler, "model": explanation.model},
        "traceEvents": [
            _name("process_name", title, 0),
            *(_name("thread_name", thread, n) for n, thread in enumerate(threads, 1)),
            *(
                _event(span, threads.index(span.thread or "operators") + 1, known.get(span.name))
                for span in profile.spans
            ),
        ],
    }


def _name(kind: str, name: str, thread: int) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": PROCESS, "tid": thread, "args": {"name": name}}


def _event(span: Span, thread: int, operator: Operator | None) -> dict[str, Any]:
    return {
        "name": span.name,
        "cat": span.op_type,
        "ph": "X",
        "ts": span.start_us,
        "dur": span.duration_us,
        "pid": PROCESS,
        "tid": thread,
        "args": {} if operator is None else _arguments(operator),
    }


def _arguments(operator: Operator) -> dict[str, Any]:
    return {
        "type": operator.op_type,
        "ms per run": operator.ms,
        "share of the latency": operator.share,
        "GFLOP": None if operator.flops is None else operator.flops / 1e9,
        "MB": None if operator.bytes is None else operator.bytes / 1e6,
        "least ms": operator.least_ms,
        "bound": operator.bound.value,
        "shapes": ", ".join(f"{t.dtype}{list(t.shape)}" for t in operator.inputs),
    }
