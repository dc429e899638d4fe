"""What the launching process and the process of a task both know. Imports nothing heavy.

A process is given an ``Assignment`` and takes turns on the machine with others: any number of
inputs may build, or a single one may measure.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from turnkeyml.cache import Turn
from turnkeyml.nouns import Sink, Task, TurnAwaited, TurnReturned, TurnTaken, WaitEnded, Waiting

WAIT_MARGIN_SECONDS = 60.0
"""The time after which a process ends its wait by itself that its run should have ended."""
SKIP: dict[str, frozenset[str]] = {
    "attempted": frozenset({"successful", "failed"}),
    "failed": frozenset({"failed"}),
    "successful": frozenset({"successful"}),
    "none": frozenset(),
}
"""For each policy, the statuses of earlier evaluations that are skipped."""


@dataclass(frozen=True)
class Assignment:
    """A Task for an input child, with the files that the child writes to."""

    task: Task
    events: str
    """The file for its events."""
    turns: str | None = None
    """The lock file that keeps concurrent inputs from measuring at the same time."""
    wait_seconds: float | None = None
    """The limit of each of its waits for a build; None for the default."""
    output: str | None = None
    """The file for everything that the input prints; None for our own standard output."""
    threads: int | None = None
    """The thread limit of the frameworks outside of measurements; None for their default."""


class MachineTurns:
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
