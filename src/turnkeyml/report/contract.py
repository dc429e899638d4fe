"""What a report consists of, and what a format does with it.

A report is neutral. Programs read its *records*: flat, every one with the same columns in the same
order. People read its *sections*: tables and sentences. The report of a cache and a comparison are
both made into one, and each format writes whichever half suits its readers.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Generic, TextIO, TypeVar

__all__ = [
    "Cell",
    "Format",
    "Record",
    "Repeatable",
    "Report",
    "Section",
    "Table",
    "TextFormat",
]

Cell = str | int | float | bool | None
"""None where nothing is known."""
Record = Mapping[str, Cell]
"""Cells by column; a column that is missing is a cell that is None."""

T = TypeVar("T")


class Repeatable(Generic[T]):
    """What a function yields, anew for each loop, so that nothing has to be kept in memory."""

    def __init__(self, start: Callable[[], Iterator[T]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[T]:
        return self._start()


@dataclass(frozen=True)
class Table:
    """Cells as people read them. There may be many rows; each loop over them reads them anew."""

    header: tuple[str, ...]
    rows: Iterable[Sequence[str]]


@dataclass(frozen=True)
class Section:
    """Something that is told together. One without a title belongs to the report as a whole."""

    title: str = ""
    table: Table | None = None
    sentences: Iterable[str] = ()


@dataclass(frozen=True)
class Report:
    """Something to report, before it has a format."""

    columns: tuple[str, ...]
    records: Iterable[Record]
    """For programs. There may be many; each loop over them reads them anew."""
    heading: tuple[tuple[str, str], ...] = ()
    """Names with their values, such as which cache the report is about."""
    sections: tuple[Section, ...] = ()
    """For people."""


class Format(ABC):
    """One way to write a report. Each file of ``report/formats`` defines one, and that is all."""

    name: str
    """What ``--format`` calls it: the name of its file."""
    suffix: ClassVar[str]
    """What the names of its files end in, with the dot."""

    @abstractmethod
    def write(self, report: Report, file: BinaryIO) -> None:
        """Write a whole report, a record or a row at a time."""

    def recognizes(self, text: str) -> bool:
        """Whether a text looks like records in this format. False if it cannot be read back."""
        return False

    def read(self, text: str) -> Report:
        """The columns and records of a recognized text; cells may have become text.

        A ``ValueError`` says in words why they cannot be read.
        """
        raise NotImplementedError(f"{self.name} is not read")


class TextFormat(Format):
    """A format that is text, so that it can also be printed."""

    @abstractmethod
    def write_text(self, report: Report, file: TextIO) -> None:
        """Write a whole report, with a line break at its end."""

    def write(self, report: Report, file: BinaryIO) -> None:
        """Write it in UTF-8; half characters, which names of files may have, as escapes."""
        wrapper = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        self.write_text(report, wrapper)
        wrapper.detach()
