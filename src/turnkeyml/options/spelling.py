"""Sentences about options, for whoever passes them as keyword arguments."""

from __future__ import annotations

import re

from turnkeyml.options.option import Option, options_of

_OPTION = re.compile(r"--(?P<name>[a-z][a-z-]*)(?: (?P<value>[A-Z]\b|\d+|always\b|[a-z]+-fp\d+))?")
"""An option as messages spell it, with its value if one follows: ``--threads 4``."""


def in_keywords(text: str, declaration: type) -> str:
    """The same sentence with the options of a declaration as keyword arguments: ``threads=4``."""
    options = options_of(declaration)

    def spelled(found: re.Match[str]) -> str:
        option = options.get(found["name"].replace("-", "_"))
        return found[0] if option is None else _spelled(option, found["value"])

    return _OPTION.sub(spelled, text)


def _spelled(option: Option, value: str | None) -> str:
    if option.type is bool:
        return f"{option.name}=True" + (f" {value}" if value else "")
    if value is None:
        return option.name
    is_word = value[0].islower()
    return f'{option.name}="{value}"' if is_word else f"{option.name}={value}"
