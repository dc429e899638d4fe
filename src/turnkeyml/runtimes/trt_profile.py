"""TensorRT's layer times, as it reports them to an ``IProfiler``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turnkeyml.nouns.profiles import OperatorTime, Profile, Span
from turnkeyml.runtimes.profiling import take_turns, typical

__all__ = ["profile_context"]

MOST_RUNS = 200


def profile_context(
    trt: Any,
    profiled_context: Any,
    plain: Callable[[], None],
    profiled: Callable[[], None],
    seconds: float,
) -> Profile:
    """The layers of an engine; ``profiled`` runs a context of its own, ``plain`` another one."""
    layers = _recorder(trt)
    profiled_context.profiler = layers
    runs: list[dict[str, float]] = []

    def run() -> None:
        layers.times = {}
        profiled()
        runs.append(layers.times)

    turns = take_turns(plain, run, seconds, MOST_RUNS)
    counted = [times for times, counts in zip(runs, turns.counted, strict=True) if counts]
    chosen = [counted[number] for number in typical(turns.profiled)]
    names = list(dict.fromkeys(name for times in chosen for name in times))
    means = {n: sum(times.get(n, 0.0) for times in chosen) / len(chosen) for n in names}
    starts = np.cumsum([0.0, *means.values()]) * 1e3
    return Profile(
        profiler="TensorRT's layer times",
        runs=len(chosen),
        plain_ms=float(np.mean(turns.plain[typical(turns.plain)])),
        profiled_ms=float(np.mean(turns.profiled[typical(turns.profiled)])),
        operators=tuple(OperatorTime(name, "Layer", ms) for name, ms in means.items()),
        spans=tuple(
            Span(name, "Layer", float(start), ms * 1e3)
            for (name, ms), start in zip(means.items(), starts, strict=False)
        ),
        outside="outside of the layers, while data is copied and kernels are launched",
    )


def _recorder(trt: Any) -> Any:
    """An object that TensorRT tells the milliseconds of each layer, after every run."""

    class Layers(trt.IProfiler):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProfiler.__init__(self)
            self.times: dict[str, float] = {}

        def report_layer_time(self, layer_name: str, ms: float) -> None:
            self.times[layer_name] = self.times.get(layer_name, 0.0) + ms

    return Layers()
