"""A job in the queue and what is known of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from turnkeyml.launch.backend import Observation, State
from turnkeyml.launch.endings import Ending
from turnkeyml.launch.slurm.commands import FinalState, QueuedJob

__all__ = ["Flight"]

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
    """Of its task in the folder of the run."""
    state: str = "PENDING"
    reason: str = ""
    gone_since: float | None = None
    """Since when it is not in the queue."""
    final: FinalState | None = None
    """What the controller says of its end."""
    ending: Ending | None = None
    """How it ended, when there is nothing more to wait for."""
    released_at: float | None = None
    """Since when its result is known; it may still be in the queue."""
    ok: bool = False
    """Whether that result is a good one."""
    _began: float | None = None
    _hopeless_since: float | None = None

    @property
    def in_queue(self) -> bool:
        """Whether it is pending or running; what is only being cleaned up after is not."""
        return self.gone_since is None and self.state != "COMPLETING"

    def note_queue(self, queued: QueuedJob | None, now: float) -> bool:
        """Take in what the queue says of it, None where it is gone; whether that is new."""
        before = (self.state, self.gone_since is None)
        if queued is None:
            self.gone_since = self.gone_since or now
        else:
            self.gone_since = self.final = None
            self.state, self.reason = queued.state, queued.reason
            if queued.state == "RUNNING":
                self._began = now - queued.seconds
            hopeless = queued.state == "PENDING" and _is_hopeless(queued.reason)
            self._hopeless_since = (self._hopeless_since or now) if hopeless else None
        return before != (self.state, self.gone_since is None)

    def observation(self) -> Observation:
        """What the queue tells; the time of a job counts while it is seen to run."""
        if self.ending is not None:
            return Observation(State.ENDED, ending=self.ending)
        if self.gone_since is None and self.state in ("PENDING", "CONFIGURING"):
            return Observation(State.QUEUED)
        counts = self.gone_since is None and self.state == "RUNNING"
        return Observation(State.RUNNING, self._began if counts else None)

    def is_hopeless(self, now: float) -> bool:
        """Whether it waits for something that cannot come."""
        since = self._hopeless_since
        return since is not None and now - since >= HOPELESS_SECONDS


def _is_hopeless(reason: str) -> bool:
    return reason in _HOPELESS or re.fullmatch(_LIMIT_OF_ONE_JOB, reason) is not None
