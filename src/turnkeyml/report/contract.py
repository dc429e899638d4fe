"""The interface between reports and formats, and tables as aligned text and as Markdown.

A report does not know its format. It has *records* for programs, flat and all with the same
columns, and *sections* for people, with tables and sentences. Cache reports and comparisons are
both reports, and each format writes the half that suits its readers.
"""

from __future__ import annotations

import io
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar, Generic, TextIO, TypeVar

from turnkeyml.escaping import LONGEST_CELL, markdown_cell, one_line

Cell = str | int | float | bool | None
"""None if the value is unknown."""
Record = Mapping[str, Cell]
"""Cells by column; a column that is missing is a cell that is None."""
Rows = Iterable[Sequence[str]]
"""Iterated more than once, so that a long table need not be in memory."""
T = TypeVar("T")
_DIGITS = tuple("0123456789")


class Repeatable(Generic[T]):
    """An iterable that calls a generator function for each loop, to keep nothing in memory."""

    def __init__(self, start: Callable[[], Iterator[T]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[T]:
        return self._start()


@dataclass(frozen=True)
class Table:
    """A table for people. The rows may be many; each loop over them reads them again."""

    header: tuple[str, ...]
    rows: Iterable[Sequence[str]]


@dataclass(frozen=True)
class Section:
    """A part of a report. One without a title belongs to the whole report."""

    title: str = ""
    table: Table | None = None
    sentences: Iterable[str] = ()


@dataclass(frozen=True)
class Report:
    """The content of a report, independent of the format."""

    columns: tuple[str, ...]
    records: Iterable[Record]
    """For programs. They may be many; each loop over them reads them again."""
    heading: tuple[tuple[str, str], ...] = ()
    """Names and values, such as the path of the cache."""
    sections: tuple[Section, ...] = ()
    """For people."""
    details: Iterable[Mapping[str, Any]] = ()
    """For a page: what does not fit into records, one object per build. See ``report/details.py``.
    Empty unless a format asks for them."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """For a page: what is known about the report as a whole, under names that its kind defines."""


class Format(ABC):
    """A report format. Each file in ``report/formats`` defines one."""

    name: str
    """The name for ``--format``, which is that of its file."""
    suffix: ClassVar[str]
    """The suffix of written files, with the dot."""
    wants_details: ClassVar[bool] = False
    """Whether it needs the details of a report, which take longer to read than its records."""
    is_printed: ClassVar[bool] = True
    """Whether people want to see it in a terminal."""

    def check_installed(self) -> None:
        """Raise a ``TurnkeyError`` if a library that it needs is missing."""
        return

    @abstractmethod
    def write(self, report: Report, file: BinaryIO) -> None:
        """Write a report, one record or row at a time to save memory."""

    def recognizes(self, text: str) -> bool:
        """Whether a text looks like records in this format. False if the format is write-only."""
        return False

    def read(self, text: str) -> Report:
        """The columns and records of a recognized text; numbers may come back as text.

        A ``ValueError`` says why they cannot be read.
        """
        raise NotImplementedError(f"the format {self.name} is write-only")


class TextFormat(Format):
    """A format that is text, so that it can also be printed."""

    @abstractmethod
    def write_text(self, report: Report, file: TextIO) -> None:
        """Write a report, with a line break at the end."""

    def write(self, report: Report, file: BinaryIO) -> None:
        """Write a report in UTF-8; lone surrogates, which file names may have, as escapes."""
        wrapper = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        self.write_text(report, wrapper)
        wrapper.detach()


def text_table(header: Sequence[str], rows: Rows) -> list[str]:
    """The lines of a table with aligned columns; columns of numbers to the right."""
    return list(table_lines(header, rows))


def table_lines(header: Sequence[str], rows: Rows) -> Iterator[str]:
    """The same as ``text_table``, one line at a time."""
    widths = [len(cell) for cell in header]
    for row in rows:
        widths = [max(w, len(_cell(text))) for w, text in zip(widths, row, strict=True)]
    right = _numeric_columns(header, rows)
    yield _line(header, widths, right)
    for row in rows:
        yield _line(list(map(_cell, row)), widths, right)


def markdown_table(header: Sequence[str], rows: Rows) -> list[str]:
    """The lines of a Markdown table."""
    return list(markdown_lines(header, rows))


def markdown_lines(header: Sequence[str], rows: Rows) -> Iterator[str]:
    """The same as ``markdown_table``, one line at a time."""
    marks = ["---:" if numeric else "---" for numeric in _numeric_columns(header, rows)]
    safe = (list(map(markdown_cell, row)) for row in rows)
    for cells in itertools.chain((header, marks), safe):
        yield f"| {' | '.join(cells)} |"


def _numeric_columns(header: Sequence[str], rows: Rows) -> list[bool]:
    """For each column, whether it contains only numbers."""
    numeric, any_rows = [True] * len(header), False
    for row in rows:
        any_rows = True
        numeric = [
            known and (not cell or cell.lstrip("+-±≈").startswith(_DIGITS))
            for known, cell in zip(numeric, row, strict=True)
        ]
    return numeric if any_rows else [False] * len(header)


def significant(value: float | None, digits: int = 4) -> str:
    """A number with this many significant digits; empty for None."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:#.{digits}g}".rstrip(".")
    return f"{value:.{digits + 6}f}".rstrip("0") if "e" in text else text


def _cell(text: str) -> str:
    return one_line(text, LONGEST_CELL)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    aligned = [
        cell.rjust(width) if numeric else cell.ljust(width)
        for cell, width, numeric in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(aligned).rstrip()
