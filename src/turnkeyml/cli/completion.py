"""``turnkey completion``."""

from __future__ import annotations

import argparse

from turnkeyml.display import write_document
from turnkeyml.options import CompletionOptions, settle

PROGRAMS = ("turnkey", "benchit")


def run(options: argparse.Namespace) -> int:
    """Print the script that makes a shell complete our command lines."""
    import argcomplete

    shell = settle(CompletionOptions, {"shell": options.shell})["shell"]
    write_document(argcomplete.shellcode(PROGRAMS, shell=shell).strip())
    return 0
