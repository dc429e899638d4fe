"""The one place that prints: lines for people, documents for programs, and the count of a command.

What is printed may contain names and messages from outside, so every line passes ``escaping``. A
standard stream may be closed, full or gone. That must not cost the results of a run: what cannot be
printed is dropped, and ``finish_streams`` says so at the end.
"""

from __future__ import annotations

import os
import sys
import time

from turnkeyml.escaping import one_line

TYPE_CHECKING = False  # every command starts with this module; importing typing would cost time
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TextIO

CLEAR_LINE = "\r\x1b[K"
TERMINAL_SECONDS, PIPE_SECONDS = 0.2, 10.0
"""Between two updates; what takes less shows none."""
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
    width = _columns()
    _print(getattr(sys, stream), f"{CLEAR_LINE}{one_line(line)[: width - 1]}")


def in_terminal(stream: str = "stdout") -> bool:
    """Whether a standard stream is a terminal."""
    try:
        return bool(getattr(sys, stream).isatty())
    except (AttributeError, ValueError, OSError):  # there is none, or it was closed
        return False


def terminal_width() -> int | None:
    """The columns of the terminal; None if standard output is none."""
    return _columns() if in_terminal() else None


class CountProgress:
    """Shows a count on standard error: one line that changes in a terminal, else new lines.

    What is done in less than the seconds between two updates shows nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        from turnkeyml import environment  # most commands that print need none of it

        self._in_terminal = in_terminal("stderr")
        self._is_shown = environment.build_monitor() or not self._in_terminal
        self._seconds = TERMINAL_SECONDS if self._in_terminal else PIPE_SECONDS
        self._clock = clock
        self._last = clock()
        self._is_dirty = False

    def __enter__(self) -> CountProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_dirty:
            overwrite("", "stderr")

    def tell(self, doing: str, done: int, total: int) -> None:
        """Show what is being done and how much of it is, if it is time."""
        now = self._clock()
        if not self._is_shown or now < self._last + self._seconds:
            return
        self._last = now
        text = f"{doing}: {done:,} of {total:,}"
        if self._in_terminal:
            self._is_dirty = True
            overwrite(text, "stderr")
        else:
            print_errors(text)

    def counting(self, doing: str) -> Callable[[int, int], None]:
        """Return a function that is told how much is done and of how much."""
        return lambda done, total: self.tell(doing, done, total)


def _columns() -> int:
    import shutil  # not at the top: it imports the modules of four archives

    return shutil.get_terminal_size().columns


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
