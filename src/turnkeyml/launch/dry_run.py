"""What a run would do, from its tasks and the records of earlier runs. It runs nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from turnkeyml.build import (
    buildable_precisions,
    key_of_sequence,
    sequence_with,
    wanted_build,
    why_rebuild,
)
from turnkeyml.cache import BuildFolder, BuildState, disk_bytes, read_state
from turnkeyml.launch.run import Earlier, Launch, RunJournal
from turnkeyml.nouns import (
    HERE,
    WAITING,
    CachedBuild,
    Forecast,
    InputResult,
    LastTime,
    Plan,
    Task,
    TaskForecast,
    label_of,
)
from turnkeyml.runtimes import Runtime, available_runtimes, find_device, find_runtime


def forecast(tasks: list[Task], launch: Launch) -> Forecast:
    """What would be done with each of these tasks."""
    cache_dir = tasks[0].plan.cache_dir
    journal = RunJournal(cache_dir)
    found = tuple(_task(task, journal.last(task), launch) for task in tasks)
    coming = [one for one in found if not one.skipped]
    folders = {b.name: BuildFolder(Path(cache_dir), b.name) for one in found for b in one.builds}
    return Forecast(
        tasks=found,
        cache_dir=cache_dir,
        place=_place(launch),
        seconds=sum(sum(one.last.seconds.values()) for one in coming if one.last),
        unknown=sum(one.last is None for one in coming),
        cached_bytes=disk_bytes(list(folders.values())),
        free_bytes=_free_bytes(cache_dir),
    )


def _task(task: Task, earlier: Earlier | None, launch: Launch) -> TaskForecast:
    finished = earlier is not None and earlier.same_options and launch.resume
    skipped = finished and earlier is not None and not (earlier.result.failed and launch.retry)
    runtimes = _runtimes(task.plan, task.input.is_script)
    sequence = _sequence(task, runtimes)
    return TaskForecast(
        input=task.input,
        parameters=task.plan.parameters,
        skipped=skipped,
        sequence=sequence,
        contestants=_contestants(task.plan, runtimes),
        builds=tuple(_builds(task, earlier.result, sequence)) if earlier else (),
        last=_last(earlier) if earlier else None,
    )


def _runtimes(plan: Plan, is_script: bool) -> list[Runtime]:
    """Those that would measure; which live models there are, only the script knows."""
    if plan.analyze_only or plan.build_only:
        return []
    if plan.runtimes:
        return [find_runtime(name, plan.device) for name in plan.runtimes]
    return [r for r in available_runtimes(plan.device) if r.measures_files or is_script]


def _contestants(plan: Plan, runtimes: list[Runtime]) -> tuple[str, ...]:
    names = []
    for runtime in runtimes:
        if not runtime.measures_files:
            names.append(runtime.name)
            continue
        for place in plan.places or (HERE,):
            for precision in plan.precisions or ("",):
                names.append(label_of(runtime.name, place.name, precision, place.host_name))
    return tuple(names)


def _sequence(task: Task, runtimes: list[Runtime]) -> str | None:
    """The name of the sequence that would build the models; None if nothing is built."""
    plan = task.plan
    if plan.analyze_only:
        return None
    if task.sequence is not None:
        return os.path.basename(task.sequence.file) if task.sequence.file else "a custom sequence"
    needing = [r for r in runtimes if r.measures_files]
    if not needing and not plan.build_only:
        return None
    if plan.sequence is not None:
        return plan.sequence
    if wanted := [p for p in plan.precisions if p in buildable_precisions()]:
        return sequence_with(wanted)
    if not task.input.is_script:
        return None
    device = find_device(plan.device)
    first = needing[0] if needing else find_runtime(device.default_runtime, device.name)
    return first.default_sequence


def _builds(task: Task, result: InputResult, sequence: str | None) -> list[CachedBuild]:
    """The builds of an earlier run that are still in the cache."""
    names = dict.fromkeys(i.invocation.build_name for i in result.invocations if i.build_dir)
    found = []
    for name in names:
        folder = BuildFolder(Path(task.plan.cache_dir), name)
        if os.path.isdir(folder.path):  # the name may come from anyone's record
            obstacle = _obstacle(read_state(folder), folder, task.plan, sequence)
            found.append(CachedBuild(name, disk_bytes([folder]), not obstacle, obstacle))
    return found


def _obstacle(
    state: BuildState | None, folder: BuildFolder, plan: Plan, sequence: str | None
) -> str:
    """Why a build would be made again, as far as that is known without the model."""
    if state is None:
        return "it did not succeed"
    key = {}
    if sequence is not None:
        key = key_of_sequence(wanted_build(plan, sequence, state).sequence, state)
    if plan.onnx_opset is not None:
        key["opset"] = str(plan.onnx_opset)
    return why_rebuild(state, key, folder, rebuild=plan.rebuild) or ""


def _last(earlier: Earlier) -> LastTime:
    return LastTime(
        finished_at=earlier.finished_at,
        ok=not earlier.result.failed,
        same_options=earlier.same_options,
        seconds={p: s for p, s in earlier.result.seconds.items() if p != WAITING},
    )


def _place(launch: Launch) -> str:
    if launch.slurm is not None:
        return f"as Slurm jobs, up to {launch.slurm.max_jobs} at a time"
    jobs = launch.limits.jobs
    return f"on this machine, {jobs} at a time" if jobs > 1 else "on this machine, one at a time"


def _free_bytes(cache_dir: str) -> int | None:
    """Of the disk on which the cache is or would be made."""
    for folder in (Path(cache_dir), *Path(cache_dir).parents):
        try:
            return shutil.disk_usage(folder).free
        except OSError:
            continue
    return None
