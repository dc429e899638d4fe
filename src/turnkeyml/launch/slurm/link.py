"""The connection to Slurm's controller, which may be silent for a while, and to Ctrl-C."""

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

__all__ = ["Link", "Note", "interrupts_deferred"]

PATIENCE_SECONDS = 600.0
"""For which the controller may be silent, as when it is restarted."""

T = TypeVar("T")
Note = Callable[[str], None]


@dataclass
class Link:
    """The controller, which may be silent for a while."""

    note: Note
    silent_since: float | None = None
    given_up: bool = False
    _told: str = ""

    def ask(self, question: Callable[[], T]) -> T | None:
        """The answer, or None where there is none now; an error when there was none for long."""
        try:
            answer = question()
        except SlurmSilent as error:
            self.bear(error)
            return None
        self.silent_since = None
        return answer

    def bear(self, error: SlurmSilent) -> None:
        """Note a silence, unless it has lasted too long."""
        now = time.monotonic()
        self.silent_since = self.silent_since or now
        minutes = f"{PATIENCE_SECONDS / 60:g} minutes"
        if now - self.silent_since > PATIENCE_SECONDS:
            self.given_up = True
            raise TurnkeyError(
                f"Slurm has not answered for {minutes} ({error}); the jobs may go on, and the "
                "same command with --resume follows them."
            ) from None
        if self._told != str(error):
            self._told = str(error)
            self.note(f"Slurm does not answer ({error}); asking again for {minutes}.")


@contextlib.contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Ctrl-C within the block is felt at its end; a second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    felt: list[int] = []

    def later(number: int, frame: FrameType | None) -> None:
        felt.append(number)
        if len(felt) > 1:
            again(frame)

    def again(frame: FrameType | None) -> None:
        if callable(before):
            before(signal.SIGINT, frame)
        elif before == signal.SIG_DFL:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if felt:
        again(None)
