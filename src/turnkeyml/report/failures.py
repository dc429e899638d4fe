"""Group failures that have the same cause."""

from __future__ import annotations

import re

LONGEST = 200
"""Characters of a reason that tell its kind."""


def kind_of(reason: str) -> str:
    """A reason with placeholders for names and numbers, to group similar failures.

    Exit codes, signals and error numbers stay: they tell causes apart.
    """
    text = re.sub(r"(/[^\s/:,;)]+)+", "PATH", reason)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "NAME", text)
    text = re.sub(r"\b[0-9a-f]{8,}\b", "HASH", text)
    text = re.sub(r"(\b(?:code|signal|status|Errno) -?\d+)|\d+(\.\d+)?", _number, text)
    return re.sub(r"\bN(?:[, x]+N)+\b", "N", text)[:LONGEST]


def _number(found: re.Match[str]) -> str:
    return found[1] or "N"
