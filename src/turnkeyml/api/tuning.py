"""``tune``: the fastest configuration of a model whose outputs are still right."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.api.builds import cache_of, select_builds
from turnkeyml.cache import BuildFolder, BuildState, build_folders, read_state, teller
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.nouns import BuildStatus, InvocationResult, TuneResult, split_hashes
from turnkeyml.options import TuneOptions, takes
from turnkeyml.runtimes import Device, Runtime, available_runtimes, find_device, find_runtime

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from turnkeyml.tuning import Rig, Space, Tuner


@takes(TuneOptions)
def tune(
    target: str | os.PathLike[str],
    *,
    on_progress: Callable[[str], None] | None = None,
    **options: Unpack[TuneOptions],
) -> TuneResult:
    """The fastest configuration of the model in a file, or of a build, that is still right.

    A file is built first. ``on_progress`` hears in sentences what is done. The contestants of the
    final are kept in the build as evaluations.
    """
    from turnkeyml.tuning import check_target, write_program

    if options["output"]:
        check_target(options["output"])
    device = find_device(options["device"])
    runtimes = _runtimes(options, device)
    folder = _folder(os.fspath(target), options)
    with folder.lock(teller(on_progress)):
        tuner = _tuner(folder, device, runtimes, options, on_progress or (lambda sentence: None))
        result = tuner.run()
        if result.winner is None:
            return result
        return replace(result, program=write_program(tuner.rig, result.winner, options["output"]))


def _tuner(
    folder: BuildFolder,
    device: Device,
    runtimes: list[Runtime],
    options: Mapping[str, Any],
    tell: Callable[[str], None],
) -> Tuner:
    from turnkeyml.tuning import Journal, Judge, Rig, Tuner, Variants, parse_tolerance

    state = _state(folder)
    rig = Rig(folder, state, device, Variants(folder, state))
    space = _space(rig, runtimes, options)
    given = options["tolerance"]
    judge = Judge(
        parse_tolerance(given) if given else None, options["metric"], options["metric_drop"]
    )
    journal = Journal(folder, _facts(rig, space, runtimes, options))
    if options["restart"]:
        journal.write([], 0.0, is_complete=True)
    return Tuner(rig, space, judge, journal, options["budget"], tell, options["objective"])


def _space(rig: Rig, runtimes: list[Runtime], options: Mapping[str, Any]) -> Space:
    from turnkeyml.system import usable_cores
    from turnkeyml.tuning import BATCHES, PRECISIONS, make_space, thread_counts

    cores = usable_cores()
    is_cpu = bool(rig.device.machines)
    return make_space(
        runtimes,
        rig.variants.offered,
        options["precision"] or PRECISIONS,
        threads=options["threads"] or (thread_counts(cores) if is_cpu else (cores,)),
        default_threads=cores,
        batches=_batches(rig, options, BATCHES),
    )


def _batches(rig: Rig, options: Mapping[str, Any], usual: tuple[int, ...]) -> tuple[int, ...]:
    """The batches to try; an error if the model does not allow those that were asked for."""
    asked = tuple(options["batch"])
    wanted = asked or (usual if options["objective"] == "throughput" else (1,))
    if max(wanted) == 1 or rig.batched:
        return wanted
    if asked:
        raise UsageError(
            f"The batch of {rig.folder.name} has a fixed size; leave out --batch, or export the "
            "model with a first dimension that has a name."
        )
    return (1,)


def _facts(
    rig: Rig, space: Space, runtimes: list[Runtime], options: Mapping[str, Any]
) -> dict[str, Any]:
    """All that the trials of a search depend on."""
    from turnkeyml.system import cpu_name

    metric = options["metric"]
    return {
        "file": rig.variants.source_sha256,
        "space": [one.label for one in space.every()],
        "versions": [runtime.version() for runtime in runtimes],
        "cpu": cpu_name(),
        "tolerance": options["tolerance"],
        "metric": Path(metric).read_text(encoding="utf-8") if metric else "",
        "drop": options["metric_drop"],
        "objective": options["objective"],
    }


def _state(folder: BuildFolder) -> BuildState:
    state = read_state(folder)
    if state is None or not state.succeeded or "onnx" not in state.artifacts:
        raise TurnkeyError(
            f"The build {folder.name} has no finished ONNX file; run its script again."
        )
    if folder.file_sizes() != state.files:
        raise TurnkeyError(
            f"The files of the build {folder.name} were removed or changed; run its script again."
        )
    return state


def _runtimes(options: Mapping[str, Any], device: Device) -> list[Runtime]:
    """The runtimes to try, the default of the device first unless others were named."""
    named = [find_runtime(name, device.name) for name in options["runtime"]]
    for runtime in named:
        if not runtime.measures_files:
            raise UsageError(
                f"The runtime {runtime.name} runs a live model, which tuning does not try; "
                "use 'turnkey race' to compare it."
            )
        runtime.require()
        runtime.require_ready()
    every = named or [r for r in available_runtimes(device.name) if r.measures_files]
    found = [r for r in every if not r.reports_itself]
    if not found:
        raise UsageError(f"No runtime for ONNX files is available on {device.name}.")
    return found


def _folder(target: str, options: Mapping[str, Any]) -> BuildFolder:
    """The build of that name, or the one of the model in a file, built if need be."""
    cache = cache_of(options)
    names = [folder.name for folder in build_folders(cache)]
    if target in names or not _is_file(target):
        found = select_builds([target], cache)
        if len(found) > 1:
            raise UsageError(
                f"{target} names {len(found)} builds; choose one of: "
                f"{', '.join(folder.name for folder in found)}."
            )
        return found[0]
    return _build(target, options)


def _is_file(target: str) -> bool:
    path, _ = split_hashes(target)
    return path.startswith("-m ") or path.endswith((".py", ".onnx")) or "/" in path


def _build(target: str, options: Mapping[str, Any]) -> BuildFolder:
    from turnkeyml.api.files import benchmark_files

    results = benchmark_files(
        target,
        build_only=True,
        device=options["device"],
        input_shape=options["input_shape"],
        inputs=options["inputs"],
        cache_dir=options["cache_dir"],
    )
    failures: list[str] = [result.failure for result in results if result.failure]
    rows = [row for result in results for row in result.invocations]
    failures += [row.failure or row.skipped or "" for row in rows if row.failure or row.skipped]
    built = [row for row in rows if row.build_status is BuildStatus.SUCCESSFUL]
    if len(built) == 1:
        return BuildFolder(cache_of(options), Path(built[0].build_dir or "").name)
    if not built:
        raise TurnkeyError(
            f"{target} could not be built: {next(iter(failures), 'no such model in it')}"
        )
    raise UsageError(f"{target} has {len(built)} models; choose one: {_selections(target, built)}.")


def _selections(target: str, rows: list[InvocationResult]) -> str:
    path, _ = split_hashes(target)
    return ", ".join(f"{path}::{row.invocation.hash} ({row.invocation.name})" for row in rows)
