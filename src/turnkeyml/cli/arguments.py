"""argparse arguments, made from the option declarations."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any, get_args

from turnkeyml.options import COMMANDS, Option, options_of

Container = argparse._ActionsContainer


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add every option of a command. Options that are not given are not in the namespace."""
    options = list(options_of(*COMMANDS[command]).values())
    sizes = Counter((option.group, option.excludes) for option in options)
    groups: dict[str, Container] = {"": parser}
    alternatives: dict[tuple[str, str], Container] = {}
    for option in options:
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(option.group)
        container = groups[option.group]
        key = (option.group, option.excludes)
        if option.excludes and sizes[key] > 1:
            if key not in alternatives:
                alternatives[key] = container.add_mutually_exclusive_group()
            container = alternatives[key]
        _add(container, option)


def given(options: argparse.Namespace, declaration: type) -> dict[str, Any]:
    """The options of a declaration that were given on the command line."""
    return {name: value for name, value in vars(options).items() if name in options_of(declaration)}


def missing_positionals(options: argparse.Namespace) -> list[str]:
    """The required positional arguments that were not given, by their spelling."""
    declared = options_of(*COMMANDS[options.command]).values()
    return [o.spelling for o in declared if o.is_required and not hasattr(options, o.name)]


def help_of(option: Option) -> str:
    """The help text of an option, for argparse.

    It is made when it is shown: it names what is installed, which takes long to find out.
    """
    default = option.default_words()
    text = f"{option.meaning()} (default: {default})" if default else option.meaning()
    return text.replace("%", "%%")


def _add(container: Container, option: Option) -> None:
    settings: dict[str, Any] = {"help": option.name, "default": argparse.SUPPRESS}
    if option.type is bool:
        settings["action"] = "store_true"
    else:
        settings |= {"type": _type(option), "metavar": option.metavar, "nargs": option.nargs}
        if option.extends:
            settings["action"] = "extend" if option.nargs else "append"
    if option.positional:
        action = container.add_argument(option.name, **settings)
        action.required = False  # missing_positionals has a better message
    else:
        spellings = [option.short, option.spelling] if option.short else [option.spelling]
        action = container.add_argument(*spellings, **settings)
    action.option = option  # type: ignore[attr-defined]


def _type(option: Option) -> type:
    """The type that argparse converts to: a number if the option takes nothing else."""
    kinds = get_args(option.type) or (option.type,)
    numbers = [kind for kind in (int, float) if kind in kinds]
    return numbers[0] if numbers and str not in kinds else str
