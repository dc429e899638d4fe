"""Group failures that have the same cause."""

from __future__ import annotations

import re

MOST_CHARACTERS = 200
"""Characters of a reason that tell its kind."""


def kind_of(reason: str) -> str:
    """A reason with placeholders for names and numbers, to group similar failures.

    Exit codes, signals and error numbers stay: they tell causes apart.
    """
    text = re.sub(r"(/[^\s/:,;)]+)+", "PATH", reason)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "NAME", text)
    text = re.sub(r"\b[0-9a-f]{8,}\b", "HASH", text)
    text = re.sub(r"(\b(?:code|signal|status|Errno) -?\d+)|\d+(\.\d+)?", _number_or_code, text)
    return re.sub(r"\bN(?:[, x]+N)+\b", "N", text)[:MOST_CHARACTERS]


def _number_or_code(found: re.Match[str]) -> str:
    return found[1] or "N"
