"""The child process that measures how fast memory is, by the size of the working set."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from turnkeyml.explanation.matrix_product import best_seconds

__all__ = ["main"]

MEGABYTE = 1024 * 1024
SIZES = (1, 4, 16, 64, 256, 1024)
"""Megabytes of all arrays together, from what the caches of a core hold to what none does."""
MOST_OF_MEMORY = 4
"""A working set is at most this part of the free memory."""
SECONDS = 0.15


def main() -> None:
    """Print one line of JSON per working set: its bytes, and gigabytes per second by kernel."""
    threads, device = sys.argv[1:]
    import torch

    torch.set_num_threads(int(threads))
    for size in SIZES:
        if size * MEGABYTE > _free(torch, device) / MOST_OF_MEMORY:
            break
        found = {n: moved / seconds / 1e9 for n, moved, seconds in _kernels(torch, device, size)}
        print(json.dumps([size * MEGABYTE, found]), flush=True)


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
        def waited() -> None:
            run()
            if device != "cpu":
                torch.cuda.synchronize()

        return best_seconds(waited, SECONDS)

    (a,) = arrays(1)
    yield "read", 4 * floats, timed(a.sum)
    a, b = arrays(2)
    yield "copy", 8 * (floats // 2), timed(lambda: a.copy_(b))
    a, b, c = arrays(3)
    yield "triad", 12 * (floats // 3), timed(lambda: torch.add(b, c, alpha=3.0, out=a))


if __name__ == "__main__":
    main()
