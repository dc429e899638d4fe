"""Capturing standard output and standard error, of Python and of C code, in a file."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


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
