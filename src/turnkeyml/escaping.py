"""Text from outside, made safe for the place where it is shown.

Names of classes and files, labels, messages of exceptions and the output of scripts may contain
anything: escape sequences that a terminal obeys, marks that turn the reading direction around,
line breaks, formulas of spreadsheets, markup, or ten thousand characters. Every format passes its
text through here. JSON and Parquet keep text exact; JSON spells such characters as ``\\u001b``.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # every command starts with this module; importing typing would cost time
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "csv_cell",
    "csv_text",
    "json_text",
    "markdown_cell",
    "markdown_code",
    "markdown_text",
    "one_line",
    "page_text",
    "shortened",
    "spelled",
]

LONGEST_LINE = 2_000
"""Characters of a line for people. Our longest sentences have a few hundred."""
LONGEST_CELL = 200
"""Characters of a cell in a table, whose columns are as wide as their widest cell."""

_NOT_ASCII = "[^\x20-\x7e\n]"
_ESCAPED_CONTROL = r"\\u00[01]|\\[bfr]"
"""What JSON text has in the place of control characters, line breaks and tabs aside."""

PAGE_KEEPS = "\n\t"
"""Control characters that a page shows as they are meant."""

_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_FORMULA = "'*[=+\\-@\t\n\uff1d\uff0b\uff0d\uff20]"
"""The beginning of a formula, also in full width, after any number of apostrophes."""

_MARKUP = r"[\\`*<\[\]]|(?<![^\W_])_|_(?![^\W_])"
"""Characters of Markdown within a line. An underscore inside of a word has no meaning there."""
_BLOCK = r"[#>+\-=~]|\d+(?=[.)])"
"""The beginning of a heading, a quotation or a list."""


def spelled(text: str, keep: str = "") -> str:
    """The text with every character that cannot be printed as Python spells it: ``\\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def shortened(text: str, limit: int) -> str:
    """The text in at most this many characters; a longer one loses its middle."""
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end - 1]}…{text[len(text) - end :]}"


def one_line(text: str, limit: int = LONGEST_LINE) -> str:
    """The text on one line of bounded length that a terminal shows as it is."""
    if not text.isprintable():
        text = spelled("".join(" " if c.isspace() else c for c in text))
    return shortened(text, limit)


def markdown_text(text: str) -> str:
    """The text as a paragraph or a list item of Markdown that shows it unchanged."""
    safe = re.sub(_MARKUP, r"\\\g<0>", one_line(text))
    start = re.match(_BLOCK, safe)
    if start is None:
        return safe
    return f"{start[0]}\\{safe[start.end() :]}" if start[0][0].isdigit() else f"\\{safe}"


def markdown_cell(text: str) -> str:
    """The text as a cell of a Markdown table."""
    return re.sub(_MARKUP, r"\\\g<0>", one_line(text, LONGEST_CELL)).replace("|", "\\|")


def markdown_code(text: str) -> str:
    """The text as a code span of Markdown, between more backticks than it has in a row."""
    safe = one_line(text)
    longest = max((len(run) for run in re.findall("`+", safe)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{safe}{space}{fence}"


def csv_cell(text: str) -> str:
    """The text as a cell of CSV that no spreadsheet runs and no terminal obeys.

    A spreadsheet runs a cell that begins like a formula. Such a cell gets a leading apostrophe,
    which spreadsheets read as "this is text". Line breaks and tabs stay.
    """
    text = spelled(text.replace("\r\n", "\n"), keep="\n\t")
    return f"'{text}" if re.match(_FORMULA, text) and not re.fullmatch(_NUMBER, text) else text


def csv_text(cell: str) -> str:
    """The text of a cell that ``csv_cell`` made."""
    return cell[1:] if cell.startswith("'") and re.match(_FORMULA, cell) else cell


def json_text(document: str) -> str:
    """A JSON document with the same content in which no character acts upon a terminal."""
    return re.sub(_NOT_ASCII, _in_json, document)


def _in_json(found: re.Match[str]) -> str:
    if found[0].isprintable():
        return found[0]
    import json  # not at the top: every command starts with this module

    return json.dumps(found[0])[1:-1]


def page_text(document: str, data: Any) -> Any:
    """The data of a page with its text spelled, line breaks and tabs aside.

    ``document`` is its JSON text, which tells quickly whether there is anything to spell.
    """
    is_safe = all(map(str.isprintable, set(document))) and not re.search(_ESCAPED_CONTROL, document)
    return data if is_safe else _spelled_inside(data)


def _spelled_inside(data: Any) -> Any:
    if isinstance(data, str):
        return spelled(data, PAGE_KEEPS)
    if isinstance(data, dict):
        return {_spelled_inside(key): _spelled_inside(value) for key, value in data.items()}
    return [_spelled_inside(v) for v in data] if isinstance(data, (list, tuple)) else data
