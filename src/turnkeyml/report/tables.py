"""Tables as aligned text and as Markdown, and readable numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "markdown_lines",
    "markdown_table",
    "printable",
    "significant",
    "table_lines",
    "text_table",
    "without_tags",
]

Rows = Iterable[Sequence[str]]
"""Iterated more than once, so that a long table need not be in memory."""

_DIGITS = tuple("0123456789")


def text_table(header: Sequence[str], rows: Rows) -> list[str]:
    """The lines of a table with aligned columns; columns of numbers to the right."""
    return list(table_lines(header, rows))


def table_lines(header: Sequence[str], rows: Rows) -> Iterator[str]:
    """The same as ``text_table``, one line at a time."""
    widths = [len(cell) for cell in header]
    for row in rows:
        widths = [max(width, len(printable(cell))) for width, cell in zip(widths, row, strict=True)]
    right = _numeric_columns(header, rows)
    yield _line(header, widths, right)
    for row in rows:
        yield _line([printable(cell) for cell in row], widths, right)


def markdown_table(header: Sequence[str], rows: Rows) -> list[str]:
    """The lines of a Markdown table."""
    return list(markdown_lines(header, rows))


def markdown_lines(header: Sequence[str], rows: Rows) -> Iterator[str]:
    """The same as ``markdown_table``, one line at a time."""
    marks = ["---:" if numeric else "---" for numeric in _numeric_columns(header, rows)]
    safe = ([without_tags(cell).replace("|", "\\|") for cell in row] for row in rows)
    for cells in itertools.chain((header, marks), safe):
        yield f"| {' | '.join(cells)} |"


def without_tags(text: str) -> str:
    """The text on one line of Markdown, with HTML tags escaped."""
    return printable(text).replace("<", "\\<")


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


def printable(text: str) -> str:
    """The text on one line without control characters: a name may come from a hostile file."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


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


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    aligned = [
        cell.rjust(width) if numeric else cell.ljust(width)
        for cell, width, numeric in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(aligned).rstrip()
