"""Run tasks on this machine, each in a child process, one or several in parallel.

The zygote imports modules once for all children: those that turnkey needs, and libraries that many
scripts share. A library counts only if every script that imports it does so before anything else:
a script may set an environment variable before an import, and must then not find the library
already imported.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from turnkeyml.cache import RunFolder, input_log, write_json
from turnkeyml.evaluate import WAIT_MARGIN_SECONDS, Assignment
from turnkeyml.frameworks import frameworks
from turnkeyml.launch.backend import Ending, How, TaskObservation, TaskState, Terms
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
LEAST_SCRIPTS = 9
"""A library is preloaded only if at least this many scripts import it."""
_OURS = {"torch", "numpy", "turnkeyml", "mlagility"}
"""Not preloaded for scripts: imported anyway, or cheap."""


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

    def observe(self, index: int) -> TaskObservation:
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
                return TaskObservation(
                    TaskState.RUNNING, started.began, pid=child.pid, stopped=child.stopped
                )
        return TaskObservation(TaskState.ENDED, started.began, started.ending)

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


def needed_modules(tasks: Sequence[Task]) -> list[str]:
    """The turnkey and framework modules that the children of these tasks need."""
    scripts = any(task.input.is_script for task in tasks)
    modules = ["turnkeyml.evaluate.child"]
    if scripts:
        modules += [m for framework in frameworks() for m in framework.script_modules]
    if not all(task.plan.analyze_only for task in tasks):
        modules.append("turnkeyml.evaluate.invocation")
        if len(tasks) > 1:  # a single task may find its build in the cache and need none of these
            modules += [
                "turnkeyml.build.stages.optimize_onnx",
                "turnkeyml.runtimes.onnxruntime.session",
            ]
            found = frameworks() if scripts else []
            modules += [m for framework in found for m in framework.build_modules]
    return modules


def shared_imports(scripts: Sequence[str]) -> list[str]:
    """The libraries to preload, as ``package`` or ``package:attribute``.

    The attribute is one that the first script imports. It makes packages with lazy imports load
    what the scripts need.
    """
    if len(scripts) < LEAST_SCRIPTS:
        return []
    users: dict[str, list[str]] = {}
    unsafe = {package for framework in frameworks() for package in framework.never_preloaded}
    for script in scripts:
        first, later = _imports(script)
        for package, spec in first.items():
            users.setdefault(package, []).append(spec)
            if _is_beside(package, script):
                unsafe.add(package)
        unsafe |= later
    return [
        specs[0]
        for package, specs in users.items()
        if len(specs) >= LEAST_SCRIPTS and package not in unsafe and _is_installed(package)
    ]


def _imports(script: str) -> tuple[dict[str, str], set[str]]:
    """The packages that a script imports before anything else, and those it imports later."""
    try:
        tree = ast.parse(Path(script).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}, set()
    first: dict[str, str] = {}
    leading = True
    later: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for package, spec in _named(node):
                if leading:
                    first.setdefault(package, spec)
                elif package not in first:
                    later.add(package)
        elif not _is_docstring(node):
            leading = False
            inner = (n for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom)))
            later |= {package for n in inner for package, _ in _named(n) if package not in first}
    return first, later


def _named(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for name in node.names:
            yield name.name.partition(".")[0], name.name
    elif node.module and not node.level:
        yield node.module.partition(".")[0], f"{node.module}:{node.names[-1].name}"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_beside(package: str, script: str) -> bool:
    """Whether the script would import a module of that name from its own folder."""
    folder = Path(script).parent
    return (folder / f"{package}.py").exists() or (folder / package / "__init__.py").exists()


def _is_installed(package: str) -> bool:
    if package in _OURS or package in sys.stdlib_module_names:
        return False
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
