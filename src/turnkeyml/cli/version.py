"""``turnkey version``."""

from __future__ import annotations

import argparse

from turnkeyml import __version__

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the version."""
    print(__version__)
    return 0
