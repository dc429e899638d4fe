"""The interface between reports and formats.

A report does not know its format. It has *records* for programs, flat and all with the same
columns, and *sections* for people, with tables and sentences. Cache reports and comparisons are
both reports, and each format writes the half that suits its readers.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar, Generic, TextIO, TypeVar

Cell = str | int | float | bool | None
"""None if the value is unknown."""
Record = Mapping[str, Cell]
"""Cells by column; a column that is missing is a cell that is None."""

T = TypeVar("T")


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
