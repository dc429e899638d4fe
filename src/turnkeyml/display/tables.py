"""Tables as text: for a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["markdown_table", "significant", "text_table"]

Rows = Sequence[Sequence[str]]


def text_table(header: Sequence[str], rows: Rows) -> list[str]:
    """Aligned columns; those that hold numbers to the right."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    right = [_is_numeric([row[i] for row in rows]) for i in range(len(header))]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if align else cell.ljust(width)
            for cell, width, align in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def markdown_table(header: Sequence[str], rows: Rows) -> list[str]:
    """The same for a page."""
    marks = ["---:" if _is_numeric([row[i] for row in rows]) else "---" for i in range(len(header))]
    safe = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (header, marks, *safe)]


def significant(value: float | None, digits: int = 4) -> str:
    """A number as people write it, with so many digits that mean something."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:#.{digits}g}".rstrip(".")
    return f"{value:.{digits + 6}f}".rstrip("0") if "e" in text else text


def _is_numeric(cells: Sequence[str]) -> bool:
    return bool(cells) and all(
        not cell or cell.lstrip("+-±≈").startswith(_DIGITS) for cell in cells
    )


_DIGITS = tuple("0123456789")
