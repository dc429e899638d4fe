"""``turnkey race``."""

from __future__ import annotations

import argparse

from turnkeyml.api import forecast_race, race_files
from turnkeyml.cli.evaluating import evaluate
from turnkeyml.options import RaceOptions


def run(options: argparse.Namespace) -> int:
    """Race the runtimes; exit status 1 if anything failed or is a mismatch."""
    return evaluate(options, race_files, RaceOptions, forecast_race)
