"""TensorRT's layer times, as it reports them to an ``IProfiler``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from turnkeyml.errors import MeasureError
from turnkeyml.nouns import LAYER, OperatorTime, Profile, Span
from turnkeyml.runtimes.nvidia.profile import OUTSIDE, Unprofiled, profiled_runs
from turnkeyml.runtimes.profiling import typical

MOST_RUNS = 200
SILENT = "TensorRT has reported no layer to its profiler; use another runtime to explain the model."

Layers = dict[str, list[float]]
"""The milliseconds of each layer of one run, by its name. A loop runs a layer several times."""


def profile_context(
    trt: Any,
    context: Any,
    run: Callable[[], None],
    unprofiled: Unprofiled,
    seconds: float,
) -> Profile:
    """The layers of an engine; ``run`` runs a context that nobody else uses."""
    layers = _recorder(trt)
    if hasattr(context, "enqueue_emits_profile"):
        context.enqueue_emits_profile = True
    context.profiler = layers
    recorded: list[Layers] = []

    def profiled() -> None:
        layers.times = {}
        run()
        recorded.append(layers.times)

    times = profiled_runs(profiled, seconds, MOST_RUNS)
    chosen = typical(times)
    counted = recorded[-len(times) :]  # those before were not timed
    operators = _operators([counted[number] for number in chosen])
    if not operators:
        raise MeasureError(SILENT)
    return Profile(
        profiler="TensorRT's layer times",
        runs=len(chosen),
        plain_ms=unprofiled.plain.ms,
        profiled_ms=float(np.mean(times[chosen])),
        operators=(*operators, *unprofiled.copies),
        spans=tuple(_spans(operators)),
        outside=OUTSIDE,
        on_device=True,
        kernels=sum(one.calls for one in (*operators, *unprofiled.copies)),
        host_ms=unprofiled.plain.host_ms,
        tf32=unprofiled.tf32,
    )


def _operators(runs: Sequence[Layers]) -> list[OperatorTime]:
    """The mean of some runs, layer by layer, in the order of execution."""
    names = dict.fromkeys(name for times in runs for name in times)
    return [
        OperatorTime(
            name,
            LAYER,
            sum(sum(times.get(name, ())) for times in runs) / len(runs),
            calls=sum(len(times.get(name, ())) for times in runs) / len(runs),
        )
        for name in names
    ]


def _spans(operators: Sequence[OperatorTime]) -> list[Span]:
    """The layers one after the other: TensorRT does not say when they began."""
    starts = np.cumsum([0.0, *(one.ms for one in operators)]) * 1e3
    return [
        Span(one.name, one.op_type, float(start), one.ms * 1e3, "GPU")
        for one, start in zip(operators, starts, strict=False)
    ]


def _recorder(trt: Any) -> Any:
    """An object that TensorRT tells the milliseconds of each layer, after every run."""

    class LayerTimes(trt.IProfiler):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProfiler.__init__(self)
            self.times: Layers = {}

        def report_layer_time(self, layer_name: str, ms: float) -> None:
            self.times.setdefault(str(layer_name), []).append(float(ms))

    return LayerTimes()
