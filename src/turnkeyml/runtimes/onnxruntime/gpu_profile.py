"""ONNX Runtime's profiler on a GPU: the kernels that every node of the graph has started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from turnkeyml.nouns import OperatorTime, Profile, Span
from turnkeyml.runtimes.nvidia.profile import OUTSIDE, Unprofiled, profiled_runs
from turnkeyml.runtimes.onnxruntime.profile import KERNEL, Event, events_of, operator_of, together
from turnkeyml.runtimes.profiling import typical

MOST_RUNS = 100
CPU = "CPUExecutionProvider"
KERNELS = "kernels"
"""The name, among the facts of an event, of the kernels that it has started."""
OTHERS = "others"
"""The name of the kernels behind an event that no node has started."""
CUT_US = 0.5
"""ONNX Runtime cuts the times of kernels to whole microseconds; a half is what that loses."""
ANOTHER_CLOCK_US = 1e6
NO_KERNELS = (
    "This build of ONNX Runtime does not record what the GPU does: the times of the operators are "
    "those of the host, which only starts them."
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
    counted = [runs[number] for number in chosen]
    operators = [_operator(group, len(chosen), on_device) for group in together(counted)]
    operators += _without_node(counted)
    started = sum(len(_started(event, KERNELS, OTHERS)) for event in shown)
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
    """The events without kernels, which are among the facts of the node that has started them.

    ONNX Runtime writes the kernels behind that node, whose name they have.
    """
    found: list[dict[str, Any]] = []
    named: dict[str, dict[str, Any]] = {}
    latest: dict[str, Any] = {"args": {}}
    for event in events:
        facts = event.get("args") or {}
        if event.get("cat") == "Kernel":
            node = named.get(facts.get("parent_name", ""))
            kind = OTHERS if node is None else KERNELS
            (node or latest)["args"].setdefault(kind, []).append(event)
            continue
        if event.get("cat") == "Node" and str(event.get("name", "")).endswith(KERNEL):
            latest = named[event["name"]] = {**event, "args": dict(facts)}
            found.append(latest)
        else:
            found.append(event)
    return found


def _started(event: Event, *kinds: str) -> list[dict[str, Any]]:
    return [kernel for kind in kinds for kernel in event.facts.get(kind, ())]


def _ms(kernels: Sequence[dict[str, Any]], runs: int) -> float:
    return sum(float(kernel["dur"]) + CUT_US for kernel in kernels) / runs / 1e3


def _operator(events: Sequence[Event], runs: int, on_device: bool) -> OperatorTime:
    """A node with the time of its kernels; nodes on the CPU have that of the host."""
    facts = events[0].facts
    if not on_device or facts.get("provider") == CPU:
        return operator_of(events, runs)
    kernels = [kernel for event in events for kernel in _started(event, KERNELS)]
    longest = max(kernels, key=lambda kernel: float(kernel["dur"]), default=None)
    return operator_of(
        events,
        runs,
        ms=_ms(kernels, runs),
        kernel="" if longest is None else str(longest["name"]),
    )


def _without_node(runs: Sequence[Sequence[Event]]) -> Iterator[OperatorTime]:
    """The kernels that no node has started, such as copies between nodes."""
    found: dict[str, list[dict[str, Any]]] = {}
    for event in (event for run in runs for event in run):
        for kernel in _started(event, OTHERS):
            found.setdefault(str(kernel["name"]), []).append(kernel)
    for name, kernels in found.items():
        calls = len(kernels) / len(runs)
        yield OperatorTime(name, name[:60], _ms(kernels, len(runs)), calls=calls, kernel=name)


def _busy(operators: Iterable[OperatorTime], on_device: bool) -> list[OperatorTime]:
    """Without the nodes that start nothing on the GPU, such as reshapes."""
    return [one for one in operators if one.ms > 0 or not on_device]


def _spans(events: Sequence[Event]) -> Iterator[Span]:
    """One run: its nodes on the host, and their kernels on the GPU."""
    begin = events[0].start if events else 0.0
    kernels = [(e, k) for e in events for k in _started(e, KERNELS)]
    first = min((float(k["ts"]) for _, k in kernels), default=begin)
    shift = first if abs(first - begin) > ANOTHER_CLOCK_US else begin
    for event in events:
        name, op_type = _name(event)
        yield Span(name, op_type, event.start - begin, event.duration, "host")
    for event, kernel in kernels:
        start, duration = float(kernel["ts"]) - shift, float(kernel["dur"])
        yield Span(_name(event)[0], str(kernel["name"]), start, duration, "GPU")


def _name(event: Event) -> tuple[str, str]:
    name, op_type, number = event.key.split("\0")
    return name or f"{op_type} {number}", op_type
