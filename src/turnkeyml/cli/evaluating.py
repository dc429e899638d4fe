"""The part that ``turnkey benchmark`` and ``turnkey race`` share."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable

from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display.forecasts import forecast_lines
from turnkeyml.display.listing import closing_line
from turnkeyml.nouns import InputResult
from turnkeyml.nouns.forecasts import Forecast
from turnkeyml.options import DryRun, settle

__all__ = ["evaluate"]

NAMED = 20
"""Failed inputs that the last line names before it counts the rest."""


def evaluate(
    options: argparse.Namespace,
    do: Callable[..., list[InputResult]],
    declaration: type,
    foresee: Callable[..., Forecast] | None = None,
) -> int:
    """Evaluate the files with a function; exit status 1 if anything failed.

    With ``--dry-run``, show what ``foresee`` says about them instead.
    """
    as_json = wants_json(options)
    if foresee is not None and settle(DryRun, given(options, DryRun))["dry_run"]:
        return _foresee(options, foresee(options.input_files, **given(options, declaration)))
    with Output(options.command, as_json) as output:
        results: list[InputResult] = []
        failed: dict[str, None] = {}

        def take(result: InputResult) -> None:
            """Keep only what is still needed, as there may be very many inputs."""
            if as_json:
                results.append(result)
            if not result.ok:
                failed[result.input.name] = None

        do(options.input_files, on_result=take, **given(options, declaration))
        output.set_content(ok=not failed, results=results)
        return _finish(options.command, list(failed))


def _foresee(options: argparse.Namespace, forecast: Forecast) -> int:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    with Output(options.command, wants_json(options)) as output:
        print("\n".join(forecast_lines(forecast, width)))
        output.set_content(results=[], dry_run=forecast)
    return 0


def _finish(command: str, failed: list[str]) -> int:
    if failed:
        more = f" and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
        names = ", ".join(failed[:NAMED])
        print(f"The '{command}' command is complete; it failed for: {names}{more}.", flush=True)
        return 1
    print(closing_line(command), flush=True)
    return 0
