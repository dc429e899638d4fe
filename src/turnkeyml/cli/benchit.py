"""What the older ``benchit`` command takes besides what ``turnkey`` does, and its translation."""

from __future__ import annotations

import argparse
import os

from turnkeyml.cli.parser import COMMANDS
from turnkeyml.errors import UsageError
from turnkeyml.nouns import split_hashes

OLDER_COMMANDS = {"report": "same as cache report"}


def add_older_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that ``translate`` knows, so that help shows them."""
    group = parser.add_argument_group(
        "benchit alone",
        "benchit builds the models of scripts in fp16 unless --sequence, --sequence-file or\n"
        "--precision says otherwise.",
    )
    group.add_argument(
        "-s",
        "--search-dir",
        metavar="DIR",
        help="the folder of the input files (default: the working directory)",
    )
    group.add_argument(
        "--all",
        action="store_true",
        help="every script in the search directory, instead of FILE (default: off)",
    )


def translate(words: list[str]) -> list[str]:
    """The equivalent arguments of ``turnkey``."""
    if words[:1] == ["report"]:
        return ["cache", "report", *words[1:]]
    if words and (words[0] in COMMANDS and words[0] != "benchmark"):
        return words
    if not words or words[0] in ("-h", "--help", "--version"):
        return words
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    add_older_options(parser)
    try:
        found, rest = parser.parse_known_args(words[1:] if words[0] == "benchmark" else words)
    except argparse.ArgumentError as error:
        raise UsageError(f"{error}. See 'benchit benchmark --help'.") from None
    if found.all:
        rest = [*_all_scripts(found.search_dir or "."), *rest]
    elif found.search_dir is not None:
        rest = [_inside(found.search_dir, word) for word in rest]
    rest = _files_first(rest)
    named = words[0] == "benchmark" or found.all
    return [*(["benchmark"] if named else []), *rest, *_sequence(rest)]


def _files_first(words: list[str]) -> list[str]:
    from turnkeyml.cli.parser import positionals_first
    from turnkeyml.options import COMMANDS as DECLARED
    from turnkeyml.options import options_of

    return positionals_first(words, options_of(*DECLARED["benchmark"]).values())


def _sequence(words: list[str]) -> list[str]:
    """The ``--sequence`` to add: benchit builds in fp16 unless an option says otherwise.

    Nothing for ONNX files, which are measured without a build, and for live models.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in ("--sequence", "--sequence-file", "--precision"):
        parser.add_argument(option, nargs="*")
    parser.add_argument("--runtime", nargs="*", default=[])
    found, rest = parser.parse_known_args(words)
    chosen = (found.sequence, found.sequence_file, found.precision)
    is_chosen = any(values is not None for values in chosen)
    if is_chosen or not rest or any(word.endswith(".onnx") for word in rest):
        return []
    from turnkeyml.build import sequence_with
    from turnkeyml.runtimes import all_runtimes

    live = {runtime.name for runtime in all_runtimes() if not runtime.measures_files}
    if found.runtime and live.issuperset(found.runtime):
        return []
    return ["--sequence", sequence_with(["fp16"])]


def _all_scripts(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        raise UsageError(f"The search directory {folder!r} does not exist.")
    scripts = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    if not scripts:
        raise UsageError(f"The search directory {folder!r} contains no .py file.")
    return [os.path.join(folder, name) for name in scripts]


def _inside(folder: str, word: str) -> str:
    """The path of an input file in the search directory; any other word unchanged."""
    path, _ = split_hashes(word, folder)
    is_input = path.endswith((".py", ".onnx", ".txt")) and not word.startswith("-")
    return os.path.join(folder, word) if is_input else word
