"""Tables as aligned text and as Markdown, and readable numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from turnkeyml.escaping import LONGEST_CELL, markdown_cell, one_line

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
