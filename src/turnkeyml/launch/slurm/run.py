"""A run on Slurm: the options of its jobs, its files, and its submission as job arrays.

From the files a new submitter can continue the run. They include pickled sequences, which the jobs
load, so only the owner may read or change them.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
import re
import shlex
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache import (
    FileLock,
    Rank,
    SlurmRunFolder,
    slurm_lock,
    slurm_run_folders,
    teller,
    write_json,
)
from turnkeyml.errors import UsageError
from turnkeyml.evaluate import WAIT_MARGIN_SECONDS, Assignment
from turnkeyml.launch.slurm import controller
from turnkeyml.launch.slurm.controller import Note
from turnkeyml.nouns import DamagedRecord, Task, from_dict, to_dict

OWNER_ONLY_FOLDER = 0o700
OWNER_ONLY_FILE = 0o600
_OURS = {
    "array": "turnkey makes the arrays",
    "chdir": "jobs run in the working directory of turnkey",
    "clusters": "set SLURM_CLUSTERS instead, which all of Slurm's commands read",
    "error": "turnkey keeps the logs in the cache",
    "no-requeue": "turnkey never requeues jobs",
    "open-mode": "turnkey keeps the logs in the cache",
    "output": "turnkey keeps the logs in the cache",
    "parsable": "turnkey sets it",
    "requeue": "use --resume to repeat an interrupted input",
    "test-only": "it would submit nothing",
    "wait": "turnkey waits for the jobs itself",
    "wrap": "turnkey writes the script",
}
"""The options of sbatch that turnkey sets itself, each with the reason."""


@dataclass(frozen=True)
class SlurmOptions:
    """How jobs are submitted, and how many."""

    arguments: tuple[str, ...] = ()
    """Options of sbatch, as ``parse_arguments`` returns them."""
    max_jobs: int = 50
    """The largest number of pending and running jobs."""
    python: str | None = None
    """The interpreter of the jobs; None for the current one."""
    poll_seconds: float = 1.0
    """The time between two queries of the queue while something happens."""

    def __post_init__(self) -> None:
        if self.max_jobs < 1:
            raise UsageError(f"The number of Slurm jobs must be at least 1, not {self.max_jobs}.")

    def sbatch_words(self, seconds: float | None) -> list[str]:
        """The sbatch options of every submission of tasks with this time limit.

        Slurm's own time limit is a little longer, and acts if turnkey is gone.
        """
        words = ["--job-name=turnkey", *self.arguments]
        if seconds is not None and not any(a.startswith("--time=") for a in self.arguments):
            words.append(f"--time={math.ceil(seconds / 60) + 1}")
        return [*words, "--no-requeue", "--open-mode=append", f"--chdir={os.getcwd()}"]


def parse_arguments(text: str) -> tuple[str, ...]:
    """The sbatch options for a text of ``key=value`` and ``key``."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"Cannot split the Slurm arguments {text!r}: {error}.") from None
    return tuple(_option(word) for word in words)


def _option(word: str) -> str:
    found = re.fullmatch(r"-{0,2}([A-Za-z][A-Za-z-]+)(=.+)?", word, re.DOTALL)
    if found is None:
        raise UsageError(
            f"The Slurm argument {word!r} must be key=value or key, with sbatch's long option "
            'names, as in "partition=gpu gres=gpu:1 time=2:00:00 mem=16G".'
        )
    key, value = found[1], found[2] or ""
    if key in _OURS:
        raise UsageError(f"The Slurm argument {key!r} is not allowed: {_OURS[key]}.")
    return f"--{key}{value}"


@dataclass(frozen=True)
class _Record:
    """The stored record of a run, from which another process can continue it."""

    host: str
    pid: int
    tasks: tuple[str, ...]
    jobs: dict[str, int]

    def __post_init__(self) -> None:
        if not all(re.fullmatch(r"\d+(_\d+)?", job, re.ASCII) for job in self.jobs):
            raise DamagedRecord("a job id is malformed")


@dataclass
class Run:
    """The tasks of one run, by their positions from 1, and its files."""

    folder: SlurmRunFolder
    keys: tuple[str, ...]
    """The identities of the tasks, in the order of their positions."""
    jobs: dict[str, int] = field(default_factory=dict)
    """The position of the task of each submitted job."""

    def prepare(self, position: int, task: Task, wait_seconds: float | None = None) -> None:
        """Write the files that a job needs, with the limit of each of its waits for a build.

        The events file is created empty now, because a network file system may cache for long that
        a file did not exist.
        """
        events = self.folder.events(position)
        _write(events, "")
        assignment = Assignment(task, str(events), wait_seconds=wait_seconds)
        _write_json(self.folder.assignment(position), to_dict(assignment))

    def write_script(self, offset: int, python: str | None) -> Path:
        """Write the script of an array, whose task N is at position ``offset + N``; its path."""
        command = interpreter.command("turnkeyml.launch.slurm.child", str(self.folder.path))
        command[0] = python or command[0]
        path = self.folder.script(offset)
        _write(
            path,
            "#!/bin/sh\n"
            f"position=$(({offset} + ${{SLURM_ARRAY_TASK_ID:-0}}))\n"
            f'exec {shlex.join(command)} "$position"\n',
        )
        return path

    def position(self, queued: controller.QueuedJob) -> int | None:
        """The position of the task of a queued job; None if the job is not of this run.

        It is derived from the path of the script, so it is known even if the submitter died before
        it could record the job.
        """
        offset = self.folder.offset(Path(queued.script))
        index = queued.id.partition("_")[2]
        return None if offset is None else offset + int(index or 0)

    def record(self) -> None:
        """Store what was submitted, so that another process can continue."""
        noted = _Record(socket.gethostname(), os.getpid(), self.keys, self.jobs)
        _write_json(self.folder.record, to_dict(noted))

    def forget_log(self, job: str) -> None:
        """Remove the log of a successful job."""
        self.folder.log(job).unlink(missing_ok=True)

    def forget_events(self, position: int) -> None:
        """Remove the events of a reported failure, so that its task can be retried."""
        self.folder.events(position).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove everything but the logs of failed jobs."""
        for entry in self.folder.entries():
            entry.unlink(missing_ok=True)
        for folder in (self.folder.path, self.folder.path.parent):
            with contextlib.suppress(OSError):  # not empty: logs, or other runs
                folder.rmdir()


def _write_json(path: Path, data: object) -> None:
    write_json(path, data)
    path.chmod(OWNER_ONLY_FILE)


def _write(path: Path, text: str) -> None:
    path.touch(OWNER_ONLY_FILE)
    path.chmod(OWNER_ONLY_FILE)
    path.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def open_run(tasks: Sequence[Task], resume: bool, note: Note) -> Iterator[tuple[Run, list[int]]]:
    """A run of these tasks and their positions in it: a new one or, to resume, an unfinished one.

    It is locked while the block lasts.
    """
    cache_dir = Path(tasks[0].plan.cache_dir)
    keys = tuple(task.identity for task in tasks)
    with contextlib.ExitStack() as stack:
        with _looking(cache_dir, note):
            earlier = _earlier(cache_dir, keys, note)
            run = next((r for r in earlier if resume and not Counter(keys) - Counter(r.keys)), None)
            for other in earlier:
                if other is not run:
                    _clear(other, resume)
            if run is None:
                run = _new(cache_dir, keys)
            run.folder.path.chmod(OWNER_ONLY_FOLDER)
            stack.enter_context(_locked(run))
            stack.callback(run.folder.lock_path.unlink, missing_ok=True)
        yield run, _positions(run, keys)


def _earlier(cache_dir: Path, keys: Sequence[str], note: Note) -> list[Run]:
    """Unfinished runs with any of these tasks, the newest first."""
    runs = [_read(folder, note) for folder in slurm_run_folders(cache_dir)]
    return [run for run in runs if run is not None and set(run.keys) & set(keys)]


def _read(folder: SlurmRunFolder, note: Note) -> Run | None:
    """The run in a folder; None if it is finished, another user's or damaged.

    A damaged record must not stop later runs.
    """
    try:
        record = from_dict(_Record, json.loads(folder.record.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (OSError, ValueError, OverflowError, RecursionError):
        note(
            f"Ignored the damaged record of an earlier Slurm run, {folder.record}; "
            "delete its folder when its jobs have ended."
        )
        return None
    return Run(folder, record.tasks, dict(record.jobs))


def _clear(run: Run, resume: bool) -> None:
    """Remove a run that is not continued; a UsageError if its jobs are still in the queue."""
    alive = [job.id for job in controller.queue() if run.position(job) is not None]
    if alive:
        arrays = " ".join(dict.fromkeys(job.partition("_")[0] for job in alive))
        advice = "wait for them" if resume else "follow them with --resume"
        raise UsageError(
            f"{len(alive)} jobs of an earlier run with some of these inputs are still in the queue;"
            f" {advice}, or cancel them with `scancel {arrays}`."
        )
    with _locked(run):
        run.remove()


def _looking(cache_dir: Path, note: Note) -> FileLock:
    """The lock of what looks for a run to follow or begins one."""
    what = "the list of the runs on Slurm in this cache"
    return FileLock(slurm_lock(cache_dir), Rank.SLURM, what, teller(note))


@contextlib.contextmanager
def _locked(run: Run) -> Iterator[None]:
    """Lock a run; a UsageError if another process has locked it."""
    guard = FileLock(run.folder.lock_path, Rank.SLURM_RUN, f"the run {run.folder.path}")
    if not guard.try_acquire():
        raise UsageError(
            f"Another turnkey process is running the same inputs on Slurm ({run.folder.path}); "
            "wait for it."
        )
    try:
        yield
    finally:
        guard.release()


def _new(cache_dir: Path, keys: tuple[str, ...]) -> Run:
    digest = hashlib.sha256("".join(keys).encode()).hexdigest()[:12]
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{digest}"  # they are sorted by time
    run = Run(SlurmRunFolder.make(cache_dir, name), keys)
    run.record()
    return run


def _positions(run: Run, keys: Sequence[str]) -> list[int]:
    """The position of each of these tasks in a run that contains them all."""
    free: dict[str, deque[int]] = {}
    for position, key in enumerate(run.keys, start=1):
        free.setdefault(key, deque()).append(position)
    return [free[key].popleft() for key in keys]


class Submitter:
    """Submits the tasks of a run as jobs."""

    def __init__(
        self,
        run: Run,
        tasks: Mapping[int, Task],
        options: SlurmOptions,
        seconds: float | None,
        largest_array: int,
    ) -> None:
        self.room = options.max_jobs
        """The largest number of jobs in the queue: the user's, or Slurm's if that is smaller."""
        self._run = run
        self._tasks = tasks
        self._python = options.python
        self._wait_seconds = None if seconds is None else seconds + WAIT_MARGIN_SECONDS
        self._options = options.sbatch_words(seconds)
        self._largest_array = largest_array

    def submit(self, positions: Sequence[int], in_queue: int) -> dict[int, str]:
        """Submit the first of these tasks as one array; the job ids by position.

        If Slurm accepts fewer jobs, ``room`` shrinks; any other refusal is an error.
        """
        chunk = self._chunk(positions)
        for position in chunk:
            self._run.prepare(position, self._tasks[position], self._wait_seconds)
        try:
            array = controller.submit(*self._words(chunk))
        except controller.SlurmRefused as error:
            if error.is_too_many and (in_queue or len(chunk) > 1):
                self.room = max(1, in_queue + len(chunk) // 2)
                return {}
            raise
        return self._accept(array, chunk)

    def _chunk(self, positions: Sequence[int]) -> list[int]:
        """The positions that fit into one array, in order; one if the cluster has no arrays."""
        if not self._largest_array:
            return list(positions[:1])
        return [p for p in sorted(positions) if p - min(positions) < self._largest_array]

    def _words(self, chunk: list[int]) -> list[str]:
        words = list(self._options)
        pattern = "%j"
        if self._largest_array:
            words.append(f"--array={_ranges([p - chunk[0] for p in chunk])}")
            pattern = "%A_%a"
        words.append(f"--output={self._run.folder.log_pattern(pattern)}")
        return [*words, str(self._run.write_script(chunk[0], self._python))]

    def _accept(self, array: str, chunk: list[int]) -> dict[int, str]:
        jobs = {p: f"{array}_{p - chunk[0]}" if self._largest_array else array for p in chunk}
        self._run.jobs |= {job: position for position, job in jobs.items()}
        self._run.record()
        return jobs


def _ranges(numbers: list[int]) -> str:
    """Increasing numbers in Slurm's notation: 0-3,7."""
    runs = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in ends)
