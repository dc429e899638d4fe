"""A run on Slurm as its folder keeps it, and how a lost submitter is replaced.

The folder holds pickled sequences, which the jobs load: only its owner may read or change it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache.files import lock, write_json
from turnkeyml.cache.layout import SlurmRunFolder, slurm_lock, slurm_run_folders
from turnkeyml.errors import UsageError
from turnkeyml.evaluate.child import Assignment
from turnkeyml.launch.slurm import commands
from turnkeyml.launch.slurm.link import Note
from turnkeyml.nouns import DamagedRecord, Task, from_dict, to_dict

__all__ = ["Run", "open_run"]

OWNER_ONLY_FOLDER = 0o700
OWNER_ONLY_FILE = 0o600


@dataclass(frozen=True)
class _Record:
    """What is noted of a run, for whoever has to go on with it."""

    host: str
    pid: int
    tasks: tuple[str, ...]
    jobs: dict[str, int]

    def __post_init__(self) -> None:
        if not all(re.fullmatch(r"\d+(_\d+)?", job, re.ASCII) for job in self.jobs):
            raise DamagedRecord("there is a job whose id is none")


@dataclass
class Run:
    """The tasks of one run by their positions, which count from 1, and its files."""

    folder: SlurmRunFolder
    keys: tuple[str, ...]
    """The identities of the run's tasks in order of their positions."""
    jobs: dict[str, int] = field(default_factory=dict)
    """The position that each submitted job works on."""

    def prepare(self, position: int, task: Task) -> None:
        """Write what a job needs. Its events start anew: nobody else works on it.

        They exist from the beginning, because a network file system may remember for long that a
        file did not exist.
        """
        events = self.folder.events(position)
        _write(events, "")
        _write_json(self.folder.assignment(position), to_dict(Assignment(task, str(events))))

    def write_script(self, offset: int, python: str | None) -> Path:
        """What an array runs: task N of it is at position ``offset + N``."""
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

    def position(self, queued: commands.QueuedJob) -> int | None:
        """Which task a job in the queue works on; None for jobs that are not of this run.

        The path of the script tells, even of a job whose submitter died before it could note it.
        """
        offset = self.folder.offset(Path(queued.script))
        index = queued.id.partition("_")[2]
        return None if offset is None else offset + int(index or 0)

    def record(self) -> None:
        """Note what was submitted, for whoever has to go on from here."""
        noted = _Record(socket.gethostname(), os.getpid(), self.keys, self.jobs)
        _write_json(self.folder.record, to_dict(noted))

    def forget_log(self, job: str) -> None:
        """Remove what a job printed that ended well."""
        self.folder.log(job).unlink(missing_ok=True)

    def forget_events(self, position: int) -> None:
        """Let a failure that was reported be tried again, should anybody want that."""
        self.folder.events(position).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove everything but the logs that are left, which are those of failures."""
        for entry in self.folder.entries():
            entry.unlink(missing_ok=True)
        for folder in (self.folder.path, self.folder.path.parent):
            with contextlib.suppress(OSError):  # there are logs, or other runs
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
    """A new run of these tasks or, to resume, the one that somebody left.

    With the positions of the tasks in it. Nobody else has it while the block lasts.
    """
    cache_dir = Path(tasks[0].plan.cache_dir)
    keys = tuple(task.identity for task in tasks)
    with contextlib.ExitStack() as stack:
        with lock(slurm_lock(cache_dir)):
            earlier = _earlier(cache_dir, keys, note)
            run = next((r for r in earlier if resume and not Counter(keys) - Counter(r.keys)), None)
            for other in earlier:
                if other is not run:
                    _clear(other, resume)
            if run is None:
                run = _new(cache_dir, keys)
            run.folder.path.chmod(OWNER_ONLY_FOLDER)
            stack.enter_context(_held(run))
            stack.callback(run.folder.lock_path.unlink, missing_ok=True)
        yield run, _positions(run, keys)


def _earlier(cache_dir: Path, keys: Sequence[str], note: Note) -> list[Run]:
    """Unfinished runs that have tasks of ours, the newest first."""
    runs = [_read(folder, note) for folder in slurm_run_folders(cache_dir)]
    return [run for run in runs if run is not None and set(run.keys) & set(keys)]


def _read(folder: SlurmRunFolder, note: Note) -> Run | None:
    """The run in a folder; None if it is finished, somebody else's or damaged.

    A damaged record must not stop the runs that come after it.
    """
    try:
        record = from_dict(_Record, json.loads(folder.record.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (OSError, ValueError, OverflowError, RecursionError):
        note(
            f"The record of an earlier Slurm run, {folder.record}, is damaged and was ignored; "
            "delete its folder once its jobs are gone."
        )
        return None
    return Run(folder, record.tasks, dict(record.jobs))


def _clear(run: Run, resume: bool) -> None:
    """Close a run that nobody goes on with, unless its jobs are still there."""
    alive = [job.id for job in commands.queue() if run.position(job) is not None]
    if alive:
        arrays = " ".join(dict.fromkeys(job.partition("_")[0] for job in alive))
        way = (
            "a run of other inputs submitted them: wait for it"
            if resume
            else "--resume follows them"
        )
        raise UsageError(
            f"{len(alive)} jobs of an earlier run with the same inputs are still in the queue; "
            f"{way}, or `scancel {arrays}` ends them."
        )
    with _held(run):
        run.remove()


@contextlib.contextmanager
def _held(run: Run) -> Iterator[None]:
    """Refuse a run that another process has."""
    from filelock import Timeout

    guard = lock(run.folder.lock_path, timeout=0)
    try:
        guard.acquire()
    except Timeout:
        raise UsageError(
            f"Another turnkey works on the same inputs with Slurm already ({run.folder.path})."
        ) from None
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
    """The position of each of these tasks in a run that has them all."""
    free: dict[str, deque[int]] = {}
    for position, key in enumerate(run.keys, start=1):
        free.setdefault(key, deque()).append(position)
    return [free[key].popleft() for key in keys]
