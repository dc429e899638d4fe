"""The table of options in docs/options.md, made from the declarations."""

from __future__ import annotations

from turnkeyml.options.declared import COMMANDS, FUNCTIONS
from turnkeyml.options.option import Option, options_of


def options_table() -> str:
    """A Markdown table with one row per option and the commands and functions that take it."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for name, declarations in COMMANDS.items():
        for option in options_of(*declarations).values():
            rows.setdefault(_cells(option), []).append(name)
    for name, declaration in FUNCTIONS.items():
        for option in options_of(declaration).values():
            rows.setdefault(_cells(option), []).append(f"`{name}`")
    lines = [(*cells, ", ".join(names)) for cells, names in rows.items()]
    header = ("option", "meaning", "default", "of")
    return "\n".join(map(_line, (header, ("---",) * len(header), *lines)))


def _cells(option: Option) -> tuple[str, str, str]:
    spelling = option.spelling
    if not option.positional and option.type is not bool:
        spelling = f"{spelling} {option.metavar or option.name.upper()}"
    repeated = " …" if option.extends or option.nargs in ("+", "*") else ""
    short = f"`{option.short}`, " if option.short else ""
    return f"{short}`{spelling}{repeated}`", option.meaning(), option.default_words()


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
