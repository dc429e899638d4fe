"""``turnkey models``."""

from __future__ import annotations

import argparse

from turnkeyml.cli.output import Output
from turnkeyml.discover.labels import parse_filter
from turnkeyml.discover.shipped import list_models
from turnkeyml.display.tables import text_table
from turnkeyml.errors import UsageError

__all__ = ["run"]

SHOWN = ("task", "author", "license", "params", "test_group")


def run(options: argparse.Namespace) -> int:
    """Print the models that come with turnkey, with their labels."""
    with Output("models list", options.json) as output:
        found = list_models(options.names, parse_filter(options.labels))
        if not found:
            raise UsageError(f"No model has the labels {' '.join(options.labels)}.")
        if options.quiet:
            print("\n".join(name for name, _ in found))
        else:
            rows = [[name, *(",".join(v.get(key, ())) for key in SHOWN)] for name, v in found]
            print("\n".join(text_table(("model", *SHOWN), rows)))
            print(f"\n{len(found)} {'model' if len(found) == 1 else 'models'}")
        output.hold(models=[{"name": name, "labels": labels} for name, labels in found])
    return 0
