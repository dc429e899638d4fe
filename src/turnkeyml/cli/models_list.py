"""``turnkey models list``."""

from __future__ import annotations

import argparse

from turnkeyml.api import list_models
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import model_lines, print_lines
from turnkeyml.options import ModelsOptions, ModelsView, settle


def run(options: argparse.Namespace) -> int:
    """Print the models that come with turnkey, with their labels."""
    quiet = settle(ModelsView, given(options, ModelsView))["quiet"]
    with Output(options.command, wants_json(options)) as output:
        models = list_models(getattr(options, "names", ()), **given(options, ModelsOptions))
        print_lines(*(models if quiet else model_lines(models)))
        output.set_content(
            models=[{"name": name, "labels": labels} for name, labels in models.items()]
        )
    return 0
