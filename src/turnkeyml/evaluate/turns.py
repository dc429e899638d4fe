"""Turns on the machine: any number of inputs may build, or a single one may measure."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from turnkeyml.cache import Turn
from turnkeyml.nouns import Sink, TurnAwaited, TurnReturned, TurnTaken, WaitEnded, Waiting


class Turns:
    """The turn of one input, which tells when it waits. Without a file, nothing is locked."""

    def __init__(self, path: str | None = None, sink: Sink | None = None) -> None:
        self._sink = sink or Sink()
        self._is_locked = path is not None
        self._turn = Turn(
            path,
            on_wait=lambda: self._sink.send(Waiting(None, within_run=True)),
            on_taken=lambda: self._sink.send(WaitEnded(None)),
        )

    def work(self) -> None:
        """Wait until no other input measures, and keep others from measuring from then on."""
        self._turn.share()

    @contextlib.contextmanager
    def alone(self, invocation: str) -> Iterator[None]:
        """Within the block no other input builds or measures."""
        if self._is_locked:
            self._sink.send(TurnAwaited(invocation))
        try:
            with self._turn.exclusive(lambda: self._sink.send(TurnTaken(invocation))):
                yield
        finally:
            if self._is_locked:
                self._sink.send(TurnReturned(invocation))
