"""The errors that turnkeyml raises for its users.

A ``TurnkeyError`` is one sentence that says what happened and what to do. It is shown without a
traceback. Any other exception that escapes is a bug in turnkeyml.
"""

from __future__ import annotations

import os
import re

__all__ = ["BuildError", "MeasureError", "TurnkeyError", "UsageError", "describe", "named"]


class TurnkeyError(Exception):
    """A requested operation failed."""


class UsageError(TurnkeyError):
    """Invalid options or arguments; nothing was run."""


class BuildError(TurnkeyError):
    """A stage of a build failed."""

    def __init__(self, message: str, stage: str | None = None, log: str | None = None) -> None:
        super().__init__(message)
        self.stage = stage
        self.log = log


class MeasureError(TurnkeyError):
    """A runtime could not measure a build."""


def named(error: BaseException, path: str | os.PathLike[str]) -> BaseException:
    """The error with the name of a file, which a write to a disk that is full does not have."""
    if isinstance(error, OSError) and error.errno is not None and error.filename is None:
        error.filename = os.fspath(path)
    return error


_REQUIRED = ("numpy", "onnx", "onnxruntime", "onnxscript", "torch")
"""Modules without which little works, whose packages have the same name."""


def describe(error: BaseException, limit: int = 300) -> str:
    """The type of an error and the first line of its message, short enough for a status line."""
    try:
        text = str(error).strip()
    except Exception:  # noqa: BLE001 - __str__ of a user-defined error may raise
        text = ""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if isinstance(error, TurnkeyError):
        return text or type(error).__name__
    if len(first) > limit:
        first = first[: limit - 1] + "…"
    if isinstance(error, ModuleNotFoundError) and error.name in _REQUIRED:
        first += f" (pip install {error.name})"
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
