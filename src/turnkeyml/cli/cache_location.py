"""``turnkey cache location``."""

from __future__ import annotations

import argparse

from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import print_lines
from turnkeyml.options import CacheOptions, settle


def run(options: argparse.Namespace) -> int:
    """Print the path of the cache."""
    cache = settle(CacheOptions, given(options, CacheOptions))
    with Output(options.command, wants_json(options)) as output:
        print_lines(f"The default cache directory is: {cache['cache_dir']}")
        output.set_content(**cache)
    return 0
