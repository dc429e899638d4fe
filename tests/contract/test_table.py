"""The table in docs/contract.md is that of the tests."""

from __future__ import annotations

import ast
from collections import Counter

from .table import DOCUMENT, HERE, document, rows


def test_the_document_is_not_stale():
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "docs/contract.md is stale: run 'python -m tests.contract.table'"
    )


def test_every_promise_of_a_guide_is_stated_once():
    counts = Counter((row.guide, row.text) for row in rows())
    assert [promise for promise, count in counts.items() if count > 1] == []


def test_every_test_here_says_which_promise_it_keeps():
    named = {row.test for row in rows()}
    for file in HERE.glob("test_*.py"):
        if file.name == "test_table.py":
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert f"{file.name}::{node.name}" in named
