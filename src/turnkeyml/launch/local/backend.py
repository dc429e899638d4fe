"""Run tasks on this machine, each in a child process, one or several in parallel."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from turnkeyml.cache import RunFolder, input_log, write_json
from turnkeyml.evaluate import WAIT_MARGIN_SECONDS, Assignment
from turnkeyml.launch.backend import Observation, State
from turnkeyml.launch.endings import Ending, How, Terms
from turnkeyml.launch.local.preload import needed_modules, shared_imports
from turnkeyml.launch.local.processes import (
    Child,
    Launcher,
    interrupt,
    kill_tree,
    make_launcher,
    pausing,
)
from turnkeyml.nouns import Task, to_dict
from turnkeyml.system import TreeMemory, out_of_memory_kills, usable_cores

STOPPED_SECONDS = 10.0
"""A script that was stopped by a signal for longer is killed: nobody continues it."""
LONGEST_LOOK = 2.0
"""The most that counts between two looks at a process."""
LOG_BYTES = 50_000_000
"""A log that grows beyond this is emptied."""


@contextlib.contextmanager
def open_local(
    tasks: Sequence[Task], jobs: int, keep_logs: bool, wait_seconds: float
) -> Iterator[LocalBackend]:
    """A backend that runs up to ``jobs`` tasks in parallel on this machine.

    ``wait_seconds`` is the limit of each of their waits for a build.
    ``keep_logs`` is whether their output goes to files in the cache; otherwise it goes to our own
    standard output.
    """
    with contextlib.ExitStack() as stack:
        folder = RunFolder.make_temporary()
        stack.callback(shutil.rmtree, folder.path, ignore_errors=True)
        scripts = list(dict.fromkeys(task.input.path for task in tasks if task.input.is_script))
        launcher = make_launcher(needed_modules(tasks), folder.path, shared_imports(scripts))
        stack.callback(launcher.close)
        backend = LocalBackend(
            tasks, launcher, folder, jobs, keep_logs=keep_logs, wait_seconds=wait_seconds
        )
        stack.enter_context(pausing(backend.children))
        yield backend


@dataclass
class _Started:
    """A child process and what is known of it."""

    child: Child
    log: Path | None
    began: float = field(default_factory=time.monotonic)
    memory: TreeMemory = field(init=False)
    peak_bytes: int = 0
    out_of_memory_before: int | None = field(default_factory=out_of_memory_kills)
    ending: Ending | None = None
    stopped_at: float = 0.0
    """When it was last seen that a signal has stopped it; 0 if none has."""
    stopped_seconds: float = 0.0
    """How long it has been stopped while we were not."""

    def __post_init__(self) -> None:
        self.memory = TreeMemory(self.child.pid)


class LocalBackend:
    """The child processes on this machine."""

    remote = False
    poll_seconds = 0.05
    terms = Terms()

    def __init__(
        self,
        tasks: Sequence[Task],
        launcher: Launcher,
        folder: RunFolder,
        jobs: int,
        *,
        keep_logs: bool,
        wait_seconds: float,
    ) -> None:
        self._tasks = tasks
        self._launcher = launcher
        self._folder = folder
        self._jobs = jobs
        self._keep_logs = keep_logs
        self._wait_seconds = wait_seconds
        self._started: dict[int, _Started] = {}

    def children(self) -> list[Child]:
        """The processes of the tasks that run."""
        return [started.child for started in self._started.values()]

    def found(self) -> Sequence[int]:
        """Nothing: the children of an earlier run died with it."""
        return ()

    def room(self) -> int:
        return self._jobs - len(self._started)

    def start(self, indices: Sequence[int]) -> Sequence[int]:
        for index in indices:
            log = self._log(index)
            path = self._folder.assignment(index + 1)
            write_json(path, to_dict(self._assignment(index, log)))
            self._started[index] = _Started(self._launcher.start(str(path)), log)
        return indices

    def events(self, index: int) -> Path:
        return self._folder.events(index + 1)

    def wait(self, seconds: float, news: bool) -> None:
        self._launcher.wait(seconds)

    def observe(self, index: int) -> Observation:
        started = self._started[index]
        _limit_size(started.log)
        if started.ending is None:
            code = started.child.exit_code()
            if code is not None:
                started.ending = _ending(started, code, self.events(index))
            elif _is_given_up(started):
                kill_tree(started.child.pid)
                started.ending = Ending(How.STOPPED, -started.child.stopped)
            else:
                child = started.child
                return Observation(
                    State.RUNNING, started.began, pid=child.pid, stopped=child.stopped
                )
        return Observation(State.ENDED, started.began, started.ending)

    def memory(self, index: int, limit: int | None) -> int:
        started = self._started[index]
        used = started.memory.used(limit)
        started.peak_bytes = max(started.peak_bytes, used)
        return used

    def kill(self, index: int) -> bool:
        kill_tree(self._started[index].child.pid)
        return True

    def release(self, index: int, ok: bool) -> Path | None:
        """The log of a task that failed and printed anything; other logs are deleted."""
        log = self._started.pop(index).log
        if log is None or not log.exists():
            return None
        if ok or log.stat().st_size == 0:
            log.unlink()
            return None
        return log

    def drain(self) -> None:
        """Do nothing: a task is over only when its process is gone."""

    def close(self) -> None:
        if self._started:
            interrupt(self.children())
        for started in self._started.values():
            kill_tree(started.child.pid)

    def _assignment(self, index: int, log: Path | None) -> Assignment:
        return Assignment(
            self._tasks[index],
            events=str(self.events(index)),
            turns=str(self._folder.turns) if self._jobs > 1 else None,
            wait_seconds=self._wait_seconds + WAIT_MARGIN_SECONDS,
            output=str(log) if log else None,
            threads=_share_of_cores(min(self._jobs, len(self._tasks))),
        )

    def _log(self, index: int) -> Path | None:
        if not self._keep_logs:
            return None
        task = self._tasks[index]
        log = input_log(Path(task.plan.cache_dir), task.input.stem, index + 1)
        log.parent.mkdir(parents=True, exist_ok=True)
        return log


def _ending(started: _Started, code: int, events: Path) -> Ending:
    """How a process ended; the kernel's counter tells whether it was killed for memory."""
    before, now = started.out_of_memory_before, out_of_memory_kills()
    if code == -signal.SIGKILL and (now or 0) > (before or 0):
        return Ending(How.OUT_OF_MEMORY, code, used_bytes=started.peak_bytes)
    if code == os.EX_IOERR:
        return Ending(How.UNWRITABLE, code, words=str(events))
    if started.child.orphaned:
        return Ending(How.PARENT_KILLED, -started.child.orphaned)
    if code == -signal.SIGKILL and now is not None:
        return Ending(How.KILLED, code)
    return Ending(How.EXITED, code)


def _is_given_up(started: _Started) -> bool:
    """Whether a process has been stopped for so long that nobody will continue it.

    Time in which we were stopped ourselves does not count.
    """
    if not started.child.stopped:
        started.stopped_at = started.stopped_seconds = 0.0
        return False
    now = time.monotonic()
    if started.stopped_at:
        started.stopped_seconds += min(now - started.stopped_at, LONGEST_LOOK)
    started.stopped_at = now
    return started.stopped_seconds > STOPPED_SECONDS


def _share_of_cores(jobs: int) -> int | None:
    """The threads for each of several parallel tasks, so that they do not compete for cores."""
    return max(1, usable_cores() // jobs) if jobs > 1 else None


def _limit_size(log: Path | None) -> None:
    if log is not None and log.exists() and log.stat().st_size > LOG_BYTES:
        log.write_bytes(b"")
