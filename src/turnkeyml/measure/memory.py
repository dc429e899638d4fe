"""Measure the speed of the memory, which neighbors on the host of a virtual machine share.

A ResNet-18 takes 2 to 3% longer at times at which copying memory takes 8% longer, and nothing else
in the guest shows it. How much of that reaches a model depends on the model, so that nothing can be
corrected by it; but two measurements at the same speed can be compared more closely. A program of
its own, as the memory that it needs would count as that of the model.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

WORDS = 4 * 1024 * 1024
"""Of eight bytes: with the copy 64 MB, which the caches of a core complex do not keep."""
COPIES = 5


def memory_speed() -> float | None:
    """Gigabytes that are copied in a second, the best of a few times; None without memory for it.

    It takes about 20 ms, half of them to get the memory.
    """
    try:
        source = np.ones(WORDS, dtype=np.uint64)
        target = np.ones(WORDS, dtype=np.uint64)
    except MemoryError:
        return None
    times = []
    for _ in range(COPIES):
        start = time.perf_counter_ns()
        np.copyto(target, source)
        times.append(time.perf_counter_ns() - start)
    return source.nbytes / max(1, min(times))


def main() -> None:
    """Print it, for whoever has no memory to spare."""
    sys.stdout.write(json.dumps(memory_speed()))
