"""The processes that a script starts, which turnkey does not look into."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from multiprocessing.process import BaseProcess

PROCESSES = (
    "The script starts other processes (multiprocessing, mp.spawn), and turnkey records only the "
    "calls in the script's own process: call the function of the worker there, without a process."
)


@contextlib.contextmanager
def counting_processes() -> Iterator[list[str]]:
    """Within the block, the list gets the name of every process that ``multiprocessing`` starts."""
    started: list[str] = []
    original = BaseProcess.start

    def start(process: BaseProcess) -> None:
        original(process)
        started.append(process.name)

    BaseProcess.start = start  # type: ignore[method-assign,assignment]
    try:
        yield started
    finally:
        BaseProcess.start = original  # type: ignore[method-assign]
