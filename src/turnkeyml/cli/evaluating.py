"""The part that ``turnkey benchmark`` and ``turnkey race`` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import closing_line, forecast_lines, print_lines, terminal_width
from turnkeyml.nouns import Forecast, InputResult
from turnkeyml.options import DryRun, settle


def evaluate(
    options: argparse.Namespace,
    do: Callable[..., list[InputResult]],
    declaration: type,
    foresee: Callable[..., Forecast] | None = None,
) -> int:
    """Evaluate the files with a function; exit status 1 if anything failed or is a mismatch.

    With ``--dry-run``, show what ``foresee`` says about them instead.
    """
    as_json = wants_json(options)
    if foresee is not None and settle(DryRun, given(options, DryRun))["dry_run"]:
        return _foresee(options, foresee(options.input_files, **given(options, declaration)))
    with Output(options.command, as_json) as output:
        results: list[InputResult] = []
        failed: dict[str, None] = {}
        mismatches: dict[str, None] = {}

        def take(result: InputResult) -> None:
            """Keep only what is still needed, as there may be very many inputs."""
            if as_json:
                results.append(result)
            if result.failed:
                failed[result.input.name] = None
            if result.is_mismatch:
                mismatches[result.input.name] = None

        do(options.input_files, on_result=take, **given(options, declaration))
        ok = not (failed or mismatches)
        output.set_content(ok=ok, results=results)
        print_lines(closing_line(options.command, list(failed), list(mismatches)))
        return 0 if ok else 1


def _foresee(options: argparse.Namespace, forecast: Forecast) -> int:
    with Output(options.command, wants_json(options)) as output:
        print_lines(*forecast_lines(forecast, terminal_width()))
        output.set_content(results=[], dry_run=forecast)
    return 0
