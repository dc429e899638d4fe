"""Evaluate inputs: find the tasks, resume an earlier run, choose the backend."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from turnkeyml import environment
from turnkeyml.environment import DEFAULT_TIMEOUT_SECONDS
from turnkeyml.errors import UsageError
from turnkeyml.launch.backend import Backend
from turnkeyml.launch.follow import Watcher
from turnkeyml.launch.journal import Journal
from turnkeyml.launch.pool import Limits, Pool
from turnkeyml.nouns import Input, InputResult, Plan, SequenceSource, Task

if TYPE_CHECKING:
    from turnkeyml.launch.slurm.options import SlurmOptions


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
    journal: Journal | None,
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


def _keep(journal: Journal, task: Task, result: InputResult, watcher: Watcher) -> None:
    """Store a result for ``--resume``; a warning if it cannot be, as the others must go on."""
    try:
        journal.keep(task, result)
    except OSError as error:
        why = f"{error.strerror or error}: {error.filename}"
        watcher.note(
            f"Warning: the result of {task.input.name} is not recorded, so that --resume will run "
            f"it again ({why})"
        )


def _finished_earlier(
    tasks: list[Task], journal: Journal | None, launch: Launch
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
