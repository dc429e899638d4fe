"""Records that wait in a file until all of them are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from turnkeyml.report.contract import Cell, Record

__all__ = ["Spool"]


class Spool:
    """As many records as there are, in a file and in little memory.

    The columns of a report are known only when its last record is, and a cache may hold ten
    thousand.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0

    def add(self, record: Record) -> None:
        """Put a record behind the others."""
        self._file.seek(self._end)
        self._file.write(json.dumps(dict(record)).encode() + b"\n")
        self._end = self._file.tell()

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """Every record, in order. Several loops may read at the same time."""
        position = 0
        while position < self._end:
            self._file.seek(position)
            line = self._file.readline()
            position += len(line)
            yield json.loads(line)
