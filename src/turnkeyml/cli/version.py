"""``turnkey version``."""

from __future__ import annotations

import argparse

from turnkeyml import __version__
from turnkeyml.display import print_lines


def run(options: argparse.Namespace) -> int:
    """Print the version."""
    print_lines(__version__)
    return 0
