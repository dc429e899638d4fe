"""Waking up on time: the kernel may wake a thread late, or let it wait for its turn."""

from __future__ import annotations

import contextlib
import ctypes
import platform
import struct
import sys
from collections.abc import Iterator
from typing import Any

SET_TIMER_SLACK, GET_TIMER_SLACK = 29, 30
"""Of ``prctl`` on Linux."""
FINEST = 1
"""Nanosecond of slack: the kernel does not delay a timer to wake several threads at once."""

SCHEDULING_CALLS = {"x86_64": (314, 315), "aarch64": (274, 275)}
"""The numbers of the system calls ``sched_setattr`` and ``sched_getattr``."""
SCHEDULING = struct.Struct("IIQiIQQQII")
"""What they take: size, policy, flags, nice, priority, runtime, deadline, period, clamps."""
RUNTIME = 5
"""The position of the runtime: for ordinary threads, the slice that they ask for."""
SHORT_SLICE = 100_000
"""Nanoseconds. From Linux 6.12 on, whoever asks for a short slice runs before others have used up
theirs; without that, a thread that wakes up waits for milliseconds if all processors compute."""


@contextlib.contextmanager
def punctual() -> Iterator[None]:
    """Let the calling thread wake up as exactly as the kernel can, where it can be asked to."""
    if sys.platform != "linux":
        yield
        return
    library = ctypes.CDLL(None)
    slack = library.prctl(GET_TIMER_SLACK, 0, 0, 0, 0)
    library.prctl(SET_TIMER_SLACK, FINEST, 0, 0, 0)
    before = _set_slice(library, SHORT_SLICE)
    try:
        yield
    finally:
        if slack > 0:
            library.prctl(SET_TIMER_SLACK, slack, 0, 0, 0)
        if before is not None:
            _set_slice(library, before)


def _set_slice(library: Any, nanoseconds: int) -> int | None:
    """Ask for another slice and keep the rest; the one before, or None where nobody knows."""
    calls = SCHEDULING_CALLS.get(platform.machine())
    if calls is None:
        return None
    setting, getting = calls
    buffer = ctypes.create_string_buffer(SCHEDULING.size)
    if library.syscall(getting, 0, buffer, SCHEDULING.size, 0) != 0:
        return None
    fields = list(SCHEDULING.unpack(buffer.raw))
    before, fields[RUNTIME] = fields[RUNTIME], nanoseconds
    buffer.raw = SCHEDULING.pack(*fields)
    return int(before) if library.syscall(setting, 0, buffer, 0) == 0 else None
