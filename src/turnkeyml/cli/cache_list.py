"""``turnkey cache list``."""

from __future__ import annotations

import argparse
from typing import Any

from turnkeyml.api import build_summaries, list_builds
from turnkeyml.cache import BuildSummary
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, tell_damages, wants_json
from turnkeyml.display import (
    CountProgress,
    build_table,
    names_lines,
    print_lines,
    sort_builds,
    terminal_width,
)
from turnkeyml.options import CacheOptions, ListView, settle

MOST_CHECKED = 200
"""Reading the records of more builds than this takes longer than a list should; ``cache report``
reads them all and has a row for each one that is damaged."""


def run(options: argparse.Namespace) -> int:
    """Print a table of the builds in a terminal, and their names through a pipe."""
    cache = settle(CacheOptions, given(options, CacheOptions))
    order = settle(ListView, given(options, ListView))["sort"]
    as_json = wants_json(options)
    width = None if as_json else terminal_width()
    with Output(options.command, as_json) as output:
        if width is not None or order != "name":
            builds = sort_builds(_read(cache), order)
            names = [build.name for build in builds]
        else:
            names = list_builds(**cache)
        lines = names if width is None else build_table(builds, width)
        print_lines(*names_lines(cache["cache_dir"], lines if names else []))
        if len(names) <= MOST_CHECKED:
            tell_damages((), cache, every=True)
        output.set_content(**cache, builds=[{"name": name} for name in names])
    return 0


def _read(cache: dict[str, Any]) -> list[BuildSummary]:
    """The summaries of all builds."""
    with CountProgress() as progress:
        return build_summaries(progress=progress.counting("Reading new builds"), **cache)
