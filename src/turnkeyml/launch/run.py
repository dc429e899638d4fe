"""Evaluating many inputs: which ones, what an earlier run has done, here or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as Listing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from turnkeyml import environment
from turnkeyml.environment import DEFAULT_TIMEOUT_SECONDS
from turnkeyml.errors import UsageError
from turnkeyml.launch.follow import Watcher
from turnkeyml.launch.journal import LOGS, Journal
from turnkeyml.launch.local.pool import Limits, evaluate_inputs
from turnkeyml.nouns import Input, InputResult, Plan, SequenceSource, Task

if TYPE_CHECKING:
    from turnkeyml.launch.slurm.pool import SlurmOptions

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
    done: dict[int, InputResult] = {}
    if journal is not None and launch.resume:
        found = {place: journal.finished(task) for place, task in enumerate(tasks)}
        done = {p: r for p, r in found.items() if r and (r.ok or not launch.retry)}
    for place, result in done.items():
        watcher.input_resumed(result)
        yield place, result
    left = [place for place in range(len(tasks)) if place not in done]
    if journal is not None:
        journal.begin([tasks[place] for place in left])
    places = _Places([(place, tasks[place]) for place in left])
    for result in _evaluate([tasks[place] for place in left], watcher, launch, many):
        place = places.take(result)
        if journal is not None:
            journal.keep(tasks[place], result)
        yield place, result


def _evaluate(
    tasks: list[Task], watcher: Watcher, launch: Launch, many: bool
) -> Iterator[InputResult]:
    if not tasks:
        return
    if launch.slurm is not None:
        from turnkeyml.launch.slurm.pool import evaluate_on_slurm

        slurm = replace(launch.slurm, seconds=launch.limits.seconds or default_seconds())
        yield from evaluate_on_slurm(tasks, watcher, slurm, resume=launch.resume)
        return
    limits = launch.limits
    if many:
        limits = replace(limits, logs=os.path.join(tasks[0].plan.cache_dir, LOGS))
        if limits.seconds is None:
            limits = replace(limits, seconds=default_seconds())
    yield from evaluate_inputs(tasks, watcher, limits)


class _Places:
    """Which task a result belongs to."""

    def __init__(self, tasks: list[tuple[int, Task]]) -> None:
        self._places: dict[Any, list[int]] = {}
        for place, task in reversed(tasks):
            key = self._key(task.input, task.plan.parameters)
            self._places.setdefault(key, []).append(place)

    def take(self, result: InputResult) -> int:
        return self._places[self._key(result.input, result.parameters)].pop()

    @staticmethod
    def _key(item: Input, parameters: dict[str, str]) -> tuple[Any, ...]:
        return (item.path, item.targets, tuple(parameters.items()))


def default_seconds() -> float:
    """How long an input may take unless something else is said."""
    return environment.timeout_seconds() or DEFAULT_TIMEOUT_SECONDS
