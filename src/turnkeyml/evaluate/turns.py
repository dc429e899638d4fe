"""Who may use the machine: any number of inputs that build, or one that measures."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from turnkeyml.nouns import events

__all__ = ["Turns"]


class Turns:
    """A lock that those who work share and whoever measures has alone.

    It is the kernel's record lock on a file: it goes with the process, however that ends, and is
    not passed on to what a script forks. Without a file there is nobody to share with.
    """

    def __init__(self, path: str | None = None, sink: events.Sink | None = None) -> None:
        self._path = path
        self._sink = sink or events.Sink()
        self._handle: int | None = None

    def work(self) -> None:
        """Wait until nobody measures; from then on nobody does until we let them."""
        self._lock(exclusively=False)

    @contextlib.contextmanager
    def alone(self, invocation: str) -> Iterator[None]:
        """Within the block nobody else works or measures."""
        if self._path is not None:
            self._sink.send(events.TurnAwaited(invocation))
            self._unlock()
            self._lock(exclusively=True)
        self._sink.send(events.TurnTaken(invocation))
        try:
            yield
        finally:
            if self._path is not None:
                self._unlock()
                self.work()

    def _lock(self, exclusively: bool) -> None:
        if self._path is None:
            return
        import fcntl

        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        kind = fcntl.LOCK_EX if exclusively else fcntl.LOCK_SH
        # Opened anew each time: a script may have closed every file there was.
        self._handle = os.open(self._path, flags, 0o600)
        fcntl.lockf(self._handle, kind)

    def _unlock(self) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):  # closed by the script, and unlocked with that
                os.close(self._handle)
            self._handle = None
