"""``turnkey compare``."""

from __future__ import annotations

import argparse
import sys

from turnkeyml.api import compare, conditions_met
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.options import CompareOptions, CompareView, settle
from turnkeyml.report.comparison_report import render

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print a comparison; exit status 1 if a condition of ``--fail-on`` is met."""
    conditions = settle(CompareOptions, given(options, CompareOptions))
    view = settle(CompareView, given(options, CompareView))
    with Output("compare", wants_json(options)) as output:
        comparison = compare(options.a, options.b)
        print(render(comparison, view["format"], verbose=view["verbose"]), flush=True)
        met = conditions_met(comparison, **conditions)
        output.set_content(ok=not met, comparison=comparison, failed_on=met)
    if met:
        sys.stdout.flush()
        print(f"turnkey compare: --fail-on condition met: {'; '.join(met)}.", file=sys.stderr)
    return 1 if met else 0
