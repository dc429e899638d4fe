"""``turnkey cache serve``."""

from __future__ import annotations

import argparse

from turnkeyml.api import serve
from turnkeyml.cli.arguments import given
from turnkeyml.display import print_lines
from turnkeyml.options import ServeOptions, settle


def run(options: argparse.Namespace) -> int:
    """Serve the report of caches until Ctrl-C."""
    server = serve(**settle(ServeOptions, given(options, ServeOptions)))
    try:
        with server:
            print_lines(f"Report at {server.address} (Ctrl-C to end)")
            server.run()
    except KeyboardInterrupt:
        print_lines("")
    return 0
