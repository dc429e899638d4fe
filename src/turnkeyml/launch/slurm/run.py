"""The folder by which a submitter and its jobs meet, and by which a lost submitter is replaced.

CACHE/.slurm/RUN/
  run.json           whose tasks these are and which jobs were submitted; gone when all is done
  POSITION.json      the job of one task
  POSITION.jsonl     what it tells
  from-OFFSET.sh     what an array runs; its index counts from the offset
  slurm-JOB.out      what a job printed; kept if its input failed
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache.files import lock, write_json
from turnkeyml.errors import UsageError
from turnkeyml.evaluate.child import Assignment
from turnkeyml.launch.slurm import commands as slurm_commands
from turnkeyml.nouns import Task, to_dict

__all__ = ["Run", "open_run"]

FOLDER = ".slurm"
RECORD = "run.json"
LOCKS = ".locks"


@dataclass
class Run:
    """The tasks of one run by their positions, and every path that belongs to it."""

    folder: Path
    keys: list[str]
    """Of the run's tasks in order of their positions, which count from 1."""
    jobs: dict[str, int] = field(default_factory=dict)
    """The position that each submitted job works on."""

    def assignment(self, position: int, task: Task) -> Assignment:
        return Assignment(task, str(self.folder / f"{position}.jsonl"))

    def log(self, job: str) -> Path:
        return self.folder / f"slurm-{job}.out"

    def prepare(self, position: int, assignment: Assignment) -> None:
        """Write what a job needs. Its events start anew: nobody else works on it.

        They exist from the beginning, because a network file system may remember for long that a
        file did not exist.
        """
        write_json(self.folder / f"{position}.json", to_dict(assignment))
        Path(assignment.events).write_bytes(b"")

    def write_script(self, offset: int, python: str | None) -> Path:
        """What an array runs: task N of it is the job at position ``offset + N``."""
        command = interpreter.command("turnkeyml.launch.slurm.child")
        command[0] = python or command[0]
        path = self._script(offset)
        path.write_text(
            "#!/bin/sh\n"
            f"position=$(({offset} + ${{SLURM_ARRAY_TASK_ID:-0}}))\n"
            f'exec {shlex.join(command)} {shlex.quote(str(self.folder))}/"$position".json\n',
            encoding="utf-8",
        )
        return path

    def position(self, queued: slurm_commands.QueuedJob) -> int | None:
        """Which task a job in the queue works on; None for jobs that are not of this run.

        The path of the script tells, even of a job whose submitter died before it could note it.
        """
        script = Path(queued.script)
        if script.parent != self.folder or not script.stem.startswith("from-"):
            return None
        index = queued.id.partition("_")[2]
        return int(script.stem.removeprefix("from-")) + int(index or 0)

    def record(self) -> None:
        """Note what was submitted, for whoever has to go on from here."""
        who = {"host": socket.gethostname(), "pid": os.getpid()}
        write_json(self.folder / RECORD, {**who, "tasks": self.keys, "jobs": self.jobs})

    def forget_log(self, job: str) -> None:
        """Remove what a job printed that ended well."""
        self.log(job).unlink(missing_ok=True)

    def forget_events(self, position: int) -> None:
        """Let a failure that was reported be tried again, should anybody want that."""
        (self.folder / f"{position}.jsonl").unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove everything but the logs that are left, which are those of failures."""
        entries = [entry for entry in self.folder.iterdir() if entry.suffix != ".out"]
        for entry in sorted(entries, key=lambda e: e.name == RECORD):
            entry.unlink(missing_ok=True)
        self._remove_empty()

    def _script(self, offset: int) -> Path:
        return self.folder / f"from-{offset}.sh"

    def _remove_empty(self) -> None:
        for folder in (self.folder, self.folder.parent):
            if not any(folder.iterdir()):
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def open_run(tasks: list[Task], resume: bool) -> Iterator[tuple[Run, dict[int, Task]]]:
    """A new run of these tasks or, to resume, the one that somebody left; tasks by position.

    Nobody else has it while the block lasts.
    """
    cache_dir = Path(tasks[0].plan.cache_dir)
    keys = [task.identity for task in tasks]
    with contextlib.ExitStack() as stack:
        with lock(cache_dir / LOCKS / "slurm.lock"):
            earlier = _earlier(cache_dir, keys)
            run = next((r for r in earlier if resume and not Counter(keys) - Counter(r.keys)), None)
            for other in earlier:
                if other is not run:
                    _clear(other, cache_dir, resume)
            if run is None:
                run = _new(cache_dir, keys)
            guard = cache_dir / LOCKS / f"slurm-{run.folder.name}.lock"
            stack.enter_context(_held(guard, run))
            stack.callback(guard.unlink, missing_ok=True)
        yield run, _by_position(run, keys, tasks)


def _earlier(cache_dir: Path, keys: list[str]) -> list[Run]:
    """Unfinished runs that have tasks of ours, the newest first."""
    found = []
    for record in sorted((cache_dir / FOLDER).glob(f"*/{RECORD}"), reverse=True):
        with contextlib.suppress(FileNotFoundError):  # finished just now
            data = json.loads(record.read_text(encoding="utf-8"))
            if set(data["tasks"]) & set(keys):
                found.append(Run(record.parent, data["tasks"], data["jobs"]))
    return found


def _clear(run: Run, cache_dir: Path, resume: bool) -> None:
    """Close a run that nobody goes on with, unless its jobs are still there."""
    alive = [job.id for job in slurm_commands.queue() if run.position(job) is not None]
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
    with _held(cache_dir / LOCKS / f"slurm-{run.folder.name}.lock", run):
        run.remove()


@contextlib.contextmanager
def _held(path: Path, run: Run) -> Iterator[None]:
    """Refuse a run that another process has."""
    from filelock import Timeout

    guard = lock(path, timeout=0)
    try:
        guard.acquire()
    except Timeout:
        raise UsageError(
            f"Another turnkey works on the same inputs with Slurm already ({run.folder})."
        ) from None
    try:
        yield
    finally:
        guard.release()


def _new(cache_dir: Path, keys: list[str]) -> Run:
    digest = hashlib.sha256("".join(keys).encode()).hexdigest()[:12]
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{digest}-{os.getpid()}"
    run = Run(cache_dir / FOLDER / name, keys)
    run.folder.mkdir(parents=True)
    run.record()
    return run


def _by_position(run: Run, keys: list[str], tasks: list[Task]) -> dict[int, Task]:
    places: dict[str, deque[int]] = {}
    for position, key in enumerate(run.keys, start=1):
        places.setdefault(key, deque()).append(position)
    return {places[key].popleft(): task for key, task in zip(keys, tasks, strict=True)}
