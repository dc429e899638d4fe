"""``turnkey system-info``."""

from __future__ import annotations

import argparse
import shutil
import sys

from turnkeyml.api import system_info
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display.system import system_lines

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print a description of this machine and the runtimes that are available on it.

    Through a pipe each fact is one line, however long, so that it can be searched.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    with Output(options.command, wants_json(options)) as output:
        info = system_info()
        print("\n".join(system_lines(info, width)))
        output.set_content(system=info)
    return 0
