"""Markdown: tables and lists, for a page or a comment on a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from turnkeyml.escaping import markdown_code, markdown_text
from turnkeyml.report.contract import Report, Section, TextFormat, markdown_lines


class Markdown(TextFormat):
    """Markdown in the dialect of GitHub."""

    suffix = ".md"

    def write_text(self, report: Report, file: TextIO) -> None:
        heading = [f"{name}: {markdown_code(value)}" for name, value in report.heading]
        file.write("  \n".join(heading) + "\n")
        for section in report.sections:
            for line in _lines(section):
                file.write(f"{line}\n")


def _lines(section: Section) -> Iterator[str]:
    """The blocks of a section, each after an empty line."""
    if section.title:
        yield from ("", f"**{section.title}**")
    if section.table is not None:
        yield ""
        yield from markdown_lines(section.table.header, section.table.rows)
    if section.title:
        yield ""
        yield from (f"- {markdown_text(sentence)}" for sentence in section.sentences)
    else:
        for sentence in section.sentences:
            yield from ("", markdown_text(sentence))
