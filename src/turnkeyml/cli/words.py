"""The words of the command line. Only the command at hand gets its options."""

from __future__ import annotations

import argparse
import os
from importlib import import_module

from turnkeyml import __version__
from turnkeyml.errors import UsageError

__all__ = ["COMMANDS", "parse", "run"]

COMMANDS: dict[str, str | dict[str, str]] = {
    "benchmark": "find, build and measure the models in files (the default command)",
    "race": "which runtime runs the models in files fastest, measured in turns",
    "compare": "what became faster or slower between two sets of measurements",
    "cache": {
        "": "look at the builds in a cache, and tidy it",
        "list": "print the names of the builds",
        "stats": "print the state and the stats of builds",
        "print": "the same as stats",
        "delete": "delete builds for good",
        "clean": "delete the artifacts of builds; logs, state and stats stay",
        "benchmark": "measure finished builds again, without their scripts",
        "report": "write a table of everything in the cache, named after the day",
        "location": "print where the cache is",
    },
    "models": {
        "": "the models that come with turnkey",
        "location": "print where they are",
        "list": "list them with their labels",
    },
    "system-info": "this machine, and which runtimes can be used on it",
    "version": "print the version",
}
"""What each command does; the module of ``cache list`` is ``cache_list`` in this package."""
WITHOUT_OPTIONS = ("version",)
"""Commands that are so light that loading the declarations of options would show."""


def run(options: argparse.Namespace) -> int:
    """Do what was parsed; the exit status."""
    name = options.command.replace(" ", "_").replace("-", "_")
    return int(import_module(f"turnkeyml.cli.{name}").run(options))


def parse(words: list[str], program: str = "turnkey") -> argparse.Namespace:
    """The options that the words give, and the ``command``. ``FILE`` is ``benchmark FILE``."""
    if words and words[0] not in ("-h", "--help", "--version", *COMMANDS):
        if not words[0].startswith("-") and not _names_input(words[0]):
            raise UsageError(_unknown(words[0]))
        words = ["benchmark", *words]
    words = _files_before_labels(words)
    try:
        options = _parser(program, words).parse_args(words)
    except UsageError as error:
        if "required: FILE" in str(error) and any(map(_looks_like_input, words)):
            raise UsageError("name the files first, then the options.") from None
        if "required: A" in str(error):
            raise UsageError("name A and B, what is to be compared, before the options.") from None
        raise
    if getattr(options, "command", None) is None:
        raise UsageError(f"what is to be done? Name a file or a command. See '{program} --help'.")
    return options


def _parser(program: str, words: list[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=program,
        description="How fast is this model, really, on this hardware, with that runtime?",
        epilog=f"'{program} FILE' is short for '{program} benchmark FILE'. "
        f"'{program} COMMAND --help' explains a command.",
    )
    parser.add_argument(
        "--version", action="version", version=__version__, help="print the version"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for name, known in COMMANDS.items():
        about = known if isinstance(known, str) else known[""]
        command = commands.add_parser(name, help=about)
        if words[:1] != [name]:
            continue
        if isinstance(known, str):
            _complete(command, name)
        else:
            _add_actions(command, name, known, words[1:2])
    return parser


def _add_actions(
    parser: argparse.ArgumentParser, command: str, known: dict[str, str], chosen: list[str]
) -> None:
    """The second words of a command that has some."""
    actions = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name, about in known.items():
        if name:
            action = actions.add_parser(name, help=about)
            if chosen == [name]:
                _complete(action, f"{command} {name}")


def _complete(parser: argparse.ArgumentParser, command: str) -> None:
    parser.set_defaults(command=command)
    if command in WITHOUT_OPTIONS:
        return
    from turnkeyml.cli.arguments import add_options

    add_options(parser, command)


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Knows the width of the terminal without the modules that argparse asks for it."""
    try:
        width = os.get_terminal_size().columns - 2
    except OSError:
        width = 98
    return argparse.RawDescriptionHelpFormatter(prog, width=width)


class _Parser(argparse.ArgumentParser):
    """Options are never abbreviated, so that a new one cannot change the meaning of a script."""

    def __init__(self, **settings: object) -> None:
        super().__init__(
            allow_abbrev=False,
            formatter_class=_formatter,
            **settings,  # type: ignore[arg-type]
        )

    def error(self, message: str) -> None:  # type: ignore[override]
        one, separator, other = message.partition(": not allowed with argument ")
        if separator:
            from turnkeyml.options import excluding

            raise UsageError(excluding(one.removeprefix("argument "), other))
        raise UsageError(f"{message}. See '{self.prog} --help'.")


def _files_before_labels(words: list[str]) -> list[str]:
    """``--labels`` takes any number of words, but no file is a label: files may follow them."""
    kept: list[str] = []
    files: list[str] = []
    after_labels = False
    for word in words:
        if word.startswith("-"):
            after_labels = word == "--labels"
        is_file = after_labels and _looks_like_input(word.partition("::")[0])
        (files if is_file else kept).append(word)
    commands = 2 if words[:1] == ["models"] else 1
    return [*kept[:commands], *files, *kept[commands:]]


def _looks_like_input(word: str) -> bool:
    path = word.split("::", maxsplit=1)[0]
    return "." in path or "/" in path or "*" in path


def _names_input(word: str) -> bool:
    if _looks_like_input(word):
        return True
    from turnkeyml.discover.shipped import corpora

    return word in corpora()


def _unknown(word: str) -> str:
    import difflib

    from turnkeyml.discover.shipped import corpora

    close = difflib.get_close_matches(word, (*COMMANDS, *corpora()), 1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return f"'{word}' is neither a command, nor a .py, .onnx or .txt file, nor a corpus.{hint}"
