"""``turnkey plugins``."""

from __future__ import annotations

import argparse

from turnkeyml.api import list_plugins
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import plugin_lines, print_lines


def run(options: argparse.Namespace) -> int:
    """Print every plugin; the exit status is 0 also if one has a problem, as all were listed."""
    with Output(options.command, wants_json(options)) as output:
        found = list_plugins()
        print_lines(*plugin_lines(found))
        output.set_content(plugins=found)
    return 0
