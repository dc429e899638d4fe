"""Jobs in the queue, what is known of each, and the tasks that they work on."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from turnkeyml.evaluate.child import Assignment
from turnkeyml.launch.follow import Follower, Watcher
from turnkeyml.launch.slurm.commands import Ending, QueuedJob
from turnkeyml.launch.slurm.run import Run
from turnkeyml.nouns import InputResult, Task

__all__ = ["Board", "Flight"]

HOPELESS_SECONDS = 10.0
"""For which a reason that should never go away must have been given."""

_HOPELESS = {
    "AccountNotAllowed",
    "BadConstraints",
    "DependencyNeverSatisfied",
    "InvalidAccount",
    "InvalidQOS",
    "PartitionConfig",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "QOSNotAllowed",
    "ReservationDeleted",
}
_LIMIT_OF_ONE_JOB = r"(Assoc|QOS)Max\w*PerJob\w*"


@dataclass
class Flight:
    """A job that was submitted, from then until it is no longer in the queue."""

    id: str
    position: int
    follower: Follower
    state: str = "PENDING"
    reason: str = ""
    started: bool = False
    gone_since: float | None = None
    ending: Ending | None = None
    done_since: float | None = None
    """Since when its result is known; it may still be in the queue."""
    succeeded: bool = False
    _began: float | None = None
    _waited: float = 0.0
    _read_at: float = 0.0
    _hopeless_since: float | None = None

    @property
    def in_queue(self) -> bool:
        """Whether it is pending or running; what is only being cleaned up after is not."""
        return self.gone_since is None and self.state != "COMPLETING"

    @property
    def has_left_the_start(self) -> bool:
        return self.gone_since is not None or self.state not in ("PENDING", "CONFIGURING")

    @property
    def where(self) -> str:
        """How far it has come."""
        waits = self._began is None and self.follower.where == "before the script ran"
        return "while it waited in the queue" if waits else self.follower.where

    def note_queue(self, queued: QueuedJob | None, now: float) -> bool:
        """Take in what the queue says of it, None where it is gone; whether that is new."""
        before = (self.state, self.gone_since is None)
        if queued is None:
            self.gone_since = self.gone_since or now
        else:
            self.gone_since, self.ending = None, None
            self.state, self.reason = queued.state, queued.reason
            if queued.state == "RUNNING":
                self._began = now - queued.seconds
            hopeless = queued.state == "PENDING" and _is_hopeless(queued.reason)
            self._hopeless_since = (self._hopeless_since or now) if hopeless else None
        return before != (self.state, self.gone_since is None)

    def read(self, now: float) -> bool:
        """Take in new events; the time in which it waits for others does not count as its own."""
        if self.follower.waits:
            self._waited += now - self._read_at
        self._read_at = now
        return self.follower.read()

    def deadline(self, seconds: float | None) -> float | None:
        """When it will have run for so long; None while that is not known, or does not matter."""
        counts = self.state == "RUNNING" and self.in_queue and not self.follower.waits
        if seconds is None or self._began is None or not counts:
            return None
        return self._began + seconds + self._waited

    def is_hopeless(self, now: float) -> bool:
        """Whether it waits for something that cannot come."""
        since = self._hopeless_since
        return since is not None and now - since >= HOPELESS_SECONDS


def _is_hopeless(reason: str) -> bool:
    return reason in _HOPELESS or re.fullmatch(_LIMIT_OF_ONE_JOB, reason) is not None


@dataclass
class Board:
    """The tasks by their positions in a run, and who is told of them."""

    run: Run
    tasks: dict[int, Task]
    watcher: Watcher

    def assignment(self, position: int) -> Assignment:
        return self.run.assignment(position, self.tasks[position])

    def flight(self, job: str, position: int) -> Flight:
        return Flight(job, position, Follower(self.assignment(position), self.watcher))

    def start(self, flight: Flight) -> None:
        """Announce an input, once."""
        if not flight.started:
            flight.started = True
            order = list(self.tasks).index(flight.position) + 1
            self.watcher.input_started(flight.follower.item, order, len(self.tasks))

    def finish(self, flight: Flight, failure: str | None) -> InputResult:
        """Its result, which everybody is told."""
        self.start(flight)
        result = flight.follower.result(failure)
        flight.done_since, flight.succeeded = time.monotonic(), result.ok
        if result.ok:
            self.run.forget_log(flight.id)
        self.watcher.input_finished(result)
        return result
