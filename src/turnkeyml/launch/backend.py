"""The interface of a backend: a place where tasks run, in a folder beside this file.

A backend knows the tasks of one run by their indices, which count from 0. It starts a process for
each ``evaluate.assignment.Assignment``, observes it and kills it. The pool decides when, and words
the messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from turnkeyml.launch.endings import Ending, Terms


class State(Enum):
    """The state of a task that a backend has started."""

    QUEUED = auto()
    RUNNING = auto()
    ENDED = auto()


@dataclass(frozen=True)
class Observation:
    """What a backend knows of a task now."""

    state: State
    began: float | None = None
    """When it began to run, by ``time.monotonic()``; None while its time does not count."""
    ending: Ending | None = None
    """How it ended. Ignored if its events say that everything was done."""
    pid: int | None = None
    """The process that runs it, if that is on this machine."""
    stopped: int = 0
    """The signal that has stopped its process; 0 if none has, or that is unknown."""


class Backend(Protocol):
    """A place where tasks run."""

    remote: bool
    """Whether tasks run on other machines, may queue, and end some time before we notice.

    Tasks that are not remote share this machine: nothing starts while one of them measures.
    """
    poll_seconds: float
    """The time between two polls for events while nothing is measured on this machine."""
    terms: Terms
    """The terms for messages about its tasks."""

    def found(self) -> Sequence[int]:
        """Tasks that run, or have run, though ``start`` did not return them; each only once.

        An earlier run left them, or the answer to ``start`` was lost.
        """

    def room(self) -> int:
        """How many more tasks can be started now."""

    def start(self, indices: Sequence[int]) -> Sequence[int]:
        """Start tasks for which there is room; the indices of those that were accepted."""

    def events(self, index: int) -> Path:
        """The file to which a task writes its events."""

    def wait(self, seconds: float, news: bool) -> None:
        """Return after about this time, or earlier if a task has ended.

        ``news`` is whether anything has happened since the last call.
        """

    def observe(self, index: int) -> Observation:
        """The state of a task. Its last events can be read before it counts as ended."""

    def memory(self, index: int, limit: int | None) -> int | None:
        """The bytes that a task and its descendants use now; None if that is unknown.

        They may be too many by what the processes share, unless they exceed the limit.
        """

    def kill(self, index: int) -> bool:
        """Kill a task and its descendants at once; False if that must be tried again."""

    def release(self, index: int, ok: bool) -> Path | None:
        """Forget a task whose result is known; its log, which is kept if the task failed."""

    def drain(self) -> None:
        """Wait a moment for the last processes to end, after every result is known."""

    def close(self) -> None:
        """Kill whatever still runs, also if the run was interrupted."""
