"""The contract of a place to run tasks; each place is a folder beside this file.

A backend knows the tasks of one run by their places, which count from 0. It starts processes
that do ``evaluate.child.Assignment``s, sees how they are and ends them. What is to become of them,
and what is said about it, is decided by the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from turnkeyml.launch.endings import Ending, Terms

__all__ = ["Backend", "Observation", "State"]


class State(Enum):
    """How far a task has come that a backend has started."""

    QUEUED = auto()
    RUNNING = auto()
    ENDED = auto()


@dataclass(frozen=True)
class Observation:
    """What a backend sees of a task now."""

    state: State
    began: float | None = None
    """When it began to run, by ``time.monotonic()``; None while its time does not count."""
    ending: Ending | None = None
    """How it ended. Matters only if its events do not say that everything was done."""


class Backend(Protocol):
    """A place where tasks run."""

    remote: bool
    """Whether tasks run on machines of their own, may queue, and are seen to end late.

    Tasks that are not remote share this machine: nothing starts while one of them measures.
    """
    poll_seconds: float
    """How often events are looked for where nothing is measured on this machine."""
    terms: Terms
    """The words for the sentences about its tasks."""

    def found(self) -> Sequence[int]:
        """Tasks that are here though ``start`` did not say so; each is named once.

        An earlier run left them, or the answer to ``start`` was lost. Some may be done already.
        """

    def room(self) -> int:
        """How many more tasks can be started now."""

    def start(self, places: Sequence[int]) -> Sequence[int]:
        """Start tasks for which there is room; those that were accepted."""

    def events(self, place: int) -> Path:
        """The file in which the events of a task appear."""

    def wait(self, seconds: float, news: bool) -> None:
        """Return after about this time, or earlier if a task has ended.

        ``news`` is whether anything has happened since the last time.
        """

    def observe(self, place: int) -> Observation:
        """What is to be seen of a task. Its last events are there before it counts as ended."""

    def memory(self, place: int) -> int | None:
        """The bytes that a task and all that it started use now; None where nobody knows."""

    def kill(self, place: int) -> bool:
        """End a task and all that it started, at once; False if that must be tried again."""

    def release(self, place: int, ok: bool) -> Path | None:
        """Let go of a task whose result is known; its log, which is kept if the task failed."""

    def drain(self) -> None:
        """Every result is known: give the last processes a moment to end by themselves."""

    def close(self) -> None:
        """End whatever still runs, whether the run came to its end or not."""
