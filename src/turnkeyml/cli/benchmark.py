"""``turnkey benchmark`` and ``turnkey race``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from turnkeyml.api import benchmark_files, race_files
from turnkeyml.cli.output import Output
from turnkeyml.display.listing import closing_line
from turnkeyml.errors import UsageError
from turnkeyml.nouns import InputResult

__all__ = ["race", "run"]

NAMED = 20
"""Inputs that failed which a sentence names before it counts the rest."""


def run(options: argparse.Namespace) -> int:
    """Benchmark the files; 1 if anything that was asked for failed."""
    return _run("benchmark", benchmark_files, options)


def race(options: argparse.Namespace) -> int:
    """Let the runtimes race; 1 if anything that was asked for failed."""
    return _run("race", race_files, options)


def _run(command: str, do: Callable[..., list[InputResult]], options: argparse.Namespace) -> int:
    with Output(command, options.json) as output:
        results: list[InputResult] = []
        failed: dict[str, None] = {}

        def take(result: InputResult) -> None:
            """Keep what is still needed: of very many inputs that is little."""
            if options.json:
                results.append(result)
            if not result.ok:
                failed[result.input.name] = None

        do(**_arguments(options), on_result=take)
        output.hold(ok=not failed, results=results)
        return _finish(command, list(failed))


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    arguments = {k: v for k, v in vars(options).items() if k not in ("run", "json")}
    return {**arguments, "rt_args": _runtime_arguments(options.rt_args)}


def _finish(command: str, failed: list[str]) -> int:
    if failed:
        more = f" and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
        names = ", ".join(failed[:NAMED])
        print(f"The '{command}' command is complete; it failed for: {names}{more}.", flush=True)
        return 1
    print(closing_line(command), flush=True)
    return 0


def _runtime_arguments(words: list[str]) -> dict[str, Any]:
    """``key::value``, ``key::[a,b]`` and ``flag`` as a dict."""
    arguments: dict[str, Any] = {}
    for word in words:
        key, separator, value = word.partition("::")
        if not key or (separator and not value):
            raise UsageError(f"A runtime argument is key::value, key::[a,b] or flag, not {word!r}.")
        if value.startswith("[") and value.endswith("]"):
            arguments[key] = [part.strip() for part in value[1:-1].split(",") if part.strip()]
        else:
            arguments[key] = value if separator else True
    return arguments
