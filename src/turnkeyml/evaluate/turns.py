"""Turns on the machine: any number of inputs may build, or a single one may measure."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from turnkeyml.nouns import events

__all__ = ["Turns"]


class Turns:
    """A readers-writer lock: inputs that build share it, an input that measures has it alone.

    It is a POSIX record lock on a file: the kernel releases it when the process exits, and forked
    processes do not inherit it. Without a file, nothing is locked.
    """

    def __init__(self, path: str | None = None, sink: events.Sink | None = None) -> None:
        self._path = path
        self._sink = sink or events.Sink()
        self._handle: int | None = None

    def work(self) -> None:
        """Wait until no other input measures, and keep others from measuring from then on."""
        self._lock(exclusively=False)

    @contextlib.contextmanager
    def alone(self, invocation: str) -> Iterator[None]:
        """Within the block no other input builds or measures."""
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
                self._sink.send(events.TurnAwaited(invocation))  # another may measure by now
                self.work()
                self._sink.send(events.TurnReturned(invocation))

    def _lock(self, exclusively: bool) -> None:
        if self._path is None:
            return
        import fcntl

        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        kind = fcntl.LOCK_EX if exclusively else fcntl.LOCK_SH
        # Reopened each time, because a script may have closed all file descriptors.
        self._handle = os.open(self._path, flags, 0o600)
        fcntl.lockf(self._handle, kind)

    def _unlock(self) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):  # the script closed it, which unlocked it
                os.close(self._handle)
            self._handle = None
