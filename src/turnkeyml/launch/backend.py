"""The interface of a backend: a place where tasks run, in a folder beside this file.

A backend knows the tasks of one run by their indices, which count from 0. It starts a process for
each ``evaluate.assignment.Assignment``, observes it and kills it. The pool decides when, and words
the messages: for every way in which a task can end before it is done, there is one here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from turnkeyml import interpreter
from turnkeyml.nouns import BuildStatus

GIB = 1 << 30


class TaskState(Enum):
    """The state of a task that a backend has started."""

    QUEUED = auto()
    RUNNING = auto()
    ENDED = auto()


@dataclass(frozen=True)
class TaskObservation:
    """What a backend knows of a task now."""

    state: TaskState
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

    def observe(self, index: int) -> TaskObservation:
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


class How(Enum):
    """How a task ended. Endings by a scheduler are for backends that have one."""

    EXITED = auto()
    """The process exited or was killed by a signal."""
    KILLED = auto()
    """SIGKILL killed the process, and not because memory ran out."""
    PARENT_KILLED = auto()
    """A signal killed the process that had started it."""
    STOPPED = auto()
    """A signal stopped it, and nothing continued it until the pool killed it."""
    TIMEOUT = auto()
    """The pool killed it at ``--timeout``."""
    MEMORY_LIMIT = auto()
    """The pool killed it at ``--memory-limit``."""
    OUT_OF_MEMORY = auto()
    """The system or the scheduler killed it because memory ran out."""
    TIME_LIMIT = auto()
    """The scheduler killed it at the scheduler's own time limit."""
    CANCELLED = auto()
    PREEMPTED = auto()
    NODE_FAILED = auto()
    NODE_NOT_BOOTED = auto()
    UNWRITABLE = auto()
    """It could not write its events."""
    NO_FILES = auto()
    """The node could not open the files of the task."""
    NO_INTERPRETER = auto()
    VANISHED = auto()
    """The scheduler no longer knows it, for an unknown reason."""
    NEVER_STARTS = auto()
    """It requests resources that the scheduler can never provide."""
    REFUSED = auto()
    """The scheduler did not accept it."""
    OTHER = auto()
    """The scheduler reports a state that turnkey does not know."""


_NOT_BY_THE_INPUT = (
    How.CANCELLED,
    How.PREEMPTED,
    How.NODE_FAILED,
    How.NODE_NOT_BOOTED,
    How.NO_FILES,
    How.NO_INTERPRETER,
    How.VANISHED,
    How.NEVER_STARTS,
    How.REFUSED,
)


@dataclass(frozen=True)
class Ending:
    """How one task ended."""

    how: How
    code: int = 0
    """The exit code of the process; negative for a signal."""
    used_bytes: int = 0
    """The memory that it used; 0 if that is unknown."""
    limit: float = 0
    """The limit that the pool enforced: seconds for a timeout, bytes for memory."""
    node: str = ""
    words: str = ""
    """The scheduler's own message or state."""
    job: str = ""
    """The scheduler's id of it."""
    log: str = ""
    """The path of its output; empty if the message need not name it."""

    @property
    def build_status(self) -> BuildStatus:
        """The status of a build that ran then."""
        if self.how in (How.TIMEOUT, How.TIME_LIMIT):
            return BuildStatus.TIMEOUT
        exited = self.how is How.EXITED and self.code >= 0
        return BuildStatus.FAILED if exited else BuildStatus.KILLED

    @property
    def says_nothing(self) -> bool:
        """Whether the input had no part in it, so that the next time may be different."""
        return self.how in _NOT_BY_THE_INPUT


@dataclass(frozen=True)
class Terms:
    """The terms of one backend for messages; the defaults are for those without a scheduler."""

    scheduler: str = ""
    unit: str = "process"
    """What the scheduler runs."""
    submit: str = ""
    """The command that submits."""
    cancel: str = ""
    """The command that cancels."""
    requests: str = ""
    """The option that sets the resources of a task."""
    more_time: str = ""
    more_memory: str = ""


def sentence(ending: Ending, where: str, terms: Terms) -> str:
    """A message that says what happened and, if it helps, what to do.

    ``where`` says how far the task had come.
    """
    match ending.how:
        case How.TIMEOUT:
            return f"timeout after {ending.limit:g} s {where}; --timeout gives it longer"
        case How.MEMORY_LIMIT:
            return (
                f"out of memory at {ending.used_bytes / GIB:.1f} GiB {where}; "
                f"--memory-limit allows {ending.limit / GIB:.1f} GiB"
            )
        case How.REFUSED:
            return f"{terms.submit} refused the {terms.unit}: {ending.words}."
        case How.NEVER_STARTS:
            return (
                f"{terms.scheduler} can never start the {terms.unit} ({ending.words}); "
                f"{terms.requests} sets the resources of {terms.unit}s."
            )
    what = _end_of_process(ending, where, terms) or _end_by_scheduler(ending, where, terms)
    name = f" ({terms.unit} {ending.job})" if ending.job else ""
    return f"{what}{name}; what it printed is in {ending.log}." if ending.log else f"{what}{name}."


def _end_of_process(ending: Ending, where: str, terms: Terms) -> str | None:
    """The message for an ending by the process or its node; None for other endings."""
    node = ending.node or "that ran it"
    match ending.how:
        case How.EXITED:
            return f"The process {interpreter.describe_exit(ending.code)} {where}"
        case How.UNWRITABLE:
            return (
                f"The process could not write {ending.words or 'its file of events'} {where}: "
                "the disk is full, or the size of files is limited"
            )
        case How.KILLED:
            told = interpreter.describe_exit(ending.code, hint="")
            return f"The process {told} {where}, by itself or by another program"
        case How.PARENT_KILLED:
            told = interpreter.describe_exit(ending.code, hint="")
            return (
                f"The parent of the process {told} {where}, by the script or by another program; "
                "the process was killed with it"
            )
        case How.STOPPED:
            name = interpreter.signal_name(-ending.code)
            return (
                f"The process was stopped by signal {-ending.code} ({name}) {where}, by itself or "
                "by another program, and nothing continued it"
            )
        case How.OUT_OF_MEMORY:
            at = f" at {ending.used_bytes / GIB:.1f} GiB" if ending.used_bytes else ""
            more = f"; {terms.more_memory} gives it more" if terms.more_memory else ""
            return f"out of memory{at} {where}{more or ': the system killed the process'}"
        case How.NO_FILES:
            files = f"the {terms.unit}'s files"
            return f"The node {node} could not open {files}; does it see the cache folder?"
        case How.NO_INTERPRETER:
            return f"The interpreter could not be started; is it installed on the node {node}?"
    return None


def _end_by_scheduler(ending: Ending, where: str, terms: Terms) -> str:
    unit = f"The {terms.unit}"
    node = f"The node {ending.node or f'of the {terms.unit}'}"
    match ending.how:
        case How.CANCELLED:
            return f"{unit} was cancelled ({terms.cancel}) {where}"
        case How.TIME_LIMIT:
            limit = f"{terms.scheduler}'s time limit"
            return f"{unit} reached {limit} {where}; {terms.more_time} gives it longer"
        case How.NODE_FAILED:
            return f"{node} failed {where}"
        case How.NODE_NOT_BOOTED:
            return f"{node} did not boot"
        case How.PREEMPTED:
            return f"{unit} was preempted by another {where}"
        case How.VANISHED:
            return f"{unit} vanished from the queue {where}"
    return f"{unit} ended as {ending.words} {where}"
