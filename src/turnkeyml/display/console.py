"""The one place that prints: lines for people, and documents for programs.

What is printed may contain names and messages from outside, so every line passes ``escaping``. A
standard stream may be closed, full or gone. That must not cost the results of a run: what cannot be
printed is dropped, and ``finish`` says so at the end.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from turnkeyml.escaping import one_line

CLEAR_LINE = "\r\x1b[K"

_failed: dict[str, str] = {}
"""Why a stream of this program could not be written to, by its name."""


def print_lines(*lines: str) -> None:
    """Print lines to standard output."""
    _print(sys.stdout, "".join(f"{one_line(line)}\n" for line in lines))


def print_errors(*lines: str) -> None:
    """Print lines about progress, warnings and errors to standard error."""
    _print(sys.stderr, "".join(f"{one_line(line)}\n" for line in lines))


def write_document(document: str) -> None:
    """Print a document to standard output as it is; its format has made its text safe."""
    _print(sys.stdout, document if document.endswith("\n") else f"{document}\n")


def overwrite(line: str, stream: str = "stdout") -> None:
    """Show a line in the place of the last one that was shown so; an empty one clears it."""
    width = shutil.get_terminal_size().columns
    _print(getattr(sys, stream), f"{CLEAR_LINE}{one_line(line)[: width - 1]}")


def in_terminal(stream: str = "stdout") -> bool:
    """Whether a standard stream is a terminal."""
    try:
        return bool(getattr(sys, stream).isatty())
    except (AttributeError, ValueError, OSError):  # there is none, or it was closed
        return False


def terminal_width() -> int | None:
    """The columns of the terminal; None if standard output is none."""
    return shutil.get_terminal_size().columns if in_terminal() else None


def open_standard_streams() -> None:
    """Open the null device in the place of every standard stream that is closed.

    Otherwise the next file that is opened would get its number, and whatever is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def flush_streams() -> None:
    """Write out what libraries have printed to standard output."""
    _print(sys.stdout)


def finish_streams(program: str, status: int) -> int:
    """The exit status of a program, after its last output was written or found to be lost."""
    _print(sys.stdout)
    lost = _failed.get("stdout")
    if lost is not None:
        print_errors(f"{program}: error: not everything was printed: standard output: {lost}")
    _print(sys.stderr)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if name in _failed:  # Python would write what is left of it at exit, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    return status or int(lost is not None)


def _print(stream: TextIO | None, text: str = "") -> None:
    if stream is None or _own_name(stream) in _failed:
        return
    try:
        try:
            if text:
                stream.write(text)
        except UnicodeEncodeError as error:
            stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
        stream.flush()
    except Exception as error:  # noqa: BLE001 - a program may have put anything in its place
        _lose(stream, error)


def _own_name(stream: TextIO) -> str:
    """Which standard stream of this process it is; empty for one that a program put there."""
    return next((n for n in ("stdout", "stderr") if stream is getattr(sys, f"__{n}__")), "")


def _lose(stream: TextIO, error: Exception) -> None:
    """Print nothing more to a stream; a reader of standard output that left ends the program."""
    name = _own_name(stream)
    if name == "stdout" and isinstance(error, BrokenPipeError):
        raise error
    if name:
        _failed[name] = getattr(error, "strerror", None) or str(error)
