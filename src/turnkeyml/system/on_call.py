"""What an interpreter on standby does: what it is told, one line of JSON at a time."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from importlib import import_module


def main() -> None:
    """Import or run modules until standard input ends.

    A line names a ``module``. With ``arguments`` its ``main()`` runs with them; without, the module
    is only imported, so that it is there when it is needed. With a ``log``, standard error goes to
    that file from then on.
    """
    for line in iter(sys.stdin.readline, ""):
        words = json.loads(line)
        if "log" in words:
            _write_to(words["log"])
        if "arguments" not in words:
            with contextlib.suppress(ImportError):  # whoever runs it will say so
                import_module(words["module"])
            continue
        sys.argv[1:] = words["arguments"]
        import_module(words["module"]).main()


def _write_to(log: str) -> None:
    """Append what this process and its libraries write to standard error to a file."""
    sys.stderr.flush()
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.dup2(file, 2)
    os.close(file)
