"""The arguments of a command, made from the declarations of its options."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any, get_args

from turnkeyml.options import COMMANDS, Option, options_of

__all__ = ["add_options", "given"]

Container = argparse._ActionsContainer


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Everything that a command takes. What is not given stays out of the result of parsing."""
    options = list(options_of(*COMMANDS[command]).values())
    together = Counter((option.group, option.excludes) for option in options)
    groups: dict[str, Container] = {"": parser}
    alternatives: dict[tuple[str, str], Container] = {}
    for option in options:
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(option.group)
        place = groups[option.group]
        key = (option.group, option.excludes)
        if option.excludes and together[key] > 1:
            if key not in alternatives:
                alternatives[key] = place.add_mutually_exclusive_group()
            place = alternatives[key]
        _add(place, option)


def given(options: argparse.Namespace, declaration: type) -> dict[str, Any]:
    """Those options of a declaration that the words gave."""
    return {name: value for name, value in vars(options).items() if name in options_of(declaration)}


def _add(place: Container, option: Option) -> None:
    default = option.default_words()
    words = f"{option.meaning()} (default: {default})" if default else option.meaning()
    settings: dict[str, Any] = {"help": words.replace("%", "%%"), "default": argparse.SUPPRESS}
    if option.type is bool:
        settings["action"] = "store_true"
    else:
        settings |= {"type": _type(option), "metavar": option.metavar, "nargs": option.nargs}
        if option.extends:
            settings["action"] = "extend"
    if option.positional:
        place.add_argument(option.name, **settings)
    else:
        spellings = [option.short, option.spelling] if option.short else [option.spelling]
        place.add_argument(*spellings, **settings)


def _type(option: Option) -> type:
    """What a word is turned into: a number where nothing but a number will do."""
    kinds = get_args(option.type) or (option.type,)
    numbers = [kind for kind in (int, float) if kind in kinds]
    return numbers[0] if numbers and str not in kinds else str
