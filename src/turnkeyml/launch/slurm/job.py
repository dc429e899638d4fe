"""A submitted Slurm job: what is known of it, and how it ended."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.launch.backend import Ending, How, TaskObservation, TaskState, Terms
from turnkeyml.launch.slurm.controller import FinalState, QueuedJob

TERMS = Terms(
    scheduler="Slurm",
    unit="job",
    submit="sbatch",
    cancel="scancel",
    requests="--slurm-args",
    more_time="time= in --slurm-args",
    more_memory="mem= in --slurm-args",
)
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
NO_OUTPUT = 53
"""The signal that Slurm reports if the output file of a job could not be opened."""
_STATES = {
    "CANCELLED": How.CANCELLED,
    "TIMEOUT": How.TIME_LIMIT,
    "OUT_OF_MEMORY": How.OUT_OF_MEMORY,
    "NODE_FAIL": How.NODE_FAILED,
    "BOOT_FAIL": How.NODE_NOT_BOOTED,
    "PREEMPTED": How.PREEMPTED,
    "UNKNOWN": How.VANISHED,
}


@dataclass
class SlurmJob:
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

    def observation(self) -> TaskObservation:
        """Its state for the pool; its time counts only while the queue shows it running."""
        if self.ending is not None:
            return TaskObservation(TaskState.ENDED, ending=self.ending)
        if self.gone_since is None and self.state in ("PENDING", "CONFIGURING"):
            return TaskObservation(TaskState.QUEUED)
        counts = self.gone_since is None and self.state == "RUNNING"
        return TaskObservation(TaskState.RUNNING, self._began if counts else None)

    def is_hopeless(self, now: float) -> bool:
        """Whether it can never start."""
        since = self._hopeless_since
        return since is not None and now - since >= HOPELESS_SECONDS


def _is_hopeless(reason: str) -> bool:
    return reason in _HOPELESS or re.fullmatch(_LIMIT_OF_ONE_JOB, reason) is not None


def ending_of(final: FinalState, job: str, log: Path) -> Ending:
    """How the job ended; ``log`` is the file with its output."""
    code = -final.signal if final.signal else final.exit_code
    how = _how(final)
    words = "" if how is How.UNWRITABLE else final.state
    return Ending(how, code, node=final.nodes, words=words, job=job, log=str(log))


def _how(final: FinalState) -> How:
    if final.state not in ("FAILED", "COMPLETED"):
        return _STATES.get(final.state, How.OTHER)
    if final.signal == NO_OUTPUT:
        return How.NO_FILES
    if final.exit_code == os.EX_IOERR:
        return How.UNWRITABLE
    return How.NO_INTERPRETER if final.exit_code in (126, 127) else How.EXITED
