"""Parse the command line. Only the command that is run gets its options, to start quickly."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from importlib import import_module

from turnkeyml import __version__
from turnkeyml.display import write_document
from turnkeyml.errors import UsageError

TYPE_CHECKING = False  # importing typing would cost time
if TYPE_CHECKING:
    from turnkeyml.options import Option

COMMANDS: dict[str, str | dict[str, str]] = {
    "benchmark": "find, build and measure the models in files (the default command)",
    "race": "measure the models in files with several runtimes in turns: which is fastest?",
    "tune": "find the fastest configuration of a model whose outputs are still right",
    "explain": "say why a model is as slow as it is: operators, peaks of the machine, findings",
    "compare": "compare two sets of measurements: what is faster or slower?",
    "cache": {
        "": "list, inspect, measure again or delete the builds in a cache",
        "list": "print the names of the builds",
        "stats": "print the state and the stats of builds",
        "print": "same as stats",
        "delete": "delete builds",
        "clean": "delete the artifacts of builds; keep logs, state and stats",
        "benchmark": "measure existing builds again, without their scripts",
        "report": "write a report with one row per evaluation, named YYYY-MM-DD",
        "serve": "show the report in a browser, and follow the cache while a corpus runs",
        "location": "print the path of the cache",
    },
    "models": {
        "": "find the models that come with turnkey",
        "location": "print the path of their folder",
        "list": "list them with their labels",
    },
    "plugins": "list the installed plugins: what they add, and problems",
    "system-info": "describe this machine, what can be used on it, and how quiet it is",
    "completion": "print the script with which a shell completes command lines",
    "version": "print the version",
}
"""What each command does; the module of ``cache list`` is ``cache_list`` in this package."""
WITHOUT_OPTIONS = ("version",)
"""Commands that start faster because they do not import the option declarations."""


def run(options: argparse.Namespace) -> int:
    """The exit status of the parsed command, after running it."""
    name = options.command.replace(" ", "_").replace("-", "_")
    return int(import_module(f"turnkeyml.cli.{name}").run(options))


def parse(words: list[str], program: str = "turnkey") -> argparse.Namespace:
    """The given options and the ``command``; a UsageError if they make no sense.

    ``FILE`` is short for ``benchmark FILE``.
    """
    words = _join_modules(words)
    if words and words[0] not in ("-h", "--help", "--version", *COMMANDS):
        if not words[0].startswith("-") and not _names_input(words[0]):
            raise UsageError(_unknown(words[0]))
        words = ["benchmark", *words]
    words = _in_order(words)
    options, unknown = _parser(program, words).parse_known_args(words)
    command = getattr(options, "command", None)
    if unknown:
        which = f"{program} {command}" if command else program
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}. See '{which} --help'.")
    if command is None:
        raise UsageError(f"no file or command given; see '{program} --help'.")
    if command not in WITHOUT_OPTIONS:
        _require_positionals(options, program)
    return options


def _require_positionals(options: argparse.Namespace, program: str) -> None:
    """Refuse a command without its files, builds or sides.

    Options that take several words may have taken a name that could be one of their values.
    """
    from turnkeyml.cli.arguments import missing_positionals

    missing = " and ".join(missing_positionals(options))
    if missing:
        raise UsageError(
            f"no {missing} given; name {missing} before the options. "
            f"See '{program} {options.command} --help'."
        )


def _parser(program: str, words: list[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=program,
        description="Benchmark any model on any runtime, and verify what it computes.",
        epilog=f"'{program} FILE' is short for '{program} benchmark FILE'. "
        f"Run '{program} COMMAND --help' for the\noptions of a command. "
        "Exit status: 0 if everything succeeded, 1 if something failed,\n"
        "2 after a usage error, 130 if interrupted.",
    )
    parser.add_argument(
        "--version", action="version", version=__version__, help="print the version"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for name, known in _commands(program).items():
        about = known if isinstance(known, str) else known[""]
        command = commands.add_parser(name, help=about)
        if words[:1] != [name]:
            continue
        if isinstance(known, str):
            _complete(command, name)
        else:
            _add_actions(command, name, known, words[1:2])
        if (program, name) == ("benchit", "benchmark"):
            from turnkeyml.cli.benchit import add_older_options

            add_older_options(command)
    return parser


def _commands(program: str) -> dict[str, str | dict[str, str]]:
    """What help lists."""
    if program != "benchit":
        return COMMANDS
    from turnkeyml.cli.benchit import OLDER_COMMANDS

    return COMMANDS | OLDER_COMMANDS


def _add_actions(
    parser: argparse.ArgumentParser, command: str, known: dict[str, str], chosen: list[str]
) -> None:
    """Add the subcommands of ``cache`` or ``models``."""
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


class _Help(argparse.RawDescriptionHelpFormatter):
    """Wraps lines between words, and never inside of a name such as torch-compiled."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        option = getattr(action, "option", None)
        if option is None:
            return action.help
        from turnkeyml.cli.arguments import help_of

        return help_of(option)


def _formatter(prog: str) -> argparse.HelpFormatter:
    """A help formatter that fits the terminal, without the imports that argparse needs for it."""
    try:
        width = os.get_terminal_size().columns - 2
    except OSError:
        width = 98
    return _Help(prog, width=width)


class _Parser(argparse.ArgumentParser):
    """Raises usage errors, and takes no abbreviated options: a new option could change them."""

    def __init__(self, **settings: object) -> None:
        super().__init__(
            allow_abbrev=False,
            formatter_class=_formatter,
            **settings,  # type: ignore[arg-type]
        )

    def _print_message(self, message: str, file: object = None) -> None:
        """Print help or the version; argparse itself would ignore that it cannot be printed."""
        write_document(message)

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}. See '{self.prog} --help'.")


def _join_modules(words: list[str]) -> list[str]:
    """Make one input of ``-m`` and the name of the module after it."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "-m":
            joined[-1] = f"-m {word}"
        else:
            joined.append(word)
    if joined and joined[-1] == "-m":
        raise UsageError("-m needs the name of a module, such as -m package.module.")
    return joined


def _in_order(words: list[str]) -> list[str]:
    """The words with the files, builds or sides of their command in front of its options."""
    known = COMMANDS.get(words[0]) if words else None
    length = 2 if isinstance(known, dict) else 1
    command = " ".join(words[:length])
    if known is None or command in WITHOUT_OPTIONS:
        return words
    from turnkeyml.options import COMMANDS as DECLARED
    from turnkeyml.options import options_of

    if command not in DECLARED:
        return words

    options = options_of(*DECLARED[command]).values()
    return [*words[:length], *positionals_first(words[length:], options)]


def _looks_like_input(word: str) -> bool:
    from turnkeyml.nouns import split_hashes

    path, _ = split_hashes(word)
    return "." in path or "/" in path or "*" in path


def _names_input(word: str) -> bool:
    if _looks_like_input(word):
        return True
    from turnkeyml.discover import shipped_corpora

    return word in shipped_corpora()


def _unknown(word: str) -> str:
    """The message for a first word that is neither a command nor an input."""
    import difflib

    from turnkeyml.discover import did_you_mean

    close = difflib.get_close_matches(word, COMMANDS, 1)
    hint = f" Did you mean '{close[0]}'?" if close else did_you_mean(word)
    return f"'{word}' is not a command, a .py, .onnx or .txt file, or a corpus.{hint}"


def positionals_first(words: list[str], options: Iterable[Option]) -> list[str]:
    """The words after a command, with those that belong to no option in front.

    An option that takes several values ends before a word that can only be positional, such as
    ``x.py``. What follows ``--`` is positional as it is.
    """
    declared = list(options)
    if not any(option.positional for option in declared):
        return words
    words, after = _split(words)
    known = {s: o for o in declared if not o.positional for s in (o.spelling, o.short) if s}
    positional, rest = [], []
    while words:
        word = words.pop(0)
        if not _is_option(word):
            positional.append(word)
            continue
        rest.append(word)
        takes = _values(word, known.get(word), words, declared)
        rest += words[:takes]
        del words[:takes]
    return [*positional, *after, *rest]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """The words before ``--``, and those after it, which may begin with a hyphen."""
    if "--" not in words:
        return list(words), []
    place = words.index("--")
    after = [f"./{word}" if word.startswith("-") else word for word in words[place + 1 :]]
    return words[:place], after


def _values(word: str, option: Option | None, words: list[str], declared: list[Option]) -> int:
    """How many of the words that follow an option are its values."""
    if "=" in word or (option is not None and option.type is bool):
        return 0
    if option is not None and not option.nargs:
        return int(bool(words) and not _is_option(words[0]))
    recognise = [o.recognise for o in declared if o.positional and o.recognise]
    taken = 0
    for following in words:
        if _is_option(following) or any(is_one(following) for is_one in recognise):
            break
        taken += 1
    return taken


def _is_option(word: str) -> bool:
    """Whether argparse takes a word for an option, and not for a value or a negative number."""
    return len(word) > 1 and word[0] == "-" and " " not in word and not _NEGATIVE.match(word)


_NEGATIVE = re.compile(r"-\d+$|-\d*\.\d+$")
