"""``turnkey cache clean``."""

from __future__ import annotations

import argparse

from turnkeyml.api import clean_builds
from turnkeyml.cli.edit import change


def run(options: argparse.Namespace) -> int:
    """Delete the artifacts of builds."""
    return change(options, "Clean", "cleaned", clean_builds)
