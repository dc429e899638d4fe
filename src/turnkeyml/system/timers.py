"""Sleeping precisely: the kernel may wake a thread late, to wake several at once."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator

__all__ = ["precise_sleep"]

SET_TIMER_SLACK, GET_TIMER_SLACK = 29, 30
"""Of ``prctl`` on Linux."""
FINEST = 1
"""Nanosecond."""


@contextlib.contextmanager
def precise_sleep() -> Iterator[None]:
    """Let the calling thread wake up as exactly as the kernel can, where it can be asked to."""
    if sys.platform != "linux":
        yield
        return
    control = ctypes.CDLL(None).prctl
    before = control(GET_TIMER_SLACK, 0, 0, 0, 0)
    control(SET_TIMER_SLACK, FINEST, 0, 0, 0)
    try:
        yield
    finally:
        if before > 0:
            control(SET_TIMER_SLACK, before, 0, 0, 0)
