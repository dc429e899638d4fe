"""Parquet: typed columns, for data frames and databases. It needs pyarrow."""

from __future__ import annotations

import importlib.util
from typing import Any, BinaryIO

from turnkeyml.errors import TurnkeyError
from turnkeyml.report.contract import Cell, Format, Report


class Parquet(Format):
    """One row per record; a column has numbers, booleans or text."""

    suffix = ".parquet"
    is_printed = False

    def check_installed(self) -> None:
        if importlib.util.find_spec("pyarrow") is None:
            raise TurnkeyError(
                "Parquet reports need pyarrow; install it with 'pip install turnkeyml[parquet]'."
            )

    def write(self, report: Report, file: BinaryIO) -> None:
        self.check_installed()
        import pyarrow
        from pyarrow import parquet

        columns: dict[str, list[Cell]] = {name: [] for name in report.columns}
        for record in report.records:
            for name, cells in columns.items():
                cells.append(record.get(name))
        arrays = {name: pyarrow.array(*_typed(cells)) for name, cells in columns.items()}
        parquet.write_table(pyarrow.table(arrays), file)


def _typed(cells: list[Cell]) -> tuple[list[Any], str]:
    """The cells of a column, converted to the one type that fits all of them, and this type."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {bool}:
        return cells, "bool"
    if kinds and kinds <= {int}:
        return cells, "int64"
    if kinds and kinds <= {int, float}:
        return [None if cell is None else float(cell) for cell in cells], "float64"
    return [_text(cell) for cell in cells], "string"


def _text(cell: Cell) -> str | None:
    """Text that Parquet can store; lone surrogates, which file names may have, as escapes."""
    return None if cell is None else str(cell).encode("utf-8", "backslashreplace").decode()
