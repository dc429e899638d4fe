"""ONNX Runtime's own profiler: the time of every node of the graph that it executes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from turnkeyml.nouns import OperatorTime, Profile, Span, TensorShape
from turnkeyml.runtimes.profiling import take_turns, typical

MOST_RUNS = 300
"""ONNX Runtime records a million events and then stops: enough for graphs of 2,500 nodes."""
MOST_INPUTS = 8
"""Of a node for which every choice of weights is tried."""
RUN = "model_run"
KERNEL = "_kernel_time"
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
