"""Read the defaults of a project: ``turnkey.toml`` and ``[tool.turnkey]`` of ``pyproject.toml``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ForwardRef, get_args, get_origin

from turnkeyml.errors import UsageError
from turnkeyml.options import COMMANDS, Option, options_of

FILE = "turnkey.toml"
PYPROJECT = "pyproject.toml"
ROOTS = (".git", ".hg")
"""What the root of a repository contains."""


@dataclass(frozen=True)
class Setting:
    """The default of an option in a file of a project."""

    value: Any
    file: Path
    key: str
    """Where it stands in the file, such as ``race.threads``."""


def find_settings(command: str, folder: Path) -> dict[str, Setting]:
    """The defaults of a command's options for whoever works in a folder, by their names.

    A UsageError with the file and the key if a file has a key that no command knows, or a value of
    the wrong type, also where it is for another command. Those of ``turnkey.toml`` come before
    those of ``pyproject.toml``, and those of one command before those of all.
    """
    found: dict[str, Setting] = {}
    mine = options_of(*COMMANDS[command])
    for file, table in _tables(folder):
        entries = sorted(_entries(table, file), key=lambda entry: -len(entry.prefix))
        for entry in entries:
            option = mine.get(entry.name)
            applies = command.split()[: len(entry.prefix)] == list(entry.prefix)
            if applies and option is not None and fits(option, entry.value):
                value = placed(option, entry.value, file.parent)
                found.setdefault(entry.name, Setting(value, file, entry.key))
    return found


def _tables(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The nearest file of each kind, the more important first, with its options."""
    folders = list(_upwards(folder))
    own = next((f / FILE for f in folders if (f / FILE).is_file()), None)
    if own is not None:
        yield own, _read(own, own.read_bytes())
    for file in (f / PYPROJECT for f in folders):
        try:
            text = file.read_bytes()
        except OSError:
            continue
        if b"turnkey" not in text:  # most have nothing for us, and parsing takes time
            continue
        table = _read(file, text).get("tool", {}).get("turnkey")
        if isinstance(table, dict):
            yield file, table
            return


def _upwards(folder: Path) -> Iterable[Path]:
    """The folder and those above it, up to the root of its repository.

    Outside of a repository it is the folder alone: what lies above may belong to somebody else, and
    a setting such as a sequence file can run code.
    """
    folders = [folder, *folder.parents]
    for number, one in enumerate(folders, start=1):
        if any((one / root).exists() for root in ROOTS):
            return folders[:number]
    return folders[:1]


def _read(file: Path, content: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text.") from None
    except RecursionError:
        raise UsageError(f"{file} is not valid TOML: it is nested too deeply.") from None
    except ValueError as error:  # also what Python says of a number with thousands of digits
        raise UsageError(f"{file} is not valid TOML: {str(error).partition(';')[0]}.") from None


@dataclass(frozen=True)
class _Entry:
    prefix: tuple[str, ...]
    """The words with which the commands begin that it is for."""
    name: str
    key: str
    value: Any


def _entries(
    table: Mapping[str, Any], file: Path, prefix: tuple[str, ...] = ()
) -> Iterator[_Entry]:
    """The checked options in a table and in the tables of commands below it."""
    commands = [c.split() for c in COMMANDS if c.split()[: len(prefix)] == list(prefix)]
    options = _options_of(commands)
    words = {words[len(prefix)] for words in commands if len(words) > len(prefix)}
    for key, value in table.items():
        path = ".".join((*prefix, key))
        name = key.replace("-", "_")
        if name in options:
            _check(options[name], value, file, path)
            yield _Entry(prefix, name, path, value)
        elif key in words and isinstance(value, dict):
            yield from _entries(value, file, (*prefix, key))
        else:
            raise UsageError(f"{file}: unknown key {path!r}{_hint(key, {*options, *words})}")


def _check(options: list[Option], value: Any, file: Path, key: str) -> None:
    """Raise a UsageError for a value that no command takes for its option of this name."""
    if not any(option.in_file for option in options):
        spelling = options[0].spelling
        raise UsageError(f"{file}: {key!r} has no default; give {spelling} on the command line.")
    if not any(fits(option, value) for option in options):
        known = [kind for option in options for kind in expected(option).split(" or ")]
        kinds = " or ".join(dict.fromkeys(known))
        raise UsageError(f"{file}: {key!r} must be {kinds}, not {value!r}.")


def _options_of(commands: Iterable[list[str]]) -> dict[str, list[Option]]:
    """The options of several commands that are not positional, by name."""
    found: dict[str, list[Option]] = {}
    for words in commands:
        for name, option in options_of(*COMMANDS[" ".join(words)]).items():
            if not option.positional:
                found.setdefault(name, []).append(option)
    return found


def _hint(key: str, known: Iterable[str]) -> str:
    import difflib

    spelled = [name.replace("_", "-") for name in known]
    close = difflib.get_close_matches(key.replace("_", "-"), spelled, 1)
    return f"; did you mean {close[0]!r}?" if close else "."


def fits(option: Option, value: Any) -> bool:
    """Whether a value has a type that the option takes."""
    kinds = _kinds(option)
    if isinstance(value, bool) or bool in kinds:
        return isinstance(value, bool) and bool in kinds
    if isinstance(value, int):
        return int in kinds or float in kinds
    if isinstance(value, list):
        return Iterable in kinds and all(isinstance(one, str) for one in value)
    if isinstance(value, dict):
        return Mapping in kinds
    return type(value) in kinds


def expected(option: Option) -> str:
    """What the option takes, in words."""
    words = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        Iterable: "a list of texts",
        Mapping: "a table",
    }
    found = [text for kind, text in words.items() if kind in _kinds(option)]
    return " or ".join(found)


def placed(option: Option, value: Any, folder: Path) -> Any:
    """The value with paths relative to the folder of its file, not to the working folder."""
    kinds = _kinds(option)
    if os.PathLike not in kinds or Mapping in kinds:
        return value
    if isinstance(value, list):
        return [_path(one, folder) for one in value]
    return _path(value, folder)


def _path(value: Any, folder: Path) -> Any:
    return str(folder / os.path.expanduser(value)) if isinstance(value, str) else value


def _kinds(option: Option) -> set[Any]:
    """The types of an option without their parameters; a text for one that is not evaluated."""
    kinds = get_args(option.type) or (option.type,)
    return {
        str if isinstance(kind, (str, ForwardRef)) else get_origin(kind) or kind for kind in kinds
    }


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
                _check_values(option, setting)
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


def _check_values(option: Option, setting: Setting) -> None:
    try:
        option.settle(setting.value)
    except UsageError as error:
        raise UsageError(f"{setting.file}: {setting.key}: {error}") from None


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={one}" for key, one in value.items())
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
