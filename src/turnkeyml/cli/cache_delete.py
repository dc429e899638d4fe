"""``turnkey cache delete``."""

from __future__ import annotations

import argparse

from turnkeyml.api import delete_builds
from turnkeyml.cli.edit import change


def run(options: argparse.Namespace) -> int:
    """Delete builds."""
    return change(options, "Delete", "deleted", delete_builds)
