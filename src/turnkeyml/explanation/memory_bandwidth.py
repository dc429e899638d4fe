"""The child process that measures how fast memory is, by the size of the working set."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from turnkeyml.explanation.matrix_product import best_seconds, burst_seconds

MEGABYTE = 1024 * 1024
SIZES = (1, 4, 16, 64, 256, 1024)
"""Megabytes of all arrays together, from what the caches of a core hold to what none does."""
SIZES_ON_ACCELERATOR = (4, 16, 64, 256, 1024, 4096)
MOST_OF_MEMORY = 4
"""A working set is at most this part of the free memory."""
SECONDS = 0.15
COPIES = 20

Clock = Callable[[Callable[[], Any]], float]


def main() -> None:
    """Print one line of JSON per working set: its bytes, and gigabytes per second by kernel."""
    threads, device = sys.argv[1:]
    if device != "cpu" and not _torch_has_gpu():
        _with_cuda(device)
        return
    import torch

    torch.set_num_threads(int(threads))
    if device != "cpu":
        torch.cuda.set_device(device)
    for size in SIZES if device == "cpu" else SIZES_ON_ACCELERATOR:
        if size * MEGABYTE > _free(torch, device) / MOST_OF_MEMORY:
            break
        found = {n: moved / seconds / 1e9 for n, moved, seconds in _kernels(torch, device, size)}
        print(json.dumps([size * MEGABYTE, found]), flush=True)


def _torch_has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def _free(torch: Any, device: str) -> int:
    if device != "cpu":
        return int(torch.cuda.mem_get_info()[0])
    import psutil

    return int(psutil.virtual_memory().available)


def _kernels(torch: Any, device: str, size: int) -> Iterator[tuple[str, int, float]]:
    """The bytes that each kernel moves in so many megabytes, and the seconds that it takes."""
    floats = size * MEGABYTE // 4

    def arrays(count: int) -> list[Any]:
        return [torch.ones(floats // count, device=device) for _ in range(count)]

    def timed(run: Callable[[], Any]) -> float:
        if device == "cpu":
            return best_seconds(run, SECONDS)
        return burst_seconds(torch, run, SECONDS, as_graph=True)

    (a,) = arrays(1)
    yield "read", 4 * floats, timed(a.sum)
    a, b = arrays(2)
    yield "copy", 8 * (floats // 2), timed(lambda: a.copy_(b))
    a, b, c = arrays(3)
    yield "triad", 12 * (floats // 3), timed(lambda: torch.add(b, c, alpha=3.0, out=a))


def _with_cuda(device: str) -> None:
    """Copies within the GPU, by the CUDA runtime library alone."""
    from turnkeyml.runtimes import CudaStream, DeviceArray, free_memory, set_device, within_device

    set_device(int(device.partition(":")[2] or 0))
    stream = CudaStream()
    for size in SIZES_ON_ACCELERATOR:
        nbytes = size * MEGABYTE
        if nbytes > free_memory() / MOST_OF_MEMORY:
            break
        source, target = DeviceArray(nbytes // 2), DeviceArray(nbytes // 2)
        seconds = _copy_seconds(stream, within_device(source, target, stream))
        source.close()
        target.close()
        print(json.dumps([nbytes, {"copy": nbytes / seconds / 1e9}]), flush=True)


def _copy_seconds(stream: Any, copy: Callable[[], int]) -> float:
    """The shortest time of a copy, of several that follow each other."""
    from turnkeyml.runtimes import CudaEvent, CudaGraph

    begin, end = CudaEvent(), CudaEvent()
    best, until = float("inf"), time.perf_counter() + SECONDS
    burst = CudaGraph(stream, partial(_repeat, copy))
    while True:
        begin.record(stream)
        burst.launch()
        end.record(stream)
        best = min(best, end.milliseconds_since(begin) / 1e3 / COPIES)
        if time.perf_counter() > until:
            return best


def _repeat(copy: Callable[[], int]) -> None:
    for _ in range(COPIES):
        if copy():
            sys.exit("the GPU refused a copy")


if __name__ == "__main__":
    main()
