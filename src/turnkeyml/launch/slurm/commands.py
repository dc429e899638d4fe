"""Slurm's own commands: what we ask of them, and what they answer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from turnkeyml.errors import TurnkeyError, UsageError

__all__ = [
    "FinalState",
    "QueuedJob",
    "SlurmRefused",
    "SlurmSilent",
    "cancel",
    "final_state",
    "kill",
    "largest_array",
    "queue",
    "require",
    "submit",
]

PATIENCE_SECONDS = 60
"""For one command; the controller's own time limits are shorter."""
USUAL_ARRAY_SIZE = 1001

_SILENCE = (
    "unable to contact slurm controller",
    "socket timed out",
    "zero bytes were transmitted",
    "connection refused",
    "communication connection failure",
    "transport endpoint",
    "temporarily un",
    "in standby mode",
)


class SlurmSilent(TurnkeyError):
    """The controller did not answer; it may later."""


class SlurmRefused(TurnkeyError):
    """Slurm understood the question and said no."""

    @property
    def is_too_many(self) -> bool:
        """Whether fewer jobs at a time would be accepted."""
        return "submitjob" in str(self).lower()


@dataclass(frozen=True)
class QueuedJob:
    """One job or array task that is pending, running or about to be gone."""

    id: str
    state: str
    seconds: float
    """For which it has run."""
    reason: str
    script: str


@dataclass(frozen=True)
class FinalState:
    """How a job ended, as far as the controller remembers."""

    state: str = "UNKNOWN"
    exit_code: int = 0
    signal: int = 0
    nodes: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended at all."""
        return self.state in ("PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING")


def require() -> None:
    """Refuse to go on where there is no Slurm."""
    if shutil.which("sbatch") is None:
        raise UsageError("sbatch was not found; run this on a login node of a Slurm cluster.")


def largest_array() -> int:
    """How many tasks an array may have, counted from index 0; none where arrays are off."""
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", _run("scontrol", "show", "config"), re.M)
    return int(found[1]) if found else USUAL_ARRAY_SIZE


def submit(*words: str) -> str:
    """The id of the new job or array."""
    lines = _run("sbatch", "--parsable", *words).split()
    return lines[-1].split(";")[0]


def queue() -> list[QueuedJob]:
    """All jobs of this user that are not over, array tasks one by one."""
    text = _run("squeue", "--me", "-h", "-r", "-o", "%i|%T|%M|%r|%o")
    rows = [line.split("|", 4) for line in text.splitlines()]
    return [
        QueuedJob(name, state, _seconds(used), reason, script)
        for name, state, used, reason, script in (row for row in rows if len(row) == 5)
    ]


def final_state(job: str) -> FinalState:
    """How a job ended. The controller forgets after a while (MinJobAge)."""
    if not job:
        return FinalState()
    try:
        text = _run("scontrol", "-o", "show", "job", job)
    except SlurmRefused:
        return FinalState()
    state = re.search(r"\bJobState=(\w+)", text)
    codes = re.search(r"\bExitCode=(\d+):(\d+)", text)
    nodes = re.search(r"\sNodeList=(\S+)", text)
    return FinalState(
        state[1] if state else "UNKNOWN",
        int(codes[1]) if codes else 0,
        int(codes[2]) if codes else 0,
        nodes[1] if nodes and nodes[1] != "(null)" else "",
    )


def cancel(jobs: list[str]) -> bool:
    """Take jobs out of the queue; those that are over already do not matter."""
    if jobs:
        _run("scancel", "--quiet", *jobs, may_fail=True)
    return True


def kill(job: str) -> bool:
    """End every process of a running job at once: scancel alone leaves them time (KillWait)."""
    _run("scancel", "--quiet", "--full", "--signal=KILL", job, may_fail=True)
    return cancel([job])


def _run(*command: str, may_fail: bool = False) -> str:
    """What a command printed; an error if it says no, unless that does not matter."""
    hidden = ("SQUEUE_", "SCANCEL_", "SBATCH_WAIT")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_SECONDS,
            start_new_session=True,  # Ctrl-C is for us; a submission is not to be cut in two
        )
    except FileNotFoundError:
        raise UsageError(
            f"{command[0]} was not found; run this on a login node of a Slurm cluster."
        ) from None
    except subprocess.TimeoutExpired:
        raise SlurmSilent(f"{command[0]} gave no answer in {PATIENCE_SECONDS} s.") from None
    words = _words(done.stderr)
    if done.returncode == 0 and not (may_fail and _is_silence(words)):
        return done.stdout
    if _is_silence(words) or (command[0] == "squeue"):
        raise SlurmSilent(f"{command[0]}: {words}")
    if may_fail:
        return done.stdout
    raise SlurmRefused(words or f"it exited with code {done.returncode}")


def _is_silence(words: str) -> bool:
    return any(sign in words.lower() for sign in _SILENCE)


def _words(errors: str) -> str:
    """What a command complained of, in one line without its own name."""
    lines = [re.sub(r"^\w+: (error: |fatal: )?", "", line.strip()) for line in errors.splitlines()]
    return "; ".join(dict.fromkeys(line for line in lines if line))


def _seconds(text: str) -> float:
    """Of a time as squeue writes it: [days-][hours:]minutes:seconds."""
    days, _, clock = text.rpartition("-")
    parts = clock.split(":")
    if not all(part.isdigit() for part in [*parts, days or "0"]):
        return 0.0
    total = 0
    for part in parts:
        total = total * 60 + int(part)
    return float(total + int(days or 0) * 86400)
