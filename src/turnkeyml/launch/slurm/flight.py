"""A submitted job and what is known of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from turnkeyml.launch.backend import Observation, State
from turnkeyml.launch.endings import Ending
from turnkeyml.launch.slurm.commands import FinalState, QueuedJob

HOPELESS_SECONDS = 10.0
"""How long Slurm must report that a job can never start before we believe it."""

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
    """A job from its submission until it has left the queue."""

    id: str
    position: int
    """The position of its task in the folder of the run."""
    state: str = "PENDING"
    reason: str = ""
    gone_since: float | None = None
    """The time at which it left the queue."""
    final: FinalState | None = None
    """The final state that the controller reports."""
    ending: Ending | None = None
    """How it ended, once that is settled."""
    released_at: float | None = None
    """The time at which its result was known; it may still be in the queue."""
    ok: bool = False
    """Whether its task was successful."""
    _began: float | None = None
    _hopeless_since: float | None = None

    @property
    def in_queue(self) -> bool:
        """Whether it is pending or running. A job that is only being cleaned up is not."""
        return self.gone_since is None and self.state != "COMPLETING"

    def note_queue(self, queued: QueuedJob | None, now: float) -> bool:
        """Update from its entry in the queue, None if it has left; whether anything changed."""
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
        """Its state for the pool; its time counts only while the queue shows it running."""
        if self.ending is not None:
            return Observation(State.ENDED, ending=self.ending)
        if self.gone_since is None and self.state in ("PENDING", "CONFIGURING"):
            return Observation(State.QUEUED)
        counts = self.gone_since is None and self.state == "RUNNING"
        return Observation(State.RUNNING, self._began if counts else None)

    def is_hopeless(self, now: float) -> bool:
        """Whether it can never start."""
        since = self._hopeless_since
        return since is not None and now - since >= HOPELESS_SECONDS


def _is_hopeless(reason: str) -> bool:
    return reason in _HOPELESS or re.fullmatch(_LIMIT_OF_ONE_JOB, reason) is not None
