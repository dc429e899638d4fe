"""``turnkey cache report``."""

from __future__ import annotations

import argparse

from turnkeyml.api import report
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.options import ReportOptions, settle

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Write a report of caches, one file per format."""
    chosen = settle(ReportOptions, given(options, ReportOptions))
    with Output(options.command, wants_json(options)) as output:
        files = report(**chosen)
        for path in files:
            print(f"Summary spreadsheet saved at {path}")
        reports = [str(path.absolute()) for path in files]
        output.set_content(caches=chosen["cache_dir"], report=reports[0], reports=reports)
    return 0
