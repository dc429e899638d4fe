"""Evaluating many inputs: which ones, what an earlier run has done, and where the rest runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as Listing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from turnkeyml import environment
from turnkeyml.environment import DEFAULT_TIMEOUT_SECONDS
from turnkeyml.errors import UsageError
from turnkeyml.launch.backend import Backend
from turnkeyml.launch.follow import Watcher
from turnkeyml.launch.journal import Journal
from turnkeyml.launch.pool import Limits, Pool
from turnkeyml.nouns import InputResult, Plan, SequenceSource, Task

if TYPE_CHECKING:
    from turnkeyml.launch.slurm.options import SlurmOptions

__all__ = ["DEFAULT_TIMEOUT_SECONDS", "Launch", "Task", "default_seconds", "find_tasks", "results"]


@dataclass(frozen=True)
class Launch:
    """Which inputs are evaluated, where, and what is done with the results."""

    labels: tuple[str, ...]
    sweep: Iterable[str]
    limits: Limits
    source: SequenceSource | None = None
    resume: bool = False
    retry: bool = False
    """To resume and to do again what had failed."""
    slurm: SlurmOptions | None = None
    on_result: Callable[[InputResult], None] | None = None
    as_race: bool = False


def find_tasks(input_files: str | Listing[str], plan: Plan, launch: Launch) -> list[Task]:
    """Every input with what is to be done with it at every point of the sweep."""
    from turnkeyml.discover.inputs import find_inputs
    from turnkeyml.discover.labels import parse_filter
    from turnkeyml.discover.sweep import parse_sweep, script_words

    sweep = launch.sweep
    points = parse_sweep([sweep] if isinstance(sweep, str) else sweep or ())
    names = [input_files] if isinstance(input_files, (str, os.PathLike)) else list(input_files)
    inputs = find_inputs(names, parse_filter(launch.labels))
    if not inputs:
        raise UsageError("No input files were given.")
    fixed = next((item for item in inputs if not item.is_script), None)
    if fixed and points != [{}]:
        raise UsageError(f"{fixed.name} takes no arguments, so it cannot be part of a sweep.")
    return [
        Task(item, _at(plan, p, script_words(p)), launch.source) for item in inputs for p in points
    ]


def _at(plan: Plan, point: dict[str, str], words: tuple[str, ...]) -> Plan:
    """The plan at one point of a sweep."""
    return replace(plan, script_args=(*plan.script_args, *words), parameters=point)


def results(
    tasks: list[Task],
    watcher: Watcher,
    journal: Journal | None,
    launch: Launch,
    many: bool,
) -> Iterator[tuple[int, InputResult]]:
    """What became of each task, with its place among them: from an earlier run, or done now."""
    done = _finished_earlier(tasks, journal, launch)
    for place, result in done.items():
        watcher.input_resumed(result)
        yield place, result
    left = [place for place in range(len(tasks)) if place not in done]
    rest = [tasks[place] for place in left]
    if journal is not None:
        journal.begin(rest)
    for number, result in _evaluate(rest, watcher, launch, many):
        if journal is not None:
            journal.keep(rest[number], result)
        yield left[number], result


def _finished_earlier(
    tasks: list[Task], journal: Journal | None, launch: Launch
) -> dict[int, InputResult]:
    """What need not be done again, by place. To retry is to resume without the failures."""
    if journal is None or not launch.resume:
        return {}
    found = {place: journal.finished(task) for place, task in enumerate(tasks)}
    return {place: r for place, r in found.items() if r and (r.ok or not launch.retry)}


def _evaluate(
    tasks: list[Task], watcher: Watcher, launch: Launch, many: bool
) -> Iterator[tuple[int, InputResult]]:
    """What became of each of these tasks, as they finish, whatever becomes of the others."""
    limits = launch.limits
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
    """Where the tasks run, as the user chose."""
    if launch.slurm is not None:
        from turnkeyml.launch.slurm.backend import open_slurm

        return open_slurm(
            tasks, launch.slurm, seconds=limits.seconds, resume=launch.resume, note=watcher.note
        )
    from turnkeyml.launch.local.backend import open_local

    return open_local(tasks, limits.jobs, keep_logs=many)


def default_seconds() -> float:
    """How long an input may take unless something else is said."""
    return environment.timeout_seconds() or DEFAULT_TIMEOUT_SECONDS
