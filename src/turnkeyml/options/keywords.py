"""Functions that take the options of a declaration as keyword arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from turnkeyml.errors import TurnkeyError
from turnkeyml.options.option import options_of, settle
from turnkeyml.options.spelling import in_keywords

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
