"""``turnkey cache list``."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import Any

from turnkeyml.api import list_builds
from turnkeyml.api.builds import build_summaries
from turnkeyml.cache.summaries import BuildSummary
from turnkeyml.cli.arguments import given
from turnkeyml.cli.damages import tell_damages
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display.build_table import build_table, sort_builds
from turnkeyml.display.builds import names_lines
from turnkeyml.options import CacheOptions, ListView, settle

__all__ = ["run"]

MOST_CHECKED = 200
"""Reading the records of more builds than this takes longer than a list should; ``cache report``
reads them all and has a row for each one that is damaged."""
MANY = 500
"""Builds of which reading is worth telling about, the first time."""


def run(options: argparse.Namespace) -> int:
    """Print a table of the builds in a terminal, and their names through a pipe."""
    cache = settle(CacheOptions, given(options, CacheOptions))
    order = settle(ListView, given(options, ListView))["sort"]
    as_json = wants_json(options)
    is_table = sys.stdout.isatty() and not as_json
    with Output(options.command, as_json) as output:
        if is_table or order != "name":
            builds = sort_builds(_read(cache), order)
            names = [build.name for build in builds]
        else:
            names = list_builds(**cache)
        lines = build_table(builds, shutil.get_terminal_size().columns) if is_table else names
        print("\n".join(names_lines(cache["cache_dir"], lines if names else [])))
        if len(names) <= MOST_CHECKED:
            tell_damages((), cache, every=True)
        output.set_content(**cache, builds=[{"name": name} for name in names])
    return 0


def _read(cache: dict[str, Any]) -> list[BuildSummary]:
    """The summaries of all builds; a terminal is told if reading them takes a while."""
    shown = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if shown and total > MANY and done % 100 == 0:
            print(f"\rReading new builds: {done:,} of {total:,}", end="", file=sys.stderr)
        if shown and total > MANY and done == total - 1:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    return build_summaries(progress=tell, **cache)
