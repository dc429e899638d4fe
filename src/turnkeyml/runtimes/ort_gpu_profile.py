"""ONNX Runtime's profiler on a GPU: the kernels that every node of the graph has started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from turnkeyml.nouns.profiles import OperatorTime, Profile, Span
from turnkeyml.runtimes.gpu_profile import OUTSIDE, Unprofiled, profiled_runs
from turnkeyml.runtimes.ort_profile import KERNEL, Event, events_of, operator_of, together
from turnkeyml.runtimes.profiling import typical

__all__ = ["profile_gpu_session", "with_kernels"]

MOST_RUNS = 100
CPU = "CPUExecutionProvider"
KERNELS = "kernels"
"""The name, among the facts of an event, of the kernels that it has started."""
NO_KERNELS = (
    "This build of ONNX Runtime does not record what the GPU does: the times of the operators are "
    "those of the host, which only starts them. Install the onnxruntime-gpu of PyPI."
)


def profile_gpu_session(
    run: Callable[[], None],
    end_profiling: Callable[[], list[dict[str, Any]]],
    unprofiled: Unprofiled,
    seconds: float,
) -> Profile:
    """The profile of a session on a GPU from runs with its profiler on."""
    times = profiled_runs(run, seconds, MOST_RUNS)
    events = with_kernels(end_profiling())
    runs = events_of(events)[-len(times) :]  # those before were not timed
    chosen = typical(times)
    shown = runs[int(chosen[len(chosen) // 2])]
    on_device = any(event.facts.get(KERNELS) for event in shown)
    operators = [
        _operator(group, len(chosen), on_device)
        for group in together([runs[number] for number in chosen])
    ]
    started = sum(len(event.facts.get(KERNELS, ())) for event in shown)
    return Profile(
        profiler="ONNX Runtime's profiler",
        runs=len(chosen),
        plain_ms=unprofiled.plain.ms,
        profiled_ms=float(np.mean(times[chosen])),
        operators=(*_busy(operators, on_device), *unprofiled.copies),
        spans=tuple(_spans(shown)),
        resolution_us=1.0,
        outside=OUTSIDE if on_device else "outside of the nodes, while the GPU still works",
        on_device=on_device,
        kernels=float(started + len(unprofiled.copies)) if on_device else 0.0,
        host_ms=unprofiled.plain.host_ms,
        tf32=unprofiled.tf32,
        notes=() if on_device else (NO_KERNELS,),
    )


def with_kernels(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events of nodes, each with the kernels that it has started among its facts.

    ONNX Runtime writes the kernels behind the node that has started them, whose name they have.
    """
    found: list[dict[str, Any]] = []
    last: dict[str, dict[str, Any]] = {}
    for event in events:
        facts = event.get("args") or {}
        if event.get("cat") == "Kernel":
            node = last.get(facts.get("parent_name", ""))
            if node is not None:
                node["args"].setdefault(KERNELS, []).append(event)
            continue
        if event.get("cat") == "Node" and str(event.get("name", "")).endswith(KERNEL):
            last[event["name"]] = {**event, "args": dict(facts)}
            found.append(last[event["name"]])
        else:
            found.append(event)
    return found


def _operator(events: Sequence[Event], runs: int, on_device: bool) -> OperatorTime:
    """A node with the time of its kernels; nodes on the CPU have that of the host."""
    facts = events[0].facts
    if not on_device or facts.get("provider") == CPU:
        return operator_of(events, runs)
    kernels = [kernel for event in events for kernel in event.facts.get(KERNELS, ())]
    longest = max(kernels, key=lambda kernel: float(kernel["dur"]), default=None)
    return operator_of(
        events,
        runs,
        ms=sum(float(kernel["dur"]) for kernel in kernels) / runs / 1e3,
        kernel="" if longest is None else str(longest["name"]),
    )


def _busy(operators: Iterable[OperatorTime], on_device: bool) -> list[OperatorTime]:
    """Without the nodes that start nothing on the GPU, such as reshapes."""
    return [one for one in operators if one.ms > 0 or not on_device]


def _spans(events: Sequence[Event]) -> Iterable[Span]:
    if not events:
        return
    begin = events[0].start
    for event in events:
        name, op_type, number = event.key.split("\0")
        name = name or f"{op_type} {number}"
        yield Span(name, op_type, event.start - begin, event.duration, "host")
        for kernel in event.facts.get(KERNELS, ()):
            start, duration = float(kernel["ts"]) - begin, float(kernel["dur"])
            yield Span(name, str(kernel["name"]), start, duration, "GPU")
