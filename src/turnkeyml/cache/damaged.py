"""A file of ours that somebody or something has changed."""

from __future__ import annotations

from pathlib import Path

from turnkeyml.errors import TurnkeyError
from turnkeyml.escaping import one_line

__all__ = ["DamagedFile"]

LONGEST_REASON = 160
"""Characters. Some parsers quote what they could not read."""


class DamagedFile(TurnkeyError):
    """A file that cannot be read as what it should be."""

    def __init__(self, path: Path, why: str) -> None:
        self.path = path
        self.why = printable(why)
        super().__init__(f"{path} cannot be read: {self.why}.")


def printable(why: str) -> str:
    """A reason on one line of a bearable length, without what a terminal would act upon."""
    text = " ".join(why.split()).rstrip(".")
    return one_line(text, LONGEST_REASON)
