"""The declaration of an option: the command line and keywords of the API are made from it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from turnkeyml.errors import TurnkeyError, UsageError

F = TypeVar("F", bound=Callable[..., Any])


def takes(declaration: type, *, only_python: bool = False) -> Callable[[F], F]:
    """A decorator that checks the ``**options`` of a function and fills in the defaults.

    The function gets a value for every option. Its signature lists them with types and defaults.
    ``only_python`` is for functions without a command: their errors name keyword arguments.
    """

    def decorate(function: F) -> F:
        own = [p for p in _parameters(function) if p.kind is not p.VAR_KEYWORD]
        mine = {parameter.name for parameter in own}
        options = options_of(declaration)

        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for name in given:
                if name not in mine and name not in options:
                    raise TypeError(_unexpected(function, name, [*mine, *options]))
            chosen = {name: value for name, value in given.items() if name in options}
            rest = {name: value for name, value in given.items() if name in mine}
            try:
                return function(*args, **rest, **settle(declaration, chosen))
            except TurnkeyError as error:
                if only_python:
                    error.args = (in_keywords(str(error), declaration), *error.args[1:])
                raise

        keywords = [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.default_value(),
                annotation=option.type,
            )
            for option in options.values()
        ]
        in_order = sorted([*own, *keywords], key=lambda p: p.kind is p.KEYWORD_ONLY)
        returns = inspect.signature(function).return_annotation
        signature = inspect.Signature(in_order, return_annotation=returns)
        call.__signature__ = signature  # type: ignore[attr-defined]
        return cast("F", call)

    return decorate


def _parameters(function: Callable[..., Any]) -> Iterable[inspect.Parameter]:
    return inspect.signature(function).parameters.values()


def _unexpected(function: Callable[..., Any], name: str, known: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, list(known), 1)
    hint = f". Did you mean {close[0]!r}?" if close else ""
    return f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}"


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


Text = str | Callable[[], str]
"""A text, or a function that makes it when it is needed."""


@dataclass(frozen=True)
class Option:
    """What an option does and which values it takes.

    It annotates a field of a TypedDict: ``threads: Annotated[int | None, Option(help=…)]``. The
    option has the name and the type of the field.
    """

    help: Text
    """What it does. ``{choices}`` is replaced by the choices; without it they are appended."""
    default: Any = None
    """The value, or a function that returns it."""
    default_in_words: Text = ""
    """The default as ``--help`` shows it, if not as the value; '-' to show none."""
    choices: Callable[[], Iterable[str]] | None = None
    check: Callable[[Any], Any] | None = None
    """Converts a value, or raises a UsageError."""
    noun: str = ""
    """What a choice is called in an error message, if not by the name of the option."""
    excludes: str = ""
    """The name of a set of options of which only one may be given."""

    conflicts: tuple[str, ...] = ()
    """The names of other options that cannot be given with it."""

    group: str = ""
    """The heading in ``--help``. This and the fields below apply to the command line only."""
    short: str = ""
    metavar: str | None = None
    nargs: str | None = None
    extends: bool = False
    """Whether values add up if the option is given several times."""
    variable: str = ""
    """The environment variable that gives the default."""
    in_file: bool = True
    """Whether turnkey.toml may give the default."""
    positional: bool = False
    recognise: Callable[[str], bool] | None = None
    """Whether a word can only be a value of this positional argument, so that an option before it
    which takes several values ends there."""

    suggest: Callable[[str, Mapping[str, Any]], Iterable[str]] | None = None
    """Values that a shell offers besides the choices, from what is typed of the value and the
    options before it; those that do not begin with it are left out."""

    name: str = ""
    type: Any = None

    @property
    def spelling(self) -> str:
        """The option as it is written on the command line."""
        return self.metavar or self.name if self.positional else f"--{self.name.replace('_', '-')}"

    @property
    def is_required(self) -> bool:
        """Whether the command line must give it."""
        return self.positional and self.nargs != "*"

    def default_value(self) -> Any:
        """The default, computed if it is a function."""
        return self.default() if callable(self.default) else self.default

    def meaning(self) -> str:
        """The help text with the choices."""
        text = _text(self.help)
        if self.choices is None:
            return text
        choices = _alternatives(list(self.choices()))
        placed = text.replace("{choices}", choices)
        return placed if placed != text else f"{text}: {choices}"

    def default_words(self) -> str:
        """The default as ``--help`` shows it; empty to show none."""
        text = _text(self.default_in_words)
        if text:
            return "" if text == "-" else text
        value = self.default_value()
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, tuple):
            return " ".join(value) or "none"
        return "none" if value is None else str(value)

    def settle(self, value: Any) -> Any:
        """The checked and converted value; a UsageError if it is invalid."""
        value = self.check(value) if self.check else value
        chosen = (value,) if isinstance(value, str) else value
        if self.choices is not None and isinstance(chosen, tuple):
            known = list(self.choices())
            unknown = ", ".join(word for word in chosen if word not in known)
            if unknown:
                noun = self.noun or self.name.replace("_", " ")
                raise UsageError(f"Unknown {noun} {unknown!r}; choose from: {', '.join(known)}.")
        return value


def options_of(*declarations: type) -> dict[str, Option]:
    """The options that TypedDicts declare, by name, in order."""
    found: dict[str, Option] = {}
    for declaration in declarations:
        for name, hint in declaration.__annotations__.items():
            (option,) = (part for part in hint.__metadata__ if isinstance(part, Option))
            found[name] = dataclasses.replace(option, name=name, type=hint.__origin__)
    return found


def settle(declaration: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """A checked value for every option: the given one or the default."""
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
            other = chosen[option.excludes]
            raise UsageError(f"{option.spelling} is not allowed with {other.spelling}; choose one.")
        chosen[option.excludes] = option
    return values


def _text(text: Text) -> str:
    return text() if callable(text) else text


def _alternatives(names: list[str]) -> str:
    """``a, b or c``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
