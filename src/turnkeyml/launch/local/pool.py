"""Evaluating inputs on this machine, each in a child process, one or several at a time."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache.files import write_json
from turnkeyml.cache.layout import safe_name
from turnkeyml.evaluate.child import Assignment
from turnkeyml.frameworks import frameworks
from turnkeyml.launch.follow import Follower, Watcher
from turnkeyml.launch.local.preload import shared_imports
from turnkeyml.launch.local.processes import Child, Launcher, kill_tree, make_launcher
from turnkeyml.nouns import Input, InputResult, Task, to_dict
from turnkeyml.system import machine
from turnkeyml.system import process_tree as memory

__all__ = ["Limits", "evaluate_inputs"]

POLL_SECONDS = 0.05
POLL_SECONDS_WHILE_MEASURING = 1.0
"""The end of a child wakes us at once; nothing else is worth a disturbance."""
MEMORY_SECONDS = 0.25
GIB = 1 << 30
LOG_BYTES = 50_000_000
"""A script that prints more than this begins its log anew."""


@dataclass(frozen=True)
class Limits:
    """How many inputs may run at a time, and what each of them may use."""

    jobs: int = 1
    logs: str | None = None
    """The folder for what the inputs print; None to let them print where we do."""
    seconds: float | None = None
    memory_bytes: int | None = None


def evaluate_inputs(
    tasks: list[Task],
    watcher: Watcher,
    limits: Limits | None = None,
) -> Iterator[InputResult]:
    """What became of every input by its plan, as they finish, whatever becomes of the others."""
    with contextlib.ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="turnkey-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        paths = list(dict.fromkeys(task.input.path for task in tasks if task.input.is_script))
        launcher = make_launcher(_modules_to_import(tasks), folder, shared_imports(paths))
        stack.callback(launcher.close)
        stack.callback(watcher.close)
        yield from _Pool(launcher, watcher, limits or Limits(), folder).run(tasks)


def _modules_to_import(tasks: list[Task]) -> list[str]:
    """What every child will need, imported once; nothing that none of them will."""
    scripts = any(task.input.is_script for task in tasks)
    modules = ["turnkeyml.evaluate.child"]
    if scripts:
        modules += [m for framework in frameworks() for m in framework.script_modules]
    if not all(task.plan.analyze_only for task in tasks):
        modules.append("turnkeyml.evaluate.invocation")
        if len(tasks) > 1:  # one alone may find its build in the cache and need none of these
            modules += ["turnkeyml.build.stages.optimize_onnx", "turnkeyml.runtimes.ort_session"]
            found = frameworks() if scripts else []
            modules += [m for framework in found for m in framework.build_modules]
    return modules


@dataclass
class _Running:
    """A child and what is known of it."""

    follower: Follower
    child: Child
    deadline: float | None
    log: str | None = None
    since: float = field(default_factory=time.monotonic)
    peak_bytes: int = 0
    memory_looked_at: float = 0.0
    out_of_memory_before: int = field(default_factory=memory.out_of_memory_kills)


class _Pool:
    """The inputs that run now, and those to come."""

    def __init__(
        self,
        launcher: Launcher,
        watcher: Watcher,
        limits: Limits,
        folder: Path,
    ) -> None:
        self._launcher = launcher
        self._watcher = watcher
        self._limits = limits
        self._folder = folder
        self._running: list[_Running] = []

    def run(self, tasks: list[Task]) -> Iterator[InputResult]:
        waiting = list(enumerate(tasks, start=1))
        waiting.reverse()
        try:
            while waiting or self._running:
                while waiting and self._has_room():
                    position, task = waiting.pop()
                    self._start(task, position, len(tasks))
                yield from self._look()
        finally:
            for running in self._running:
                kill_tree(running.child.pid)

    def _has_room(self) -> bool:
        """Whether another may start: not too many, and not where it would disturb or delay."""
        quiet = any(r.follower.measures or r.follower.waits for r in self._running)
        return not self._running or (len(self._running) < self._limits.jobs and not quiet)

    def _start(self, task: Task, position: int, total: int) -> None:
        item = task.input
        self._watcher.input_started(item, position, total)
        turns = str(self._folder / "turns") if self._limits.jobs > 1 else None
        log = self._log(item, position)
        assignment = Assignment(
            task,
            events=str(self._folder / f"{position}.jsonl"),
            turns=turns,
            output=log,
            threads=_share_of_cores(min(self._limits.jobs, total)),
        )
        path = self._folder / f"{position}.json"
        write_json(path, to_dict(assignment))
        follower = Follower(assignment, self._watcher)
        child = self._launcher.start(str(path))
        limit = self._limits.seconds
        deadline = time.monotonic() + limit if limit else None
        self._running.append(_Running(follower, child, deadline, log))

    def _log(self, item: Input, position: int) -> str | None:
        if self._limits.logs is None:
            return None
        os.makedirs(self._limits.logs, exist_ok=True)
        return os.path.join(
            self._limits.logs, f"{safe_name(item.stem)}-{os.getpid()}-{position}.log"
        )

    def _look(self) -> Iterator[InputResult]:
        """Wait a moment, then deal with every child that has something to tell or has ended."""
        self._launcher.wait(self._pause())
        for running in list(self._running):
            code = running.child.exit_code()
            self._read(running)
            failure = self._how_it_ended(running, code)
            if code is None and failure is None:
                continue
            self._running.remove(running)
            result = _with_log(running.follower.result(failure), running.log)
            self._watcher.input_finished(result)
            yield result
        self._watcher.tick()

    def _read(self, running: _Running) -> None:
        """New events; the time in which it waits for others does not count as its own."""
        now = time.monotonic()
        if running.follower.waits and running.deadline is not None:
            running.deadline += now - running.since
        running.since = now
        running.follower.read()

    def _pause(self) -> float:
        measuring = any(r.follower.measures for r in self._running)
        pause = POLL_SECONDS_WHILE_MEASURING if measuring else POLL_SECONDS
        if self._limits.memory_bytes is not None:
            pause = min(pause, MEMORY_SECONDS)
        now = time.monotonic()
        left = [r.deadline - now for r in self._running if r.deadline and not r.follower.waits]
        return max(0.0, min([pause, *left]))

    def _how_it_ended(self, running: _Running, code: int | None) -> str | None:
        """What is to be said of its end, or None where there is nothing, or it has not ended."""
        follower = running.follower
        if code is not None:
            return None if follower.complete else self._describe(running, code)
        if running.deadline and time.monotonic() >= running.deadline and not follower.waits:
            kill_tree(running.child.pid)
            follower.read()
            seconds = self._limits.seconds
            return f"timeout after {seconds:g} s {follower.where}; --timeout gives it longer"
        _limit_size(running.log)
        used = self._memory(running)
        limit = self._limits.memory_bytes
        if limit is not None and used > limit:
            kill_tree(running.child.pid)
            follower.read()
            return (
                f"out of memory at {used / GIB:.1f} GiB {follower.where}; "
                f"--memory-limit allows {limit / GIB:.1f} GiB"
            )
        return None

    def _memory(self, running: _Running) -> int:
        """What it and everything it started use now; looked at only now and then."""
        now = time.monotonic()
        often = MEMORY_SECONDS if self._limits.memory_bytes else 4 * MEMORY_SECONDS
        if now - running.memory_looked_at < often or running.follower.measures:
            return 0
        running.memory_looked_at = now
        used = memory.tree_bytes(running.child.pid)
        running.peak_bytes = max(running.peak_bytes, used)
        return used

    def _describe(self, running: _Running, code: int) -> str:
        """How a process ended before it was done."""
        where = running.follower.where
        killed = memory.out_of_memory_kills() > running.out_of_memory_before
        if code == -signal.SIGKILL and killed:
            at = f" at {running.peak_bytes / GIB:.1f} GiB" if running.peak_bytes else ""
            return f"out of memory{at} {where}: the system killed the process."
        return f"The process {interpreter.describe_exit(code)} {where}."


def _share_of_cores(jobs: int) -> int | None:
    """Threads for each of several at a time: more than there are cores only wait for each other."""
    return max(1, machine.usable_cores() // jobs) if jobs > 1 else None


def _with_log(result: InputResult, log: str | None) -> InputResult:
    """With the log of an input that failed; that of another is of no use any more."""
    if log is None or not os.path.exists(log):
        return result
    if result.ok or os.path.getsize(log) == 0:
        os.unlink(log)
        return result
    return replace(result, log=log)


def _limit_size(log: str | None) -> None:
    if log is not None and os.path.exists(log) and os.path.getsize(log) > LOG_BYTES:
        os.truncate(log, 0)
