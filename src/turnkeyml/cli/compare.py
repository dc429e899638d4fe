"""``turnkey compare``."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from turnkeyml.api import compare, conditions_met, save_comparison
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import CountProgress, in_terminal, print_errors, print_lines, write_document
from turnkeyml.options import CompareOptions, CompareView, settle
from turnkeyml.report import find_format, render, undecided_in_words


def run(options: argparse.Namespace) -> int:
    """Print or save a comparison; exit status 1 if a condition of ``--fail-on`` is met."""
    conditions = settle(CompareOptions, given(options, CompareOptions))
    view = settle(CompareView, given(options, CompareView))
    with Output("compare", wants_json(options)) as output:
        with CountProgress() as progress:
            comparison = compare(options.a, options.b, progress.tell)
        _show(comparison, view)
        met = conditions_met(comparison, **conditions)
        output.set_content(ok=not met, comparison=comparison, failed_on=met)
    if conditions["fail_on"] and any(comparison.undecided.values()):
        _tell(undecided_in_words(comparison))
    if met:
        _tell(f"--fail-on condition met: {'; '.join(met)}.")
    return 1 if met else 0


def _tell(sentence: str) -> None:
    """Print a sentence to standard error, where no format and no file hides it."""
    print_errors(f"turnkey compare: {sentence}")


def _show(comparison: Any, view: dict[str, Any]) -> None:
    """Print a comparison; a page goes to a file, unless standard output is one."""
    path, format = view["output"], view["format"]
    if path is None and format and not find_format(format).is_printed and in_terminal():
        day = time.strftime("%Y-%m-%d")
        path = f"comparison-{day}{find_format(format).suffix}"
    if path is None:
        write_document(render(comparison, format or "text", verbose=view["verbose"]))
        return
    replaced = save_comparison(comparison, Path(path), format)
    print_lines(f"Comparison saved at {path}{' (it replaces an older one)' if replaced else ''}")
