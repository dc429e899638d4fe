"""``turnkey models location``."""

from __future__ import annotations

import argparse

from turnkeyml.cli.arguments import given
from turnkeyml.display import print_lines
from turnkeyml.filesystem import MODELS_DIR
from turnkeyml.options import QuietView, settle


def run(options: argparse.Namespace) -> int:
    """Print the path of the models that come with turnkey."""
    quiet = settle(QuietView, given(options, QuietView))["quiet"]
    print_lines(str(MODELS_DIR) if quiet else f"The models directory is: {MODELS_DIR}")
    return 0
