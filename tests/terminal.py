"""Running a command in a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess

__all__ = ["read_terminal"]


def read_terminal(
    command: list[str], folder: str | None = None, **environment: str
) -> tuple[int, str]:
    """The exit status of a command, and what a terminal shows of it."""
    main, theirs = pty.openpty()
    env = {**os.environ, **environment}
    run = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=env, cwd=folder)
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(main, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(main)
    return run.wait(), shown.decode(errors="replace")
