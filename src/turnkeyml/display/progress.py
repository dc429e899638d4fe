"""How far a command is that reads or computes many things of a kind."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from turnkeyml import environment
from turnkeyml.display import console

TERMINAL_SECONDS, PIPE_SECONDS = 0.2, 10.0
"""Between two updates; what takes less shows none."""


class Progress:
    """Shows a count on standard error: one line that changes in a terminal, else new lines.

    What is done in less than the seconds between two updates shows nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._in_terminal = console.in_terminal("stderr")
        self._is_shown = environment.build_monitor() or not self._in_terminal
        self._seconds = TERMINAL_SECONDS if self._in_terminal else PIPE_SECONDS
        self._clock = clock
        self._last = clock()
        self._is_dirty = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_dirty:
            console.overwrite("", "stderr")

    def tell(self, doing: str, done: int, total: int) -> None:
        """Show what is being done and how much of it is, if it is time."""
        now = self._clock()
        if not self._is_shown or now < self._last + self._seconds:
            return
        self._last = now
        text = f"{doing}: {done:,} of {total:,}"
        if self._in_terminal:
            self._is_dirty = True
            console.overwrite(text, "stderr")
        else:
            console.print_errors(text)

    def counting(self, doing: str) -> Callable[[int, int], None]:
        """Return a function that is told how much is done and of how much."""
        return lambda done, total: self.tell(doing, done, total)
