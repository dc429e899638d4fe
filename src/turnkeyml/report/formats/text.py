"""Plain text: aligned tables and sentences, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from turnkeyml.escaping import one_line
from turnkeyml.report.contract import Report, Section, TextFormat, table_lines


class Text(TextFormat):
    """Plain text, the default of ``turnkey compare``."""

    suffix = ".txt"

    def write_text(self, report: Report, file: TextIO) -> None:
        for name, value in report.heading:
            file.write(f"{name}: {one_line(value)}\n")
        for section in report.sections:
            file.write("\n")
            for line in _lines(section):
                file.write(f"{line}\n")


def _lines(section: Section) -> Iterator[str]:
    if section.title:
        yield f"{section.title}:"
    if section.table is not None:
        yield from table_lines(section.table.header, section.table.rows)
    indent = "  " if section.title else ""
    for sentence in section.sentences:
        yield indent + one_line(sentence)
