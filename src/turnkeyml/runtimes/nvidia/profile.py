"""What the profiles of sessions on a GPU share: runs in a row, transfers, and busy time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from turnkeyml.nouns import OperatorTime, TensorShape
from turnkeyml.runtimes.nvidia import cuda
from turnkeyml.runtimes.profiling import typical

TO_DEVICE, FROM_DEVICE = "Memcpy HtoD", "Memcpy DtoH"
"""The types of operators that copy inputs to a GPU and outputs back, as CUPTI names them."""
OUTSIDE = "the GPU waits: for the host, which starts its work, and between kernels"
PRODUCTS = ("convolution", "matrix product")
"""The kinds of operators that TF32 is for."""
RECOVERY_RUNS = 5
"""Runs at the beginning that do not count."""
LEAST_RUNS = 10
COPIES = 30

Run = Callable[[], None]


@dataclass(frozen=True)
class PlainTimes:
    """Runs without a profiler, in milliseconds."""

    ms: float
    """A whole run, until the GPU is done."""
    host_ms: float
    """Until the host has started everything."""


def plain_runs(start: Run, wait: Run, seconds: float) -> PlainTimes:
    """The usual times of runs that are started, and then waited for."""
    whole: list[float] = []
    started: list[float] = []
    for _ in range(RECOVERY_RUNS):
        start()
        wait()
    end = time.perf_counter() + seconds
    while len(whole) < LEAST_RUNS or time.perf_counter() < end:
        begin = time.perf_counter_ns()
        start()
        halfway = time.perf_counter_ns()
        wait()
        whole.append((time.perf_counter_ns() - begin) / 1e6)
        started.append((halfway - begin) / 1e6)
    chosen = typical(whole)
    return PlainTimes(
        float(np.mean(np.array(whole)[chosen])), float(np.mean(np.array(started)[chosen]))
    )


def profiled_runs(run: Run, seconds: float, most: int) -> np.ndarray:
    """Milliseconds of runs in a row, for about so many seconds and ``most`` of them at most."""
    for _ in range(RECOVERY_RUNS):
        run()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < min(LEAST_RUNS, most) or (len(times) < most and time.perf_counter() < end):
        begin = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - begin) / 1e6)
    return np.array(times)


@dataclass(frozen=True)
class Unprofiled:
    """What is known of a run without the profiler of its runtime."""

    plain: PlainTimes
    """Runs from before the profiler was used."""
    copies: tuple[OperatorTime, ...] = ()
    """The transfers of a run, if they are not the runtime's own."""
    tf32: tuple[str, ...] = ()
    """The kinds of operators that round the factors of fp32 products to TF32."""


@dataclass(frozen=True)
class Copy:
    """An input or an output that every run copies."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: Callable[[], int]
    """Starts to copy it; returns 0 if that was accepted."""


def copy_times(
    stream: cuda.CudaStream, inputs: Iterable[Copy], outputs: Iterable[Copy]
) -> tuple[OperatorTime, ...]:
    """The copies of a run, by the clock of the GPU."""
    found = [_copy(stream, one, TO_DEVICE, "to the GPU") for one in inputs]
    found += [_copy(stream, one, FROM_DEVICE, "from the GPU") for one in outputs]
    return tuple(found)


def _copy(stream: cuda.CudaStream, one: Copy, op_type: str, way: str) -> OperatorTime:
    tensor = TensorShape(one.dtype, one.shape)
    ms = float(np.median(_durations(stream, one.start)))
    return OperatorTime(f"{one.name} {way}", op_type, ms, inputs=(tensor,), outputs=(tensor,))


def _durations(stream: cuda.CudaStream, start: Callable[[], int]) -> Sequence[float]:
    """Milliseconds between two events around a copy, less those of two events with nothing."""
    pairs = [(cuda.CudaEvent(), cuda.CudaEvent()) for _ in range(2 * COPIES)]
    for number, (begin, end) in enumerate(pairs):
        begin.record(stream)
        if number < COPIES:
            start()
        end.record(stream)
    stream.synchronize()
    times = [end.milliseconds_since(begin) for begin, end in pairs]
    for event in (event for pair in pairs for event in pair):
        event.close()
    empty = float(np.median(times[COPIES:]))
    return [max(0.0, ms - empty) for ms in times[:COPIES]]
