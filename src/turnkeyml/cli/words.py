"""The words of the command line. Parsing imports nothing but argparse."""

from __future__ import annotations

import argparse
import os

from turnkeyml import __version__
from turnkeyml.errors import UsageError

__all__ = ["parse"]

COMMANDS = ("benchmark", "cache", "models", "version")
CACHE_DIR_HELP = "where builds are kept (default: TURNKEY_CACHE_DIR, or ~/.cache/turnkey)"
RUNTIMES_HELP = "one or more of ort, torch-eager, torch-compiled (default: ort)"


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
        if not words[0].startswith("-") and not _looks_like_input(words[0]):
            raise UsageError(_unknown(words[0]))
        words = ["benchmark", *words]
    try:
        options = _parser(program).parse_args(words)
    except UsageError as error:
        if "required: FILE" in str(error) and any(map(_looks_like_input, words)):
            raise UsageError("name the files first, then the options.") from None
        raise
    if getattr(options, "run", None) is None:
        raise UsageError(f"what is to be done? Name a file or a command. See '{program} --help'.")
    return options


def _looks_like_input(word: str) -> bool:
    path = word.split("::", maxsplit=1)[0]
    return "." in path or "/" in path or "*" in path


def _unknown(word: str) -> str:
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, 1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return f"'{word}' is neither a command nor a .py, .onnx or .txt file.{hint}"


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
    _add_benchmark(commands)
    _add_cache(commands)
    _add_models(commands)
    commands.add_parser("version", help="print the version").set_defaults(run=_version)
    return parser


def _add_benchmark(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser(
        "benchmark", help="find, build and measure the models in files (the default command)"
    )
    parser.set_defaults(run=_benchmark)
    parser.add_argument(
        "input_files",
        nargs="+",
        metavar="FILE",
        help="scripts (.py), models (.onnx) or lists of them (.txt); wildcards are expanded; "
        "FILE.py::HASH,… restricts to some of the models in a script",
    )
    _add_what(parser.add_argument_group("what to do"))
    measure = parser.add_argument_group("how to measure")
    measure.add_argument("--device", default="x86", help="kind of hardware: x86 (default: x86)")
    _add_measuring(measure)
    measure.add_argument(
        "--rt-args",
        nargs="+",
        default=[],
        metavar="ARG",
        help="arguments for the runtime: key::value, key::[a,b] or flag (default: none)",
    )
    _add_how(parser.add_argument_group("how to build"))
    cache = parser.add_argument_group("the cache")
    cache.add_argument("-d", "--cache-dir", help=CACHE_DIR_HELP)
    cache.add_argument(
        "--lean-cache",
        action="store_true",
        help="keep only logs, state and stats (default: keep everything)",
    )
    _add_processes(parser.add_argument_group("processes"))


def _add_what(group: argparse._ArgumentGroup) -> None:
    only = group.add_mutually_exclusive_group()
    only.add_argument(
        "--analyze-only", action="store_true", help="list the models (default: build them too)"
    )
    only.add_argument("--build-only", action="store_true", help="build (default: measure too)")
    group.add_argument(
        "--labels",
        nargs="+",
        default=[],
        metavar="LABEL",
        help="only scripts with these labels: key::value, or key::a,b for either value "
        "(default: all)",
    )
    group.add_argument(
        "--max-depth",
        type=int,
        default=0,
        metavar="N",
        help="also list, build and measure sub-models down to this depth (default: 0)",
    )
    group.add_argument(
        "--script-args",
        metavar="ARGS",
        help="arguments for the scripts, quoted as in a shell (default: none)",
    )


def _add_measuring(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    group.add_argument("--runtime", nargs="+", metavar="RUNTIME", help=RUNTIMES_HELP)
    group.add_argument(
        "--iterations", type=int, default=100, metavar="N", help="timed runs (default: 100)"
    )


def _add_how(group: argparse._ArgumentGroup) -> None:
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--sequence",
        help="optimize-fp16, optimize-fp32 or onnx-fp32 "
        "(default: optimize-fp16; .onnx files are measured as they are)",
    )
    which.add_argument(
        "--sequence-file",
        metavar="FILE",
        help="a Python file whose get_sequence() returns the sequence (default: none)",
    )
    group.add_argument(
        "--onnx-opset",
        type=int,
        metavar="N",
        help="opset of exported ONNX files (default: TURNKEY_ONNX_OPSET, or 18)",
    )
    group.add_argument(
        "--rebuild",
        default="if_needed",
        metavar="POLICY",
        help="if_needed, always or never (default: if_needed)",
    )


def _add_processes(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--process-isolation",
        action="store_true",
        help="end an input that takes longer than the timeout (default: no limit)",
    )
    group.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        help="seconds an input may take (default: TURNKEY_TIMEOUT_SECONDS, or 3600)",
    )
    group.add_argument(
        "--use-slurm",
        action="store_true",
        help="run each input as a Slurm job; not available yet (default: run here)",
    )


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
        _add_measuring(action)
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


def _version(options: argparse.Namespace) -> int:
    print(__version__)
    return 0


def _models_location(options: argparse.Namespace) -> int:
    from turnkeyml.filesystem import MODELS_DIR

    print(MODELS_DIR if options.quiet else f"The models directory is: {MODELS_DIR}")
    return 0


def _benchmark(options: argparse.Namespace) -> int:
    from turnkeyml.cli.benchmark import run

    return run(options)


def _cache(options: argparse.Namespace) -> int:
    from turnkeyml.cli.cache import run

    return run(options)
