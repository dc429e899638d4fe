"""``turnkey cache delete``."""

from __future__ import annotations

import argparse
from pathlib import Path

from turnkeyml.api import delete_builds
from turnkeyml.cache import sweep_deleted
from turnkeyml.cli.arguments import given
from turnkeyml.cli.edit import change
from turnkeyml.options import SelectOptions, settle


def run(options: argparse.Namespace) -> int:
    """Delete builds, and first what a killed deletion has left, which no name selects any more."""
    sweep_deleted(Path(settle(SelectOptions, given(options, SelectOptions))["cache_dir"]))
    return change(options, "Delete", "deleted", delete_builds)
