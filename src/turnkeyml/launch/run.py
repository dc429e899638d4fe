"""Evaluate inputs: find the tasks, resume an earlier run, choose the backend.

A journal in the cache has the results of the tasks of a run, so that ``--resume`` can continue it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml import environment
from turnkeyml.cache import (
    journal_file,
    journal_folder,
    make_way,
    read_json,
    remove_leftovers,
    write_json,
)
from turnkeyml.environment import DEFAULT_TIMEOUT_SECONDS
from turnkeyml.errors import UsageError
from turnkeyml.launch.backend import Backend
from turnkeyml.launch.follow import Watcher
from turnkeyml.launch.pool import Limits, Pool
from turnkeyml.nouns import (
    DamagedRecord,
    Input,
    InputResult,
    Plan,
    SequenceSource,
    Task,
    from_dict,
    to_dict,
)

if TYPE_CHECKING:
    from turnkeyml.launch.slurm.run import SlurmOptions


@dataclass(frozen=True)
class Launch:
    """Which inputs are evaluated, where, and what happens to the results."""

    labels: tuple[str, ...]
    sweep: Iterable[str]
    limits: Limits
    source: SequenceSource | None = None
    resume: bool = False
    retry: bool = False
    """Whether to run failed tasks again when resuming."""
    slurm: SlurmOptions | None = None
    on_result: Callable[[InputResult], None] | None = None
    as_race: bool = False


def find_tasks(input_files: str | Sequence[str], plan: Plan, launch: Launch) -> list[Task]:
    """One task per input and point of the sweep."""
    from turnkeyml.discover import find_inputs, parse_filter, parse_sweep

    sweep = launch.sweep
    points = parse_sweep([sweep] if isinstance(sweep, str) else sweep or ())
    names = [input_files] if isinstance(input_files, (str, os.PathLike)) else list(input_files)
    inputs = find_inputs(names, parse_filter(launch.labels))
    if not inputs:
        raise UsageError("No input files were given.")
    if all(item.is_script for item in inputs):
        _refuse_for_scripts(plan, inputs[0])
    return [Task(item, _at(plan, p, item), launch.source) for item in inputs for p in points]


def _refuse_for_scripts(plan: Plan, script: Input) -> None:
    """Raise an error for options that only model files have."""
    for option, value in (("--input-shape", plan.input_shape), ("--inputs", plan.inputs)):
        if value:
            raise UsageError(
                f"{option} is for ONNX files, and {script.name} is a script, which has its own "
                "inputs; use --script-args."
            )


def _at(plan: Plan, point: dict[str, str], item: Input) -> Plan:
    """The plan at one point of a sweep: arguments for a script, input shapes for a file."""
    from turnkeyml.discover import file_inputs, script_words

    if item.is_script:
        words = script_words(point)
        return replace(plan, script_args=(*plan.script_args, *words), parameters=point)
    shapes, inputs = file_inputs(point)
    if plan.inputs and shapes:
        raise UsageError("--inputs gives the shapes, so that the sweep cannot change them.")
    return replace(
        plan,
        input_shape={**plan.input_shape, **shapes},
        inputs=inputs or plan.inputs,
        parameters=point,
    )


def results(
    tasks: list[Task],
    watcher: Watcher,
    journal: RunJournal | None,
    launch: Launch,
    many: bool,
) -> Iterator[tuple[int, InputResult]]:
    """The index and the result of each task, from an earlier run or from this one."""
    done = _finished_earlier(tasks, journal, launch)
    for index, result in done.items():
        watcher.input_resumed(result)
        yield index, result
    left = [index for index in range(len(tasks)) if index not in done]
    rest = [tasks[index] for index in left]
    if journal is not None:
        journal.begin(rest)
    for number, result in _evaluate(rest, watcher, launch, many):
        if journal is not None:
            _keep(journal, rest[number], result, watcher)
        yield left[number], result


def _finished_earlier(
    tasks: list[Task], journal: RunJournal | None, launch: Launch
) -> dict[int, InputResult]:
    """The results of an earlier run, by index; without the failures if they are retried."""
    if journal is None or not launch.resume:
        return {}
    found = {index: journal.finished(task) for index, task in enumerate(tasks)}
    return {index: r for index, r in found.items() if r and not (r.failed and launch.retry)}


def _evaluate(
    tasks: list[Task], watcher: Watcher, launch: Launch, many: bool
) -> Iterator[tuple[int, InputResult]]:
    """The number and the result of each of these tasks, as they finish."""
    limits = launch.limits
    limits = replace(limits, wait_seconds=limits.seconds or default_seconds())
    if limits.seconds is None and (many or launch.slurm is not None):
        limits = replace(limits, seconds=default_seconds())
    if not tasks:
        watcher.close()
        return
    opened = _open_backend(tasks, watcher, launch, limits, many)
    with opened as backend, contextlib.closing(watcher):
        yield from Pool(tasks, backend, watcher, limits).results()


def _open_backend(
    tasks: list[Task], watcher: Watcher, launch: Launch, limits: Limits, many: bool
) -> contextlib.AbstractContextManager[Backend]:
    """The backend that the user chose."""
    if launch.slurm is not None:
        from turnkeyml.launch.slurm.backend import open_slurm

        return open_slurm(
            tasks, launch.slurm, seconds=limits.seconds, resume=launch.resume, note=watcher.note
        )
    from turnkeyml.launch.local.backend import open_local

    return open_local(tasks, limits.jobs, many, limits.wait_seconds)


def default_seconds() -> float:
    """The default timeout of an input."""
    return environment.timeout_seconds() or DEFAULT_TIMEOUT_SECONDS


def _keep(journal: RunJournal, task: Task, result: InputResult, watcher: Watcher) -> None:
    """Store a result for ``--resume``; a warning if it cannot be, as the others must go on."""
    try:
        journal.keep(task, result)
    except OSError as error:
        why = f"{error.strerror or error}: {error.filename}"
        watcher.note(
            f"Warning: the result of {task.input.name} is not recorded, so that --resume will run "
            f"it again ({why})"
        )


@dataclass(frozen=True)
class Earlier:
    """The last result of an input in an earlier run."""

    result: InputResult
    finished_at: str
    same_options: bool
    """Whether the file and the options were the same."""


class RunJournal:
    """One file per task, written only when the task is finished."""

    def __init__(self, cache_dir: str) -> None:
        self._cache_dir = Path(cache_dir)

    def finished(self, task: Task) -> InputResult | None:
        """The result of a task in an earlier run of the same command; None if it has none.

        A record that cannot be read counts as none, so that the task runs again.
        """
        try:
            return from_dict(InputResult, read_json(self._path(task)))
        except DamagedRecord:
            return None

    def last(self, task: Task) -> Earlier | None:
        """The last result of a task, or of its input with other options; None if there is none."""
        path = self._path(task)
        exact = self.finished(task)
        if exact is not None:
            return Earlier(exact, _moment(path), same_options=True)
        others = sorted(self._of_stem.get(_stem(path), []), key=_changed, reverse=True)
        for other in others:
            try:
                result = from_dict(InputResult, read_json(other))
            except DamagedRecord:
                continue
            alike = result.parameters == task.plan.parameters
            if alike and os.path.basename(result.input.path) == os.path.basename(task.input.path):
                return Earlier(result, _moment(other), same_options=False)
        return None

    @cached_property
    def _of_stem(self) -> dict[str, list[Path]]:
        """All records by the beginning of their names, listed once for very many tasks."""
        found: dict[str, list[Path]] = {}
        folder = journal_folder(self._cache_dir)
        for path in folder.glob("*.json") if folder.is_dir() else ():
            found.setdefault(_stem(path), []).append(path)
        return found

    def begin(self, tasks: list[Task]) -> None:
        """Remove the records of tasks that are about to run, and leftovers of a killed run."""
        folder = journal_folder(self._cache_dir)
        folder.mkdir(parents=True, exist_ok=True)
        for written in (folder, self._cache_dir):
            remove_leftovers(written)
        for task in tasks:
            make_way(self._path(task))
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """Store the result of a finished task, successful or failed."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return journal_file(self._cache_dir, task.input.stem, task.identity)


def _stem(path: Path) -> str:
    """The name of a record without the identity of its task."""
    return path.stem.rpartition("-")[0]


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed meanwhile
        return 0.0


def _moment(path: Path) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(_changed(path)))
