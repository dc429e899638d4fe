"""The connection to Slurm's controller: retries while it does not answer, and defers Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

from turnkeyml.errors import TurnkeyError
from turnkeyml.launch.slurm.commands import SlurmSilent

OUTAGE_SECONDS = 600.0
"""How long the controller may not answer, as during a restart."""

T = TypeVar("T")
Note = Callable[[str], None]


@dataclass
class Link:
    """Slurm's controller, which may not answer for a while."""

    note: Note
    silent_since: float | None = None
    given_up: bool = False
    _told: str = ""

    def ask(self, question: Callable[[], T]) -> T | None:
        """The answer, or None if there is none now; a TurnkeyError after ten minutes without."""
        try:
            answer = question()
        except SlurmSilent as error:
            self.bear(error)
            return None
        self.silent_since = None
        return answer

    def bear(self, error: SlurmSilent) -> None:
        """Note that Slurm did not answer; a TurnkeyError if that has lasted too long."""
        now = time.monotonic()
        self.silent_since = self.silent_since or now
        minutes = f"{OUTAGE_SECONDS / 60:g} minutes"
        if now - self.silent_since > OUTAGE_SECONDS:
            self.given_up = True
            raise TurnkeyError(
                f"Slurm has not answered for {minutes} ({error}). Its jobs may still run; "
                "run the same command with --resume to follow them."
            ) from None
        if self._told != str(error):
            self._told = str(error)
            self.note(f"Slurm does not answer ({error}); retrying for {minutes}.")


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer Ctrl-C within the block to its end; a second one acts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            interrupt(frame)

    def interrupt(frame: FrameType | None) -> None:
        if callable(before):
            before(signal.SIGINT, frame)
        elif before == signal.SIG_DFL:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received:
        interrupt(None)
