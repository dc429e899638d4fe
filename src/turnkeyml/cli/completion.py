"""``turnkey completion``, and the answers to a shell that asks for completions."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from typing import Any

from turnkeyml.cli.parser import COMMANDS, WITHOUT_OPTIONS
from turnkeyml.display import write_document
from turnkeyml.options import COMMANDS as DECLARED
from turnkeyml.options import CompletionOptions, Option, options_of, settle

PROGRAMS = ("turnkey", "benchit")


def run(options: argparse.Namespace) -> int:
    """Print the script that makes a shell complete our command lines."""
    import argcomplete

    shell = settle(CompletionOptions, {"shell": options.shell})["shell"]
    write_document(argcomplete.shellcode(PROGRAMS, shell=shell).strip())
    return 0


Completer = Callable[..., Iterable[str]]


def complete() -> None:
    """Write the words that can follow to the shell, and exit.

    A parser of one command is enough: the words of the command itself are skipped.
    """
    import argcomplete
    from argcomplete.lexers import split_line

    line, point = os.environ["COMP_LINE"], int(os.environ["COMP_POINT"])
    words = split_line(line, point)[3][1:]
    command, length = _command(words)
    os.environ["_ARGCOMPLETE"] = str(int(os.environ["_ARGCOMPLETE"]) + length)
    finder = argcomplete.CompletionFinder()
    finder(
        _parser(command, words),
        always_complete_options=False,
        default_completer=argcomplete.SuppressCompleter(),
    )


def _command(words: list[str]) -> tuple[str, int]:
    """The command that words begin with and how many of them it is; a file is benchmarked."""
    known = COMMANDS.get(words[0]) if words else None
    if known is None:
        return "benchmark", 0
    if isinstance(known, dict) and words[1:2] and words[1] in known:
        return f"{words[0]} {words[1]}", 2
    return words[0], 1


def _parser(command: str, words: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    if command in WITHOUT_OPTIONS:
        return parser
    if command not in DECLARED:  # one of several commands is still to be chosen
        actions = COMMANDS[command]
        _complete(parser.add_argument("action"), lambda **_: filter(None, actions))
        return parser
    for option in options_of(*DECLARED[command]).values():
        _add(parser, option, COMMANDS if not words and option.positional else ())
    return parser


def _add(parser: argparse.ArgumentParser, option: Option, more: Iterable[str]) -> None:
    about = option.help if isinstance(option.help, str) else option.name.replace("_", " ")
    settings: dict[str, Any] = {"help": about.replace("%", "%%"), "default": argparse.SUPPRESS}
    if option.positional:
        action = parser.add_argument(option.name, nargs=option.nargs, **settings)
    else:
        names = [option.short, option.spelling] if option.short else [option.spelling]
        kind = {"action": "store_true"} if option.type is bool else {"nargs": option.nargs}
        action = parser.add_argument(*names, **settings, **kind)  # type: ignore[arg-type]
    if option.type is not bool:
        _complete(action, _completer(option, more))


def _complete(action: argparse.Action, completer: Completer) -> None:
    action.completer = completer  # type: ignore[attr-defined]


def _completer(option: Option, more: Iterable[str]) -> Completer:
    """The values that an option can have, and more words that can stand in its place."""

    def suggest(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        found = list(more)
        if option.choices is not None:
            found += option.choices()
        if option.suggest is not None:
            found += option.suggest(prefix, vars(parsed_args))
        return found

    return suggest
