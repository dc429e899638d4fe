"""``turnkey system-info``."""

from __future__ import annotations

import argparse

from turnkeyml.api import system_info
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import print_lines, system_lines, terminal_width


def run(options: argparse.Namespace) -> int:
    """Print a description of this machine and the runtimes that are available on it.

    Through a pipe each fact is one line, however long, so that it can be searched.
    """
    with Output(options.command, wants_json(options)) as output:
        info = system_info()
        print_lines(*system_lines(info, terminal_width()))
        output.set_content(system=info)
    return 0
