"""Comma-separated values: one line per record, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import re
from typing import TextIO

from turnkeyml.report.contract import Cell, Report, TextFormat

__all__ = ["Csv"]

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_STARTS = tuple("'=+-@\t\r\n")
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""The beginning of a formula, after any number of apostrophes."""


class Csv(TextFormat):
    """CSV, safe against formula injection.

    A spreadsheet runs a cell that begins like a formula, which may come from the name of a model.
    Such a cell gets a leading apostrophe, which spreadsheets read as "this is text". Reading the
    file back removes the apostrophe.
    """

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
        header, *rest = [list(map(_unquoted, line)) for line in lines if line] or [[]]
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
    if not isinstance(cell, str) or not cell.startswith(_STARTS):
        return cell
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def _unquoted(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
