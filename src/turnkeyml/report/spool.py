"""Records in a temporary file, until all of them are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from turnkeyml.report.contract import Cell, Record


class Spool:
    """Any number of records, in a file to save memory.

    The columns of a report are known only after its last record, and a cache may have ten thousand.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0

    def add(self, record: Record) -> None:
        """Append a record."""
        self._file.seek(self._end)
        self._file.write(json.dumps(dict(record)).encode() + b"\n")
        self._end = self._file.tell()

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """Every record, in order. Several loops may run at the same time."""
        position = 0
        while position < self._end:
            self._file.seek(position)
            line = self._file.readline()
            position += len(line)
            yield json.loads(line)
