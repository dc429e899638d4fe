"""An option as it is declared: once, for the command line and for the API."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from turnkeyml.errors import UsageError

__all__ = ["Option", "excluding", "options_of", "settle"]

Text = str | Callable[[], str]
"""Words, or a function that makes them when they are needed."""


@dataclass(frozen=True)
class Option:
    """What an option means and which values it takes.

    It is part of the type of a field: ``threads: Annotated[int | None, Option(help=…)]``. The name
    and the type of the field are those of the option.
    """

    help: Text
    """What it does. ``{choices}`` stands for the choices; they follow at the end without it."""
    default: Any = None
    """The value, or a function that finds it."""
    default_in_words: Text = ""
    """For people, where the value says nothing; '-' where there is nothing to say."""
    choices: Callable[[], Iterable[str]] | None = None
    check: Callable[[Any], Any] | None = None
    """Gets the value and returns it as it is used; a UsageError refuses it."""
    noun: str = ""
    """What a choice is called in a sentence, if not by the name of the option."""
    excludes: str = ""
    """Of the options with the same word here only one may be given."""

    group: str = ""
    """The heading in ``--help``; this and the rest concern the command line alone."""
    short: str = ""
    metavar: str | None = None
    nargs: str | None = None
    extends: bool = False
    """Whether giving it again adds to what was given before."""
    positional: bool = False

    name: str = ""
    type: Any = None

    @property
    def spelling(self) -> str:
        """As it is written on the command line."""
        return self.metavar or self.name if self.positional else f"--{self.name.replace('_', '-')}"

    def default_value(self) -> Any:
        return self.default() if callable(self.default) else self.default

    def meaning(self) -> str:
        """What it does, with the choices that there are."""
        text = _text(self.help)
        if self.choices is None:
            return text
        choices = _listed(list(self.choices()))
        placed = text.replace("{choices}", choices)
        return placed if placed != text else f"{text}: {choices}"

    def default_words(self) -> str:
        """The default for people; empty where there is nothing to say."""
        words = _text(self.default_in_words)
        if words:
            return "" if words == "-" else words
        value = self.default_value()
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, tuple):
            return " ".join(value) or "none"
        return "none" if value is None else str(value)

    def settle(self, value: Any) -> Any:
        """The value as it is used; a UsageError where it makes no sense."""
        value = self.check(value) if self.check else value
        chosen = (value,) if isinstance(value, str) else value
        if self.choices is not None and isinstance(chosen, tuple):
            known = list(self.choices())
            unknown = ", ".join(word for word in chosen if word not in known)
            if unknown:
                noun = self.noun or self.name.replace("_", " ")
                raise UsageError(f"Unknown {noun} {unknown!r}; there are: {', '.join(known)}.")
        return value


def options_of(*declarations: type) -> dict[str, Option]:
    """The options that some typed dicts declare, by name and in order."""
    found: dict[str, Option] = {}
    for declaration in declarations:
        for name, hint in declaration.__annotations__.items():
            (option,) = (part for part in hint.__metadata__ if isinstance(part, Option))
            found[name] = dataclasses.replace(option, name=name, type=hint.__origin__)
    return found


def settle(declaration: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for every option: what was given or the default, checked."""
    options = options_of(declaration)
    values = {
        name: option.settle(given[name] if name in given else option.default_value())
        for name, option in options.items()
    }
    chosen: dict[str, Option] = {}
    for option in options.values():
        value = values[option.name]
        unset = value is None or value is False or value == () or value == option.default_value()
        if unset or not option.excludes:
            continue
        if option.excludes in chosen:
            raise UsageError(excluding(option.spelling, chosen[option.excludes].spelling))
        chosen[option.excludes] = option
    return values


def excluding(one: str, other: str) -> str:
    """What is said where two options exclude each other."""
    return f"{one} is not allowed with {other}; choose one."


def _text(words: Text) -> str:
    return words() if callable(words) else words


def _listed(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
