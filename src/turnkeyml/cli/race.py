"""``turnkey race``."""

from __future__ import annotations

import argparse

from turnkeyml.api import race_files
from turnkeyml.cli.evaluating import evaluate
from turnkeyml.options import RaceOptions

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Let the runtimes race; 1 if anything that was asked for failed."""
    return evaluate(options, race_files, RaceOptions)
