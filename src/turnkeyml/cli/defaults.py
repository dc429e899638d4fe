"""Where the values of options come from: command line, environment, project files, built in."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from turnkeyml.cli.project_file import Setting, find_settings
from turnkeyml.errors import UsageError
from turnkeyml.options import COMMANDS, Option, options_of


class Defaults:
    """The defaults that the files of a project give to the options of a command line."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._declared = options_of(*COMMANDS[options.command])
        self._given = set(vars(options))
        self._applied: dict[str, Setting] = {}

    def apply(self) -> None:
        """Add them to the options, except where the command line or a variable has a value."""
        for name, setting in find_settings(self._options.command, Path.cwd()).items():
            option = self._declared[name]
            if option.in_file and not self._is_decided(option):
                _check(option, setting)
                setattr(self._options, name, setting.value)
                self._applied[name] = setting

    def explain(self, message: str) -> str:
        """A message about options, with the files that gave those which it mentions."""
        for name, setting in self._applied.items():
            words = name.replace("_", "[ -]")
            if re.search(rf"\b{words}\b", message, re.IGNORECASE):
                return f"{message} ({setting.file} sets {setting.key}.)"
        return message

    def lines(self) -> list[str]:
        """One line per option that is not the built-in default: its value and its origin."""
        rows = [(self._spelled(option), self._origin(option)) for option in self._changed()]
        width = max((len(spelled) for spelled, _ in rows), default=0)
        others = sum(not option.positional for option in self._declared.values()) - len(rows)
        lines = [f"  {spelled:<{width}}  {origin}" for spelled, origin in rows]
        return ["Options:", *lines, f"  The other {others} have their built-in defaults."]

    def _is_decided(self, option: Option) -> bool:
        """Whether the command line or a variable gives it, or one that it excludes."""
        if option.name in self._given or self._from_variable(option):
            return True
        given = [other for other in self._declared.values() if other.name in self._given]
        return any(
            other.name in option.conflicts or (other.excludes or None) == option.excludes
            for other in given
        )

    def _changed(self) -> Iterable[Option]:
        for option in self._declared.values():
            is_given = hasattr(self._options, option.name) or self._from_variable(option)
            if is_given and not option.positional:
                yield option

    @staticmethod
    def _from_variable(option: Option) -> bool:
        return bool(option.variable and os.environ.get(option.variable))

    def _origin(self, option: Option) -> str:
        if option.name in self._given:
            return "command line"
        if option.name in self._applied:
            setting = self._applied[option.name]
            return f"{setting.file} ({setting.key})"
        return option.variable

    def _spelled(self, option: Option) -> str:
        if not hasattr(self._options, option.name):
            return f"{option.spelling} {os.environ[option.variable]}"
        value = getattr(self._options, option.name)
        return option.spelling if value is True else f"{option.spelling} {_words(value)}"


def _check(option: Option, setting: Setting) -> None:
    try:
        option.settle(setting.value)
    except UsageError as error:
        raise UsageError(f"{setting.file}: {setting.key}: {error}") from None


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={one}" for key, one in value.items())
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
