"""Makes docs/contract.md from the tests in this folder, without running them.

python -m tests.contract.table
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .promises import DECISIONS, GUIDES, WITHOUT_TEST

__all__ = ["DOCUMENT", "Row", "document", "rows"]

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs" / "contract.md"

INTRODUCTION = """\
# The contract

What the guides promise to a user, and the test that holds us to it. This page is made by
`python -m tests.contract.table` from the tests in `tests/contract`; edit those, not this.

*kept*: the test named beside it holds us to it. *later* and *not offered*: there is no test, and
the reason stands there."""


class Row(NamedTuple):
    """One promise."""

    guide: str
    text: str
    test: str
    state: str


def rows() -> list[Row]:
    """Every promise, guide by guide, in the order of the tests."""
    found = [row for file in sorted(HERE.glob("test_*.py")) for row in _rows_of(file)]
    found += [Row(p.guide, p.text, "", p.state) for p in WITHOUT_TEST]
    order = list(GUIDES)
    return sorted(found, key=lambda row: order.index(row.guide))


def document() -> str:
    """The whole page."""
    table = rows()
    kept = sum(row.state == "kept" for row in table)
    parts = [INTRODUCTION, f"{len(table)} promises, {kept} of them kept."]
    for guide, title in GUIDES.items():
        lines = [_line(row) for row in table if row.guide == guide]
        head = ["| guide | promise | test | state |", "|---|---|---|---|"]
        parts += [f"## {title[0].upper()}{title[1:]}", "\n".join(head + lines)]
    parts += ["## Decisions on contradictions", "\n".join(f"- {d}" for d in DECISIONS)]
    return "\n\n".join(parts) + "\n"


def _rows_of(file: Path) -> Iterator[Row]:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "promise":
                guide, text = (ast.literal_eval(argument) for argument in mark.args)
                yield Row(guide, text, f"{file.name}::{node.name}", "kept")


def _line(row: Row) -> str:
    file, _, name = row.test.partition("::")
    test = f"[{name.removeprefix('test_').replace('_', ' ')}](../tests/contract/{file})"
    text = row.text.replace("|", "\\|")
    return f"| {row.guide} | {text} | {test if file else 'none'} | {row.state} |"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
    print(f"{DOCUMENT}: {len(rows())} promises")
