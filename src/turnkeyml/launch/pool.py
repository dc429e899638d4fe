"""The pool: runs tasks on any backend, enforces the limits and returns a result per task."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from turnkeyml.cache import PhaseEnd, end_work
from turnkeyml.environment import DEFAULT_TIMEOUT_SECONDS
from turnkeyml.launch.backend import Backend, Ending, How, TaskObservation, TaskState, sentence
from turnkeyml.launch.follow import BEFORE_THE_SCRIPT, TURN, Follower, Watcher
from turnkeyml.nouns import BuildStatus, InputResult, Task, Waiting

POLL_SECONDS_WHILE_MEASURING = 1.0
"""The time between two polls. Long, to leave the measurement alone: the end of a task wakes us."""
TELL_TURN_SECONDS = 60.0
"""How long an input waits for others of its run before a sentence names them; most wait less."""
MEMORY_SECONDS = 0.25
"""The time between two checks of the memory of a task that has a limit."""
LOCK_SECONDS = 2.0
"""The longest wait for the lock of a build whose process was killed: the kernel gives it back."""


@dataclass(frozen=True)
class Limits:
    """How many tasks run in parallel on this machine, and the limits of each task anywhere."""

    jobs: int = 1
    seconds: float | None = None
    """The timeout. Waiting in a queue, for a build or for a turn to measure does not count."""
    wait_seconds: float = DEFAULT_TIMEOUT_SECONDS
    """The limit of each wait for a build, and for each of the others before a turn."""
    memory_bytes: int | None = None


@dataclass
class _Running:
    """A task from its start until its result is known."""

    index: int
    follower: Follower
    announced: bool = False
    seen: TaskObservation = field(default_factory=partial(TaskObservation, TaskState.QUEUED))
    has_run: bool = False
    memory_looked_at: float = 0.0
    told_of_wait: float = 0.0
    """When the wait began that was told last."""
    _waited: float = 0.0
    _read_at: float = 0.0

    @property
    def where(self) -> str:
        """How far it has come, for a message."""
        queued = not self.has_run and self.follower.where == BEFORE_THE_SCRIPT
        return "while it waited in the queue" if queued else self.follower.where

    @property
    def name(self) -> str:
        """Its input and its process, for a message."""
        process = f" (process {self.seen.pid})" if self.seen.pid else ""
        return f"{self.follower.item.name}{process}"

    def see(self, seen: TaskObservation) -> None:
        self.seen = seen
        self.has_run = self.has_run or seen.began is not None

    def read(self) -> bool:
        """Process new events; whether there were any. Time spent waiting does not count."""
        now = time.monotonic()
        if self.follower.waits:
            self._waited += now - self._read_at
        self._read_at = now
        return self.follower.read()

    def seconds_left(self, limits: Limits) -> float | None:
        """The time until its timeout, or until that of its wait; None if nothing limits it."""
        if self.follower.waits:
            return self.follower.waits_since + self.limit(limits) - time.monotonic()
        if limits.seconds is None or self.seen.began is None:
            return None
        return self.seen.began + limits.seconds + self._waited - time.monotonic()

    def limit(self, limits: Limits) -> float:
        """The limit of what it does now. Each of those before it may take its whole time."""
        if self.follower.waits:
            return limits.wait_seconds * (limits.jobs if self.follower.awaits_turn else 1)
        return limits.seconds or 0


class Pool:
    """The tasks of one run, waiting or running."""

    def __init__(
        self, tasks: Sequence[Task], backend: Backend, watcher: Watcher, limits: Limits
    ) -> None:
        self._tasks = tasks
        self._backend = backend
        self._watcher = watcher
        self._limits = limits
        self._waiting = deque(range(len(tasks)))
        self._running: list[_Running] = []
        self._news = False

    def results(self) -> Iterator[tuple[int, InputResult]]:
        """The index and the result of each task, as they finish; nothing is left running."""
        try:
            while self._waiting or self._running:
                self._start()
                self._backend.wait(self._pause(), self._news)
                yield from self._look()
                self._watcher.tick()
            self._backend.drain()
        finally:
            self._backend.close()
            self._note_interruption()

    def _start(self) -> None:
        for index in self._backend.found():
            self._follow(index)
        indices = list(self._waiting)[: self._room()]
        if not indices:
            return
        if not self._backend.remote:
            for index in indices:
                self._announce(index)
        for index in self._backend.start(indices):
            self._follow(index)

    def _room(self) -> int:
        """How many more tasks may start: none if that would disturb or delay a measurement."""
        followers = [running.follower for running in self._running]
        if not self._backend.remote and any(f.measures or f.awaits_turn for f in followers):
            return 0
        return max(0, self._backend.room())

    def _follow(self, index: int) -> None:
        self._waiting.remove(index)
        follower = Follower(self._tasks[index], self._backend.events(index), self._watcher)
        self._running.append(_Running(index, follower, announced=not self._backend.remote))
        self._news = True

    def _announce(self, index: int) -> None:
        self._watcher.input_started(self._tasks[index].input, index + 1, len(self._tasks))

    def _pause(self) -> float:
        """The time until there may be something to do."""
        pause = self._backend.poll_seconds
        if not self._backend.remote and any(r.follower.measures for r in self._running):
            pause = POLL_SECONDS_WHILE_MEASURING
        if self._limits.memory_bytes is not None:
            looks = [_memory_seconds(r.follower, self._limits) for r in self._running]
            pause = min([pause, *looks])
        left = [running.seconds_left(self._limits) for running in self._running]
        return max(0.0, min([pause, *(seconds for seconds in left if seconds is not None)]))

    def _look(self) -> Iterator[tuple[int, InputResult]]:
        """The results of the tasks that have ended since the last look."""
        self._news = False
        for running in list(self._running):
            running.see(self._backend.observe(running.index))  # before its last events are read
            if running.seen.state is not TaskState.QUEUED:
                self._read(running)
            self._tell_wait(running)
            over, ending = self._judge(running)
            if over:
                self._running.remove(running)
                self._news = True
                yield running.index, self._finish(running, ending)

    def _read(self, running: _Running) -> None:
        if not running.announced:
            running.announced = True
            self._announce(running.index)
        self._news = running.read() or self._news

    def _tell_wait(self, running: _Running) -> None:
        """Tell which inputs one of them waits for, once per wait and if it takes long."""
        follower, now = running.follower, time.monotonic()
        began = follower.waits_since
        if not follower.awaits_turn or running.told_of_wait == began:
            return
        if now - began < TELL_TURN_SECONDS:
            return
        running.told_of_wait = began
        others = [r for r in self._running if not r.follower.waits and r is not running]
        names = " and ".join(other.name for other in others)
        what = f"{TURN}, until {names or 'another input'} is done"
        follower.name_holder(what)
        self._watcher.event(follower.item, Waiting(None, what, within_run=True))

    def _judge(self, running: _Running) -> tuple[bool, Ending | None]:
        """Whether a task is over, and how it ended if it was not done. Kills it at a limit."""
        ended, done = running.seen.state is TaskState.ENDED, running.follower.complete
        if ended or (done and self._backend.remote):
            return True, None if done else running.seen.ending
        ending = self._over_time(running) or self._over_memory(running)
        if ending is None or not self._backend.kill(running.index):
            return False, None
        running.read()
        return True, None if running.follower.complete else ending

    def _over_time(self, running: _Running) -> Ending | None:
        left = running.seconds_left(self._limits)
        if left is None or left > 0:
            return None
        if running.seen.stopped:
            return Ending(How.STOPPED, -running.seen.stopped)
        return Ending(How.TIMEOUT, limit=running.limit(self._limits))

    def _over_memory(self, running: _Running) -> Ending | None:
        """How a task ends that uses too much memory; None otherwise.

        Without a limit it is checked too, so that the backend knows the peak, but not while it is
        measured.
        """
        limit, now = self._limits.memory_bytes, time.monotonic()
        often = _memory_seconds(running.follower, self._limits)
        if now - running.memory_looked_at < often or (limit is None and running.follower.measures):
            return None
        running.memory_looked_at = now
        used = self._backend.memory(running.index, limit)
        if limit is None or used is None or used <= limit:
            return None
        return Ending(How.MEMORY_LIMIT, used_bytes=used, limit=limit)

    def _finish(self, running: _Running, ending: Ending | None) -> InputResult:
        """The result of a task that is over; the watcher gets it too."""
        if not running.announced:
            self._announce(running.index)
        failure = sentence(ending, running.where, self._backend.terms) if ending else None
        follower = running.follower
        status, silent = BuildStatus.FAILED, False
        if ending is not None:
            status, silent = ending.build_status, ending.says_nothing
        end = PhaseEnd(
            status, failure or "its process ended without a word", follower.stage, silent
        )
        statuses, remarks = _end_builds(follower, end, LOCK_SECONDS)
        result = follower.result(failure, statuses, remarks)
        log = self._backend.release(running.index, not result.failed)
        if log is not None and not (ending and ending.log):
            result = replace(result, log=str(log))
        self._watcher.input_finished(result)
        return result

    def _note_interruption(self) -> None:
        """Record in the builds of tasks that still ran that the run was interrupted.

        Their processes are gone, or will be: what these can't be given now, readers find out.
        """
        deadline = time.monotonic() + LOCK_SECONDS
        for running in self._running:
            running.read()
            message = f"interrupted {running.where}"
            stage = running.follower.stage
            end = PhaseEnd(BuildStatus.KILLED, message, stage, says_nothing=True)
            _end_builds(running.follower, end, max(0.0, deadline - time.monotonic()))


def _memory_seconds(follower: Follower, limits: Limits) -> float:
    """The time between two checks of a task's memory: measurements are left alone."""
    often = limits.memory_bytes is not None and not follower.measures
    return MEMORY_SECONDS if often else 4 * MEMORY_SECONDS


def _end_builds(
    follower: Follower, end: PhaseEnd, seconds: float
) -> tuple[dict[str, BuildStatus], list[str]]:
    """Record how a task ended in the builds that it did not finish: the statuses of these builds
    by name, and sentences about what could not be recorded."""
    statuses: dict[str, BuildStatus] = {}
    remarks: list[str] = []
    for folder in follower.unfinished():
        try:
            status = end_work(folder, end, seconds)
        except OSError as error:  # such as a full disk; the result of the task has the end anyway
            why = error.strerror or type(error).__name__
            remarks.append(f"The end of {folder.name} could not be recorded in the cache ({why}).")
        else:
            if status is not None:
                statuses[folder.name] = status
    return statuses, remarks
