"""Capturing standard output and standard error, of Python and of C code, in a file."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def captured(path: Path) -> Iterator[None]:
    """Within the block, standard output and standard error are appended to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _flush()
    descriptors = [_duplicate(1), _duplicate(2)]
    streams = sys.stdout, sys.stderr
    try:
        with path.open("a", encoding="utf-8", errors="replace", buffering=1) as log:
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
