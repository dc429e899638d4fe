"""Watching what a model does besides its operators: in other threads, and with plain numbers."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.thread import _worker
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

Watching = Callable[[], AbstractContextManager[None]]
"""Makes what watches the thread that enters it."""


@contextlib.contextmanager
def threads_within(watching: Watching) -> Iterator[None]:
    """Within the block, threads that are started and what a pool of threads gets to do are watched.

    Torch's modes belong to one thread.
    """
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            with watching():
                return call(*args, **kwargs)

        return inner

    def watched_start(thread: Any) -> None:
        if getattr(thread, "_target", None) is not _worker:  # that of a pool outlives the block
            thread.run = watched(thread.run)
        start(thread)

    def watched_submit(pool: Any, call: Any, /, *args: Any, **kwargs: Any) -> Any:
        return submit(pool, watched(call), *args, **kwargs)

    threading.Thread.start = watched_start  # type: ignore[method-assign, assignment]
    ThreadPoolExecutor.submit = watched_submit  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]
        ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]


def numbers_in(frame: FrameType) -> Iterator[float]:
    """The numbers that the code of a function uses: those in it, of globals and of ``self``."""
    names, owner = frame.f_code.co_names, frame.f_locals.get("self")
    inner = [_attribute(owner, name) for name in names]  # such as self.config
    owners = [owner, *(value for value in inner if hasattr(value, "__dict__"))]
    used = [_attribute(one, name) for one in owners for name in names]
    for value in (*frame.f_code.co_consts, *map(frame.f_globals.get, names), *used):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield float(value)


def _attribute(owner: Any, name: str) -> Any:
    """An attribute as it is kept, without running any code for it; None if there is none."""
    return inspect.getattr_static(owner, name, None)
