"""This process: where its output goes, the memory it uses, and how punctually it wakes up.

The output is captured in a file, that of C code too.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import platform
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

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
def captured(path: Path) -> Iterator[None]:
    """Within the block, standard output and standard error are appended to ``path``.

    What has no room on the disk is dropped: a line in a log is no reason to fail.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _flush()
    descriptors = [_duplicate(1), _duplicate(2)]
    streams = sys.stdout, sys.stderr
    try:
        with _open_log(path) as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            sys.stdout = sys.stderr = log
            yield
            _flush()
    finally:
        sys.stdout, sys.stderr = streams
        for number, original in zip((1, 2), descriptors, strict=True):
            os.dup2(original, number)
            os.close(original)


class _Log(io.FileIO):
    """A file that takes whatever it is given."""

    def write(self, data: ReadableBuffer) -> int:
        try:
            return super().write(data)
        except OSError:  # such as a full disk
            return len(memoryview(data))


def _open_log(path: Path) -> io.TextIOWrapper:
    log = io.BufferedWriter(_Log(path, "a"))
    return io.TextIOWrapper(log, encoding="utf-8", errors="replace", line_buffering=True)


def _duplicate(number: int) -> int:
    """A duplicate of a file descriptor; of the null device if a script has closed it."""
    try:
        return os.dup(number)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a script may have replaced it by anything
            stream.flush()


def reset_peak_memory() -> None:
    """Reset the peak of resident memory, if the kernel allows it."""
    # Without it the peak is that of the whole process, which is still an upper bound.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_bytes() -> int | None:
    """The peak resident memory since the last reset in bytes, or None if unknown."""
    return _own_memory("VmHWM:")


def memory_bytes() -> int | None:
    """The current resident memory in bytes, or None if unknown."""
    return _own_memory("VmRSS:")


def _own_memory(field: str) -> int | None:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    except OSError:
        return None
    return None


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
