"""Running a command in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios

__all__ = ["read_terminal"]


def read_terminal(
    command: list[str],
    folder: str | None = None,
    columns: int = 0,
    typed: str | None = None,
    **environment: str,
) -> tuple[int, str]:
    """The exit status of a command, and what a terminal shows of it.

    ``columns`` is the width of the terminal, ``typed`` what somebody types into it.
    """
    main, theirs = pty.openpty()
    if columns:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {**os.environ, **environment}
    if columns:  # the width of the terminal counts, not that of whoever runs the tests
        env.pop("COLUMNS", None)
    read = None if typed is None else theirs
    run = subprocess.Popen(command, stdin=read, stdout=theirs, stderr=theirs, env=env, cwd=folder)
    os.close(theirs)
    if typed is not None:
        os.write(main, typed.encode())
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
