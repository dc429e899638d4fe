"""Comma-separated values: one line per record, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
from typing import TextIO

from turnkeyml.escaping import csv_cell, csv_text
from turnkeyml.report.contract import Cell, Report, TextFormat


class Csv(TextFormat):
    """CSV, safe against formula injection. Control characters are spelled; see ``csv_cell``."""

    suffix = ".csv"

    def write_text(self, report: Report, file: TextIO) -> None:
        writer = csv.writer(_Lines(file))
        writer.writerow(map(_quoted, report.columns))
        for record in report.records:
            writer.writerow(_quoted(record.get(column)) for column in report.columns)

    def recognizes(self, text: str) -> bool:
        return not text.lstrip().startswith(("{", "["))

    def read(self, text: str) -> Report:
        try:
            lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error as error:
            raise ValueError(str(error)) from None
        header, *rest = [list(map(csv_text, line)) for line in lines if line] or [[]]
        records = [dict(zip(header, line, strict=False)) for line in rest]
        return Report(tuple(header), records)


class _Lines:
    """Writes lines that end in a line feed.

    The csv module could do that itself, but would then leave carriage returns in cells unquoted.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> None:
        self._file.write(line.removesuffix("\r\n") + "\n")


def _quoted(cell: Cell) -> Cell:
    return csv_cell(cell) if isinstance(cell, str) else cell
