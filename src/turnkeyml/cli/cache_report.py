"""``turnkey cache report``."""

from __future__ import annotations

import argparse

from turnkeyml.api import save_report
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import CountProgress, print_lines
from turnkeyml.options import ReportOptions, settle
from turnkeyml.report import SavedReport


def run(options: argparse.Namespace) -> int:
    """Write a report of caches, one file per format."""
    chosen = settle(ReportOptions, given(options, ReportOptions))
    with Output(options.command, wants_json(options)) as output:
        with CountProgress() as progress:
            files = save_report(progress.counting("Reading builds"), **chosen)
        for saved in files:
            print_lines(_sentence(saved))
        reports = [str(saved.path.absolute()) for saved in files]
        replaced = [str(saved.path.absolute()) for saved in files if saved.replaced]
        content = {"caches": chosen["cache_dir"], "report": reports[0], "reports": reports}
        output.set_content(**content, replaced=replaced)
    return 0


def _sentence(saved: SavedReport) -> str:
    what = "Summary spreadsheet" if saved.path.suffix == ".csv" else "Report"
    text = f"{what} saved at {saved.path}"
    if saved.replaced is None:
        return text
    return f"{text} (it replaces the one of {saved.replaced:%Y-%m-%d %H:%M})"
