"""Every message in docs/troubleshooting.md is one that the program prints."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "troubleshooting.md"
MESSAGES = [
    message
    for row in re.findall(r"^\| (`.*?) \| ", PAGE.read_text(), re.MULTILINE)
    for message in re.findall(r"`([^`]+)`", row)
]
ANYTHING = "\0"
"""Stands for what a message fills in."""


@functools.cache
def texts() -> list[str]:
    """Every string of the source, with a mark in place of what is filled in."""
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                found.append("".join(_literal(part) for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"\{\w+\}", ANYTHING, node.value))
    return found


def _literal(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else ANYTHING


def is_printed(message: str) -> bool:
    """Whether some string of the source reads like it, `…` being anything."""
    parts = [re.escape(part.strip()) for part in re.split("…", message)]
    pattern = re.compile(".*?".join(parts), re.DOTALL)
    return any(pattern.search(text) for text in texts())


def test_the_page_has_messages():
    assert len(MESSAGES) > 50


@pytest.mark.parametrize("message", MESSAGES)
def test_the_message_is_printed(message):
    assert is_printed(message), f"no string in src/ reads like {message!r}"


def test_a_message_that_is_not_there_is_noticed():
    assert not is_printed("File not discovered: ….")
