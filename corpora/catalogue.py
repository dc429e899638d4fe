"""The catalogues that surveys write, as CSV files that people can read and diff."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["read", "write"]

FOLDER = Path(__file__).parent / "catalogues"

Row = Mapping[str, str]


def read(corpus: str) -> list[dict[str, str]]:
    """The rows of a catalogue; all cells are text, and empty if they do not apply."""
    with (FOLDER / f"{corpus}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(corpus: str, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write a catalogue, with its columns in the order of their first use; its path."""
    rows = list(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    path = FOLDER / f"{corpus}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path
