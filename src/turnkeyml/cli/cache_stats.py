"""``turnkey cache stats``."""

from __future__ import annotations

import argparse

from turnkeyml.api import build_stats
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, tell_damages, wants_json
from turnkeyml.display import print_lines, stats_lines
from turnkeyml.options import CacheOptions, settle


def run(options: argparse.Namespace) -> int:
    """Print the state and the stats of builds."""
    cache = settle(CacheOptions, given(options, CacheOptions))
    with Output(options.command, wants_json(options)) as output:
        tell_damages(options.build_names, cache)
        builds = build_stats(options.build_names, **cache)
        for build in builds:
            lines = stats_lines(cache["cache_dir"], build.name, build.state, build.stats)
            print_lines(*lines)
        output.set_content(**cache, builds=builds)
    return 0
