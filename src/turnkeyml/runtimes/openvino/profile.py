"""OpenVINO's performance counters: the time of every node of the compiled graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from turnkeyml.nouns import OperatorTime, Profile, Span, TensorShape
from turnkeyml.runtimes.openvino.session import DTYPES
from turnkeyml.runtimes.profiling import take_turns

MOST_RUNS = 2_000
TOO_SHORT = "Every operator is shorter than 1 µs, the unit of OpenVINO's counters."


def profile_request(
    plain: Callable[[], None],
    profiled: Callable[[], None],
    compiled: Any,
    request: Any,
    seconds: float,
) -> Profile:
    """The profile of a compiled model with its counters on, in turns with runs of one without.

    The counters are means of all runs since the model was compiled, so that those of the first
    runs are taken off.
    """
    profiled()
    before, first = _counters(request), 1
    turns = take_turns(plain, profiled, seconds, MOST_RUNS)
    runs = len(turns.counted)
    after = _counters(request)
    known = _nodes(compiled)
    operators = []
    for name, (kind, kernel, total) in after.items():
        mean = (total * (first + runs) - before.get(name, (kind, kernel, total))[2] * first) / runs
        inputs, outputs = known.get(name, ((), ()))
        operators.append(
            OperatorTime(name, kind, max(0.0, mean), kernel=kernel, inputs=inputs, outputs=outputs)
        )
    return Profile(
        profiler="OpenVINO's performance counters",
        runs=runs,
        plain_ms=float(np.mean(turns.plain)),
        profiled_ms=float(np.mean(turns.profiled)),
        operators=tuple(operators),
        spans=tuple(_spans(operators)),
        resolution_us=1.0,
        notes=() if operators else (TOO_SHORT,),
        outside="between the operators, in OpenVINO's executor",
    )


def _counters(request: Any) -> dict[str, tuple[str, str, float]]:
    """The type, the kernel and the milliseconds of each node that was executed."""
    return {
        one.node_name: (one.node_type, one.exec_type, one.real_time.total_seconds() * 1e3)
        for one in request.get_profiling_info()
        if str(one.status).endswith("EXECUTED")
    }


def _nodes(compiled: Any) -> dict[str, tuple[tuple[TensorShape, ...], tuple[TensorShape, ...]]]:
    """The shapes of the inputs and outputs of each node of the compiled graph."""
    return {
        node.get_friendly_name(): (
            tuple(_shapes(port.get_source_output() for port in node.inputs())),
            tuple(_shapes(node.outputs())),
        )
        for node in compiled.get_runtime_model().get_ordered_ops()
    }


def _shapes(ports: Iterable[Any]) -> Iterable[TensorShape]:
    for port in ports:
        shape = port.get_partial_shape()
        if shape.is_dynamic:
            continue
        kind = port.get_element_type().get_type_name()
        yield TensorShape(
            DTYPES.get(kind, kind),
            tuple(int(size) for size in shape.to_shape()),
            constant=_is_constant(port.get_node()),
        )


def _is_constant(node: Any) -> bool:
    """Whether a node is a weight, or one that the compiler has converted."""
    info = node.get_rt_info()
    kind = info["layerType"] if "layerType" in info else ""  # noqa: SIM401 - it is no dict
    return str(getattr(kind, "value", kind)) == "Const"


def _spans(operators: Sequence[OperatorTime]) -> Iterable[Span]:
    """The nodes one after the other, as the counters have no times of day."""
    begin = 0.0
    for one in operators:
        yield Span(one.name, one.op_type, begin, one.ms * 1e3)
        begin += one.ms * 1e3
