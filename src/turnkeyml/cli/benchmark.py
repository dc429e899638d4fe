"""``turnkey benchmark``."""

from __future__ import annotations

import argparse

from turnkeyml.api import benchmark_files
from turnkeyml.display.listing import closing_line

__all__ = ["run"]

_NOT_ARGUMENTS = {"run"}


def run(options: argparse.Namespace) -> int:
    """Benchmark the files; 1 if anything that was asked for failed."""
    arguments = {k: v for k, v in vars(options).items() if k not in _NOT_ARGUMENTS}
    results = benchmark_files(**arguments)
    failed = [r for r in results if not r.ok]
    if failed:
        names = ", ".join(r.input.name for r in failed)
        print(f"The 'benchmark' command is complete; it failed for: {names}.", flush=True)
        return 1
    print(closing_line("benchmark"), flush=True)
    return 0
