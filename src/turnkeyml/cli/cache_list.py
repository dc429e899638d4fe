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


def run(options: argparse.Namespace) -> int:
    """Print the names of the builds."""
    cache = settle(CacheOptions, given(options, CacheOptions))
    with Output(options.command, wants_json(options)) as output:
        names = list_builds(**cache)
        print("\n".join(names_lines(cache["cache_dir"], names)))
        tell_damages((), cache, every=True)
        output.set_content(**cache, builds=[{"name": name} for name in names])
    return 0
