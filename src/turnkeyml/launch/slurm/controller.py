"""Slurm's controller: its commands, their parsed output, and patience while it does not answer."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

from turnkeyml.errors import TurnkeyError, UsageError

PATIENCE_SECONDS = 60
"""The timeout of one command; the controller's own timeouts are shorter."""
USUAL_ARRAY_SIZE = 1001
"""Slurm's default for MaxArraySize."""
OUTAGE_SECONDS = 600.0
"""How long the controller may not answer, as during a restart."""
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
"""Parts of Slurm's messages that mean that the controller did not answer. Slurm has no code for
it."""
T = TypeVar("T")
Note = Callable[[str], None]


class SlurmSilent(TurnkeyError):
    """The controller did not answer; it may later."""


class SlurmRefused(TurnkeyError):
    """Slurm answered and refused the command."""

    @property
    def is_too_many(self) -> bool:
        """Whether Slurm would accept fewer jobs. Only its message tells (QOSMaxSubmitJob…)."""
        return "submitjob" in str(self).lower()


@dataclass(frozen=True)
class QueuedJob:
    """One job or array task that is pending, running or about to be gone."""

    id: str
    state: str
    seconds: float
    """The time that it has run."""
    reason: str
    script: str


@dataclass(frozen=True)
class FinalState:
    """How a job ended, as far as the controller still knows."""

    state: str = "UNKNOWN"
    exit_code: int = 0
    signal: int = 0
    nodes: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether the job has not ended after all."""
        return self.state in ("PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING")


def require() -> None:
    """Raise a UsageError if Slurm is not installed."""
    if shutil.which("sbatch") is None:
        raise UsageError("sbatch was not found; run this on a login node of a Slurm cluster.")


def largest_array() -> int:
    """The largest number of tasks in an array; 0 if the cluster has no arrays."""
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", _run("scontrol", "show", "config"), re.M)
    return int(found[1]) if found else USUAL_ARRAY_SIZE


def submit(*words: str) -> str:
    """Submit a job or an array; its id."""
    lines = _run("sbatch", "--parsable", *words).split()
    return lines[-1].split(";")[0]


def queue() -> list[QueuedJob]:
    """The jobs of this user that have not ended, one entry per array task."""
    text = _run("squeue", "--me", "-h", "-r", "-o", "%i|%T|%M|%r|%o")
    rows = [line.split("|", 4) for line in text.splitlines()]
    return [
        QueuedJob(name, state, _seconds(used), reason, script)
        for name, state, used, reason, script in (row for row in rows if len(row) == 5)
    ]


def final_state(job: str) -> FinalState:
    """How a job ended; unknown if the controller has forgotten it (MinJobAge)."""
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
    """Cancel jobs; True. Jobs that have ended already are ignored."""
    if jobs:
        _run("scancel", "--quiet", *jobs, may_fail=True)
    return True


def kill(job: str) -> bool:
    """Kill every process of a running job at once; True. scancel alone waits (KillWait)."""
    _run("scancel", "--quiet", "--full", "--signal=KILL", job, may_fail=True)
    return cancel([job])


def _run(*command: str, may_fail: bool = False) -> str:
    """The output of a command; a TurnkeyError if it fails, unless it may."""
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
            start_new_session=True,  # so that Ctrl-C does not interrupt a submission
        )
    except FileNotFoundError:
        raise UsageError(
            f"{command[0]} was not found; run this on a login node of a Slurm cluster."
        ) from None
    except subprocess.TimeoutExpired:
        raise SlurmSilent(f"{command[0]} did not answer in {PATIENCE_SECONDS} s") from None
    message = _message(done.stderr)
    if done.returncode == 0 and not (may_fail and _is_silence(message)):
        return done.stdout
    if _is_silence(message) or (command[0] == "squeue"):
        raise SlurmSilent(f"{command[0]}: {message}")
    if may_fail:
        return done.stdout
    raise SlurmRefused(message or f"it exited with code {done.returncode}")


def _is_silence(message: str) -> bool:
    return any(sign in message.lower() for sign in _SILENCE)


def _message(errors: str) -> str:
    """The error message of a command on one line, without the name of the command."""
    lines = [re.sub(r"^\w+: (error: |fatal: )?", "", line.strip()) for line in errors.splitlines()]
    return "; ".join(dict.fromkeys(line for line in lines if line))


def _seconds(text: str) -> float:
    """The seconds of a time as squeue prints it: [days-][hours:]minutes:seconds."""
    days, _, clock = text.rpartition("-")
    parts = clock.split(":")
    if not all(part.isdigit() for part in [*parts, days or "0"]):
        return 0.0
    total = 0
    for part in parts:
        total = total * 60 + int(part)
    return float(total + int(days or 0) * 86400)


@dataclass
class Controller:
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
            self.note_silence(error)
            return None
        self.silent_since = None
        return answer

    def note_silence(self, error: SlurmSilent) -> None:
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
