"""Translate Slurm's final state of a job to an ``Ending``."""

from __future__ import annotations

import os
from pathlib import Path

from turnkeyml.launch.endings import Ending, How, Terms
from turnkeyml.launch.slurm.commands import FinalState

TERMS = Terms(
    scheduler="Slurm",
    unit="job",
    submit="sbatch",
    cancel="scancel",
    requests="--slurm-args",
    more_time="time= in --slurm-args",
    more_memory="mem= in --slurm-args",
)

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
