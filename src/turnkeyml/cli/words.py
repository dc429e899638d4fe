"""The words of the command line. Parsing imports nothing but argparse."""

from __future__ import annotations

import argparse
import os

from turnkeyml import __version__
from turnkeyml.cli.options import (
    CACHE_DIR_HELP,
    add_benchmark_options,
    add_json,
    add_measuring,
    add_race_options,
)
from turnkeyml.errors import UsageError
from turnkeyml.report import formats

__all__ = ["parse"]

COMMANDS = ("benchmark", "race", "compare", "cache", "models", "version")


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
        raise UsageError(f"{message}. See '{self.prog} --help'.")


def parse(words: list[str], program: str = "turnkey") -> argparse.Namespace:
    """What the words ask for; ``run`` of the result does it. ``FILE`` means ``benchmark FILE``."""
    if words and words[0] not in ("-h", "--help", "--version", *COMMANDS):
        if not words[0].startswith("-") and not _names_input(words[0]):
            raise UsageError(_unknown(words[0]))
        words = ["benchmark", *words]
    try:
        options = _parser(program).parse_args(_files_before_labels(words))
    except UsageError as error:
        if "required: FILE" in str(error) and any(map(_looks_like_input, words)):
            raise UsageError("name the files first, then the options.") from None
        if "required: A" in str(error):
            raise UsageError("name A and B, what is to be compared, before the options.") from None
        raise
    if getattr(options, "run", None) is None:
        raise UsageError(f"what is to be done? Name a file or a command. See '{program} --help'.")
    return options


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


def _parser(program: str) -> argparse.ArgumentParser:
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
    action = commands.add_parser(
        "benchmark", help="find, build and measure the models in files (the default command)"
    )
    add_benchmark_options(action)
    action.set_defaults(run=_benchmark)
    action = commands.add_parser(
        "race", help="which runtime runs the models in files fastest, measured in turns"
    )
    add_race_options(action)
    action.set_defaults(run=_race)
    _add_compare(commands)
    _add_cache(commands)
    _add_models(commands)
    commands.add_parser("version", help="print the version").set_defaults(run=_version)
    return parser


def _add_compare(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser(
        "compare", help="what became faster or slower between two sets of measurements"
    )
    for name, metavar in (("a", "A"), ("b", "B")):
        parser.add_argument(
            name,
            metavar=metavar,
            help=f"{'before' if name == 'a' else 'after'}: a cache directory, build folders "
            "(quoted wildcards work), a report of 'cache report', an evaluation.json or the "
            "output of --json",
        )
    parser.add_argument(
        "--fail-on",
        nargs="+",
        action="extend",
        default=[],
        metavar="CONDITION",
        help="exit with 1 if a model is slower by P%% or more (slower:P%%), if one that was "
        "successful has failed (failed), or if one is missing in B (vanished) (default: never)",
    )
    parser.add_argument(
        "--format",
        choices=formats.names(),
        default="text",
        metavar="FORMAT",
        help=f"one of {', '.join(formats.names())} (default: text)",
    )
    add_json(parser)
    parser.set_defaults(run=_compare)


def _add_cache(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("cache", help="look at the builds in a cache, and tidy it")
    actions = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name, words in (
        ("list", "print the names of the builds"),
        ("stats", "print the state and the stats of builds"),
        ("print", "the same as stats"),
        ("delete", "delete builds for good"),
        ("clean", "delete the artifacts of builds; logs, state and stats stay"),
        ("benchmark", "measure finished builds again, without their scripts"),
        ("report", "write a table of everything in the cache as YYYY-MM-DD.csv"),
        ("location", "print where the cache is"),
    ):
        action = actions.add_parser(name, help=words)
        action.set_defaults(run=_cache, action=name)
        several = {"nargs": "+", "action": "extend"} if name == "report" else {}
        action.add_argument("-d", "--cache-dir", help=CACHE_DIR_HELP, **several)  # type: ignore[arg-type]
        if name in ("stats", "print", "delete", "clean", "benchmark"):
            _add_builds(action, name)
        add_json(action)
        if name == "report":
            action.add_argument(
                "-r",
                "--report-dir",
                default=".",
                help="where the file goes (default: the working folder)",
            )


def _add_builds(action: argparse.ArgumentParser, name: str) -> None:
    some = "+" if name in ("stats", "print") else "*"
    action.add_argument("build_names", nargs=some, metavar="BUILD", help="names; wildcards work")
    if some == "*":
        action.add_argument("--all", action="store_true", help="every build in the cache")
    if name in ("delete", "clean"):
        action.add_argument("--yes", action="store_true", help="do not ask before --all")
    if name == "benchmark":
        add_measuring(action, "(default: ort)")
        action.add_argument(
            "--skip",
            default="none",
            metavar="WHICH",
            help="builds not to measure with a runtime: those it was attempted on, failed on or "
            "was successful on (attempted, failed, successful or none; default: none)",
        )


def _add_models(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("models", help="the models that come with turnkey")
    actions = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )
    action = actions.add_parser("location", help="print where they are")
    action.add_argument("--quiet", action="store_true", help="print the path alone")
    action.set_defaults(run=_models_location)
    action = actions.add_parser("list", help="list them with their labels")
    action.add_argument(
        "names",
        nargs="*",
        metavar="MODEL",
        help="corpora (timm), models (timm/resnet50) or wildcards ('timm/resnet*') (default: all)",
    )
    action.add_argument(
        "--labels",
        nargs="+",
        action="extend",
        default=[],
        metavar="LABEL",
        help="only those with these labels: key::value, or key::a,b for either value "
        "(default: all)",
    )
    action.add_argument("--quiet", action="store_true", help="print the names alone")
    add_json(action)
    action.set_defaults(run=_models_list)


def _version(options: argparse.Namespace) -> int:
    print(__version__)
    return 0


def _models_location(options: argparse.Namespace) -> int:
    from turnkeyml.filesystem import MODELS_DIR

    print(MODELS_DIR if options.quiet else f"The models directory is: {MODELS_DIR}")
    return 0


def _models_list(options: argparse.Namespace) -> int:
    from turnkeyml.cli.models import run

    return run(options)


def _benchmark(options: argparse.Namespace) -> int:
    from turnkeyml.cli.benchmark import run

    return run(options)


def _race(options: argparse.Namespace) -> int:
    from turnkeyml.cli.benchmark import race

    return race(options)


def _compare(options: argparse.Namespace) -> int:
    from turnkeyml.cli.compare import run

    return run(options)


def _cache(options: argparse.Namespace) -> int:
    from turnkeyml.cli.cache import run

    return run(options)
