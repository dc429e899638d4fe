"""Sending everything that is printed, by Python or by C, to a file for a while."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["captured"]


@contextlib.contextmanager
def captured(path: Path) -> Iterator[None]:
    """Within the block, standard output and standard error go to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _flush()
    saved = [_duplicate(1), _duplicate(2)]
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)
        yield
    finally:
        _flush()
        for number, original in zip((1, 2), saved, strict=True):
            os.dup2(original, number)
            os.close(original)


def _duplicate(number: int) -> int:
    """A copy of a descriptor; of the null device where a script has closed it."""
    try:
        return os.dup(number)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
