"""The words of the command line. Parsing imports nothing but argparse."""

from __future__ import annotations

import argparse
import os

from turnkeyml import __version__
from turnkeyml.errors import UsageError

__all__ = ["parse"]

COMMANDS = ("benchmark", "cache", "version")
CACHE_DIR_HELP = "where builds are kept (default: TURNKEY_CACHE_DIR, or ~/.cache/turnkey)"


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


def parse(words: list[str]) -> argparse.Namespace:
    """What the words ask for; ``run`` of the result does it. ``FILE`` means ``benchmark FILE``."""
    first = next((w for w in words if not w.startswith("-")), None)
    if words and words[0] not in ("-h", "--help", "--version"):
        if first is not None and first == words[0] and first in COMMANDS:
            pass
        elif words[0].startswith("-") or _looks_like_input(words[0]):
            words = ["benchmark", *words]
        else:
            raise UsageError(_unknown(words[0]))
    options = _parser().parse_args(words)
    if getattr(options, "run", None) is None:
        raise UsageError("what is to be done? Name a file or a command. See 'turnkey --help'.")
    return options


def _looks_like_input(word: str) -> bool:
    path = word.split("::", maxsplit=1)[0]
    return "." in path or "/" in path or "*" in path


def _unknown(word: str) -> str:
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, 1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return f"'{word}' is neither a command nor a .py, .onnx or .txt file.{hint}"


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="turnkey",
        description="How fast is this model, really, on this hardware, with that runtime?",
        epilog="'turnkey FILE' is short for 'turnkey benchmark FILE'. "
        "'turnkey COMMAND --help' explains a command.",
    )
    parser.add_argument(
        "--version", action="version", version=__version__, help="print the version"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    _add_benchmark(commands)
    _add_cache(commands)
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
    what = parser.add_argument_group("what to do")
    only = what.add_mutually_exclusive_group()
    only.add_argument("--analyze-only", action="store_true", help="list the models, build nothing")
    only.add_argument("--build-only", action="store_true", help="build, but do not measure")
    what.add_argument(
        "--max-depth",
        type=int,
        default=0,
        metavar="N",
        help="also list, build and measure sub-models down to this depth (default: 0)",
    )
    what.add_argument(
        "--script-args", metavar="ARGS", help="arguments for the scripts, quoted as in a shell"
    )
    where = parser.add_argument_group("how to measure")
    where.add_argument("--device", default="x86", help="kind of hardware: x86 (default: x86)")
    where.add_argument(
        "--runtime",
        nargs="+",
        metavar="RUNTIME",
        help="one or more of ort, torch-eager, torch-compiled (default: ort)",
    )
    where.add_argument(
        "--iterations", type=int, default=100, metavar="N", help="timed runs (default: 100)"
    )
    how = parser.add_argument_group("how to build")
    how.add_argument(
        "--sequence",
        help="optimize-fp16, optimize-fp32 or onnx-fp32 "
        "(default: optimize-fp16; .onnx files are measured as they are)",
    )
    how.add_argument(
        "--onnx-opset",
        type=int,
        metavar="N",
        help="opset of exported ONNX files (default: TURNKEY_ONNX_OPSET, or 18)",
    )
    how.add_argument(
        "--rebuild",
        default="if_needed",
        metavar="POLICY",
        help="if_needed, always or never (default: if_needed)",
    )
    cache = parser.add_argument_group("the cache")
    cache.add_argument("-d", "--cache-dir", help=CACHE_DIR_HELP)
    cache.add_argument("--lean-cache", action="store_true", help="keep only logs, state and stats")
    process = parser.add_argument_group("processes")
    process.add_argument(
        "--process-isolation", action="store_true", help="end an input that takes too long"
    )
    process.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        help="seconds an isolated input may take (default: TURNKEY_TIMEOUT_SECONDS, or 3600)",
    )


def _add_cache(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("cache", help="look at the builds in a cache")
    actions = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name, words in (
        ("list", "print the names of the builds"),
        ("stats", "print the state and the stats of builds"),
        ("report", "write a table of everything in the cache as YYYY-MM-DD.csv"),
        ("location", "print where the cache is"),
    ):
        action = actions.add_parser(name, help=words)
        action.add_argument("-d", "--cache-dir", help=CACHE_DIR_HELP)
        action.set_defaults(run=_cache, action=name)
        if name == "stats":
            action.add_argument("build_names", nargs="+", metavar="BUILD")
        if name == "report":
            action.add_argument(
                "-r",
                "--report-dir",
                default=".",
                help="where the file goes (default: the working folder)",
            )


def _version(options: argparse.Namespace) -> int:
    print(__version__)
    return 0


def _benchmark(options: argparse.Namespace) -> int:
    from turnkeyml.cli.benchmark import run

    return run(options)


def _cache(options: argparse.Namespace) -> int:
    from turnkeyml.cli.cache import run

    return run(options)
