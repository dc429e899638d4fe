"""ONNX Runtime's own profiler: the time of every node of the graph that it executes.

On a GPU, the time of a node is that of the kernels that it has started.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from turnkeyml.nouns import OperatorTime, Profile, Span, TensorShape
from turnkeyml.runtimes.profiling import take_turns, typical

if TYPE_CHECKING:
    from turnkeyml.runtimes.nvidia.profile import Unprofiled

RUN = "model_run"
KERNEL = "_kernel_time"
KERNELS = "kernels"
"""The name, among the facts of an event, of the kernels that it has started."""
OTHERS = "others"
"""The name of the kernels behind an event that no node has started."""
MOST_RUNS = 300
"""ONNX Runtime records a million events and then stops: enough for graphs of 2,500 nodes."""
MOST_GPU_RUNS = 100
MOST_INPUTS = 8
"""Of a node for which every choice of weights is tried."""
CUT_US = 0.5
"""ONNX Runtime cuts the times of kernels to whole microseconds; a half is what that loses."""
ANOTHER_CLOCK_US = 1e6
NO_KERNELS = (
    "This build of ONNX Runtime does not record what the GPU does: the times of the operators are "
    "those of the host, which only starts them."
)
CPU = "CPUExecutionProvider"
_DTYPES = {"float": "float32", "double": "float64"}


@dataclass(frozen=True)
class Event:
    """One execution of a node, in microseconds."""

    key: str
    start: float
    duration: float
    own: float
    """Without the nodes of a graph inside of it."""
    facts: dict[str, Any]


def profile_session(
    plain: Callable[[], None],
    profiled: Callable[[], None],
    end_profiling: Callable[[], list[dict[str, Any]]],
    seconds: float,
) -> Profile:
    """The profile of a session from runs of it and of one with its profiler on, in turns.

    ``end_profiling`` gives the events that were recorded.
    """
    turns = take_turns(plain, profiled, seconds, MOST_RUNS)
    runs = events_of(end_profiling())
    counted = [run for run, counts in zip(runs, turns.counted, strict=True) if counts]
    chosen = typical(turns.profiled)
    shown = counted[int(chosen[len(chosen) // 2])]
    return Profile(
        profiler="ONNX Runtime's profiler",
        runs=len(chosen),
        plain_ms=float(np.mean(turns.plain[typical(turns.plain)])),
        profiled_ms=float(np.mean(turns.profiled[chosen])),
        operators=_operators([counted[number] for number in chosen]),
        spans=tuple(_span(event, shown[0].start) for event in shown) if shown else (),
        resolution_us=1.0,
        outside="between the operators, in ONNX Runtime's executor",
    )


def profile_gpu_session(
    run: Callable[[], None],
    end_profiling: Callable[[], list[dict[str, Any]]],
    unprofiled: Unprofiled,
    seconds: float,
) -> Profile:
    """The profile of a session on a GPU from runs with its profiler on."""
    from turnkeyml.runtimes.nvidia.profile import OUTSIDE, profiled_runs

    times = profiled_runs(run, seconds, MOST_GPU_RUNS)
    events = with_kernels(end_profiling())
    runs = events_of(events)[-len(times) :]  # those before were not timed
    chosen = typical(times)
    shown = runs[int(chosen[len(chosen) // 2])]
    on_device = any(event.facts.get(KERNELS) for event in shown)
    counted = [runs[number] for number in chosen]
    operators = [_gpu_operator(group, len(chosen), on_device) for group in together(counted)]
    operators += _without_node(counted)
    started = sum(len(_started(event, KERNELS, OTHERS)) for event in shown)
    return Profile(
        profiler="ONNX Runtime's profiler",
        runs=len(chosen),
        plain_ms=unprofiled.plain.ms,
        profiled_ms=float(np.mean(times[chosen])),
        operators=(*_busy(operators, on_device), *unprofiled.copies),
        spans=tuple(_gpu_spans(shown)),
        resolution_us=1.0,
        outside=OUTSIDE if on_device else "outside of the nodes, while the GPU still works",
        on_device=on_device,
        kernels=float(started + len(unprofiled.copies)) if on_device else 0.0,
        host_ms=unprofiled.plain.host_ms,
        tf32=unprofiled.tf32,
        notes=() if on_device else (NO_KERNELS,),
    )


def events_of(events: Iterable[dict[str, Any]]) -> list[list[Event]]:
    """The executions of nodes, one list per run, in order."""
    events = list(events)
    runs = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("name") == RUN)
    nodes = [e for e in events if e.get("cat") == "Node" and e["name"].endswith(KERNEL)]
    nodes.sort(key=lambda e: (e["ts"], -e["dur"]))
    found: list[list[Event]] = [[] for _ in runs]
    number = 0
    for node, own in zip(nodes, _own_times(nodes), strict=True):
        while number < len(runs) and node["ts"] > runs[number][1]:
            number += 1
        if number < len(runs) and node["ts"] >= runs[number][0]:
            found[number].append(_event(node, own))
    return found


def _own_times(nodes: Sequence[dict[str, Any]]) -> list[float]:
    """The duration of each node without those of the nodes that ran inside of it."""
    own = [float(node["dur"]) for node in nodes]
    around: list[int] = []
    for number, node in enumerate(nodes):
        while around and not _contains(nodes[around[-1]], node):
            around.pop()
        if around:
            own[around[-1]] -= node["dur"]
        if _has_graphs(node):
            around.append(number)
    return [max(0.0, time) for time in own]


def _contains(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    return bool(inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"])


def _has_graphs(node: dict[str, Any]) -> bool:
    return node["args"].get("op_name") in ("If", "Loop", "Scan", "SequenceMap")


def _event(node: dict[str, Any], own: float) -> Event:
    facts = node["args"]
    name = node["name"].removesuffix(KERNEL)
    key = f"{name}\0{facts.get('op_name')}\0{facts.get('node_index')}"
    return Event(key, float(node["ts"]), float(node["dur"]), own, facts)


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


def _kernel_ms(kernels: Sequence[dict[str, Any]], runs: int) -> float:
    return sum(float(kernel["dur"]) + CUT_US for kernel in kernels) / runs / 1e3


def _operators(runs: Sequence[Sequence[Event]]) -> tuple[OperatorTime, ...]:
    """The mean of some runs, node by node, in the order of execution."""
    return tuple(operator_of(events, len(runs)) for events in together(runs))


def together(runs: Sequence[Sequence[Event]]) -> list[list[Event]]:
    """The executions of each node in some runs, in the order of execution."""
    found: dict[str, list[Event]] = {}
    for event in (event for run in runs for event in run):
        found.setdefault(event.key, []).append(event)
    return list(found.values())


def operator_of(
    events: Sequence[Event], runs: int, ms: float | None = None, kernel: str = ""
) -> OperatorTime:
    """A node from its executions in some runs.

    ``ms`` is the time per run if it is not that of the executions, ``kernel`` what has computed it.
    """
    first = events[0]
    facts = first.facts
    name, op_type, number = first.key.split("\0")
    inputs = [_shape(one) for one in facts.get("input_type_shape", ())]
    return OperatorTime(
        name=name or f"{op_type} {number}",
        op_type=op_type,
        ms=sum(event.own for event in events) / runs / 1e3 if ms is None else ms,
        calls=len(events) / runs,
        provider=facts.get("provider", ""),
        kernel=kernel,
        inputs=_with_constants(inputs, int(facts.get("parameter_size", 0))),
        outputs=tuple(_shape(one) for one in facts.get("output_type_shape", ())),
    )


def _gpu_operator(events: Sequence[Event], runs: int, on_device: bool) -> OperatorTime:
    """A node with the time of its kernels; nodes on the CPU have that of the host."""
    facts = events[0].facts
    if not on_device or facts.get("provider") == CPU:
        return operator_of(events, runs)
    kernels = [kernel for event in events for kernel in _started(event, KERNELS)]
    longest = max(kernels, key=lambda kernel: float(kernel["dur"]), default=None)
    return operator_of(
        events,
        runs,
        ms=_kernel_ms(kernels, runs),
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
        yield OperatorTime(
            name, name[:60], _kernel_ms(kernels, len(runs)), calls=calls, kernel=name
        )


def _busy(operators: Iterable[OperatorTime], on_device: bool) -> list[OperatorTime]:
    """Without the nodes that start nothing on the GPU, such as reshapes."""
    return [one for one in operators if one.ms > 0 or not on_device]


def _shape(described: dict[str, Sequence[int]]) -> TensorShape:
    ((dtype, shape),) = described.items()
    return TensorShape(_DTYPES.get(dtype, dtype), tuple(int(size) for size in shape))


def _with_constants(inputs: list[TensorShape], size: int) -> tuple[TensorShape, ...]:
    """The inputs, of which those are weights that are ``size`` bytes together.

    If several choices are, the later inputs: data comes first. A fused sum comes after the weights.
    """
    sizes = [_nbytes(one) for one in inputs]
    weights = _adding_up(sizes, size) if len(inputs) <= MOST_INPUTS else _last(sizes, size)
    return tuple(replace(one, constant=n in weights) for n, one in enumerate(inputs))


def _adding_up(sizes: Sequence[int], size: int) -> set[int]:
    """The numbers of the inputs that have so many bytes together; without such ones the last."""
    numbers = range(len(sizes))
    choices = (c for count in numbers for c in itertools.combinations(numbers, count + 1))
    exact = [choice for choice in choices if sum(sizes[n] for n in choice) == size]
    if size <= 0 or not exact:
        return _last(sizes, size)
    return set(max(exact, key=lambda choice: (0 not in choice, choice)))


def _last(sizes: Sequence[int], size: int) -> set[int]:
    """The numbers of the last inputs that fit into so many bytes."""
    found = set()
    for number in reversed(range(len(sizes))):
        if 0 < sizes[number] <= size:
            found.add(number)
            size -= sizes[number]
    return found


def _nbytes(tensor: TensorShape) -> int:
    try:
        size = np.dtype(tensor.dtype).itemsize
    except TypeError:
        size = 2 if tensor.dtype == "bfloat16" else 1
    return int(np.prod(tensor.shape, dtype=np.int64)) * size


def _span(event: Event, begin: float) -> Span:
    name, op_type, number = event.key.split("\0")
    return Span(name or f"{op_type} {number}", op_type, event.start - begin, event.duration)


def _gpu_spans(events: Sequence[Event]) -> Iterator[Span]:
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
