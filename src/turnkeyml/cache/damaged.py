"""A file of ours that somebody or something has changed."""

from __future__ import annotations

import errno
from pathlib import Path

from turnkeyml.errors import TurnkeyError
from turnkeyml.escaping import one_line

LONGEST_REASON = 160
"""Characters. Some parsers quote what they could not read."""


_OF_CONTENT = (errno.ELOOP, errno.EISDIR, errno.ENOTDIR, errno.ENXIO, errno.ENAMETOOLONG)
"""Errors of the system that tell that something else lies where the file should be."""


class DamagedFile(TurnkeyError):
    """A file that cannot be read as what it should be."""

    def __init__(self, path: Path, why: str, error: Exception | None = None) -> None:
        self.path = path
        self.may_be_whole = isinstance(error, OSError) and error.errno not in _OF_CONTENT
        """Whether only reading it failed, because of the disk or the process: it must be kept."""
        self.why = printable(why)
        super().__init__(f"{path} cannot be read: {self.why}.")


def printable(why: str) -> str:
    """A reason on one line of a bearable length, without what a terminal would act upon."""
    text = " ".join(why.split()).rstrip(".")
    return one_line(text, LONGEST_REASON)
