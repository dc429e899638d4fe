"""``turnkey cache list``."""

from __future__ import annotations

import argparse

from turnkeyml.api import list_builds
from turnkeyml.cli.arguments import given
from turnkeyml.cli.damages import tell_damages
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display.builds import names_lines
from turnkeyml.options import CacheOptions, settle

__all__ = ["run"]

MOST_CHECKED = 200
"""Reading the records of more builds than this takes longer than a list should; ``cache report``
reads them all and has a row for each one that is damaged."""


def run(options: argparse.Namespace) -> int:
    """Print the names of the builds."""
    cache = settle(CacheOptions, given(options, CacheOptions))
    with Output(options.command, wants_json(options)) as output:
        names = list_builds(**cache)
        print("\n".join(names_lines(cache["cache_dir"], names)))
        if len(names) <= MOST_CHECKED:
            tell_damages((), cache, every=True)
        output.set_content(**cache, builds=[{"name": name} for name in names])
    return 0
