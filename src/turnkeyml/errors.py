"""Errors that are written for the person who reads them.

A ``TurnkeyError`` is one sentence that says what happened and what to do; it is shown without a
traceback. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import re

__all__ = ["BuildError", "MeasureError", "TurnkeyError", "UsageError", "describe"]


class TurnkeyError(Exception):
    """Something that was asked for could not be done."""


class UsageError(TurnkeyError):
    """What was asked for makes no sense; nothing was run."""


class BuildError(TurnkeyError):
    """A stage of a build failed."""

    def __init__(self, message: str, stage: str | None = None, log: str | None = None) -> None:
        super().__init__(message)
        self.stage = stage
        self.log = log


class MeasureError(TurnkeyError):
    """A runtime could not measure a build."""


def describe(error: BaseException, limit: int = 300) -> str:
    """The first line of an error's message, with its type, short enough for a status line."""
    try:
        text = str(error).strip()
    except Exception:  # noqa: BLE001 - an error of a script's own may not even have a message
        text = ""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if isinstance(error, TurnkeyError):
        return text or type(error).__name__
    if len(first) > limit:
        first = first[: limit - 1] + "…"
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
