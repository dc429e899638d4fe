"""``benchmark_files`` and ``race_files``: evaluate the models in scripts and ONNX files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.api.plan import plan_of
from turnkeyml.api.results import report
from turnkeyml.build import check_file, pickle_sequence
from turnkeyml.cache import check_writable
from turnkeyml.errors import UsageError
from turnkeyml.launch import Launch, Limits, default_seconds
from turnkeyml.nouns import Forecast, InputResult, Plan, SequenceSource, answers_to, label_of
from turnkeyml.options import BenchmarkOptions, RaceOptions, known_precisions, places_of, takes
from turnkeyml.runtimes import find_device, find_runtime

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from turnkeyml.launch import Launch, SlurmOptions
    from turnkeyml.nouns import Plan

FEW_INPUTS = 8
"""With more inputs than this, each gets one line instead of a listing of its models."""

InputFiles = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
OnResult = Callable[[InputResult], None]


@takes(BenchmarkOptions)
def benchmark_files(
    input_files: InputFiles,
    *,
    on_result: OnResult | None = None,
    **options: Unpack[BenchmarkOptions],
) -> list[InputResult]:
    """Find, build and measure the models in scripts and ONNX files; one result per input.

    Each input runs in its own process, ``jobs`` of them in parallel; each measurement runs alone.
    An input that exceeds ``timeout`` seconds or ``memory_limit`` is killed. With ``on_result``,
    each result is passed to it as soon as it is known, and the returned list is empty.
    """
    plan = plan_of(options)
    launch = launch_of(options, on_result)
    return _evaluate_files(input_files, plan, launch, options["verbose"])


@takes(RaceOptions)
def race_files(
    input_files: InputFiles,
    *,
    on_result: OnResult | None = None,
    **options: Unpack[RaceOptions],
) -> list[InputResult]:
    """Measure each model with several runtimes and precisions in turns; one result per input.

    The race of a model is in ``InvocationResult.race``. Without ``runtime``, all available
    runtimes take part; with ``python`` or ``host``, the default runtime in each of these places.
    """
    plan = race_plan(options)
    launch = launch_of(options, on_result, as_race=True)
    return _evaluate_files(input_files, plan, launch, options["verbose"])


def race_plan(options: Mapping[str, Any]) -> Plan:
    """The plan of a race that settled options describe."""
    every_runtime = {} if options["runtime"] or places_of(options) else {"runtimes": ()}
    _check_baseline(options)
    return plan_of(options, races=True, **every_runtime)


def _check_baseline(options: Mapping[str, Any]) -> None:
    """Raise a UsageError if no contestant can be the baseline."""
    baseline = options["baseline"]
    if baseline is None:
        return
    if places_of(options):
        _check_baseline_elsewhere(baseline, options)
        return
    name, _, own = baseline.replace(" ", "-").rpartition("-")
    name, own = (name, own) if own in (*known_precisions(), "bf16") else (baseline, "")
    known = find_runtime(name, options["device"])
    if options["runtime"] and name not in options["runtime"]:
        raise UsageError(f"The baseline {baseline} does not take part; add {name} to --runtime.")
    if own and known.measures_files and own not in options["precision"]:
        raise UsageError(f"The baseline {baseline} does not take part; add {own} to --precision.")


def _check_baseline_elsewhere(baseline: str, options: Mapping[str, Any]) -> None:
    """Raise a UsageError if no contestant in any of the places can be the baseline."""
    runtimes = options["runtime"] or [find_device(options["device"]).default_runtime]
    names = [
        (runtime, place.name, precision, place.host_name)
        for runtime in runtimes
        for place in places_of(options)
        for precision in options["precision"]
    ]
    if not any(answers_to(baseline, *name) for name in names):
        known = ", ".join(label_of(*name) for name in names)
        raise UsageError(f"The baseline {baseline} does not take part; choose from: {known}.")


def _evaluate_files(
    input_files: InputFiles, plan: Plan, launch: Launch, verbose: bool
) -> list[InputResult]:
    """Evaluate every input at every point of the sweep."""
    from turnkeyml.display import make_watcher, print_lines, sweep_lines
    from turnkeyml.launch import RunJournal, find_tasks
    from turnkeyml.launch import results as evaluate

    tasks = find_tasks(input_names(input_files), plan, launch)
    if not plan.analyze_only:
        check_writable(Path(plan.cache_dir))
    many = len(tasks) > FEW_INPUTS or launch.limits.jobs > 1 or launch.slurm is not None
    watcher = make_watcher(
        show_status=not plan.analyze_only,
        as_race=launch.as_race,
        overview=len(tasks) * many,
        verbose=verbose,
    )
    journal = None if plan.analyze_only and not many else RunJournal(plan.cache_dir)
    kept: list[tuple[int, InputResult]] = []
    swept = any(task.plan.parameters for task in tasks)
    for position, result in evaluate(tasks, watcher, journal, launch, many):
        if launch.on_result is not None:
            launch.on_result(result)
        if launch.on_result is None or swept:
            kept.append((position, result))
    results = [result for _, result in sorted(kept, key=lambda pair: pair[0])]
    if swept and not plan.analyze_only and not plan.build_only:
        print_lines(*sweep_lines(results), "")
    if many and not plan.analyze_only:
        # Very many results scroll away; the report keeps them in one place.
        (path,) = report(cache_dir=plan.cache_dir, report_dir=plan.cache_dir)
        print_lines(f"The report is {path}")
    return results if launch.on_result is None else []


def input_names(input_files: InputFiles) -> list[str]:
    """The names of the inputs as a list of strings."""
    if isinstance(input_files, (str, os.PathLike)):
        return [os.fspath(input_files)]
    return [os.fspath(name) for name in input_files]


def launch_of(
    options: Mapping[str, Any],
    on_result: Callable[[InputResult], None] | None,
    as_race: bool = False,
) -> Launch:
    """The ``Launch`` that settled options describe."""
    return Launch(
        labels=options["labels"],
        sweep=options["sweep"],
        source=_sequence_source(options),
        limits=_limits(options),
        resume=options["resume"] or options["retry"] is not None,
        retry=options["retry"] is not None,
        slurm=_slurm_options(options),
        on_result=on_result,
        as_race=as_race,
    )


def _limits(options: Mapping[str, Any]) -> Limits:
    isolated = options["process_isolation"]
    return Limits(
        jobs=options.get("jobs", 1),
        seconds=options["timeout"] or (default_seconds() if isolated else None),
        memory_bytes=options["memory_limit"],
    )


def _slurm_options(options: Mapping[str, Any]) -> SlurmOptions | None:
    if not options.get("use_slurm"):
        if options.get("slurm_args") or options.get("slurm_python"):
            raise UsageError("--slurm-args and --slurm-python have no effect without --use-slurm.")
        return None
    if options["memory_limit"] is not None:
        raise UsageError(
            '--memory-limit does not apply to Slurm jobs; use --slurm-args "mem=8G" instead.'
        )
    if options["jobs"] != 1:
        raise UsageError("--jobs does not apply to Slurm; use --slurm-max-jobs instead.")
    from turnkeyml.launch import SlurmOptions, parse_arguments

    return SlurmOptions(
        arguments=parse_arguments(options["slurm_args"] or ""),
        max_jobs=options["slurm_max_jobs"],
        python=options["slurm_python"],
    )


def _sequence_source(options: Mapping[str, Any]) -> SequenceSource | None:
    """A custom sequence, in a form that can be passed to other processes; None for a named one."""
    file, sequence = options.get("sequence_file"), options.get("sequence")
    if file is not None:
        check_file(file)
        return SequenceSource(file=os.path.abspath(file))
    if sequence is None or isinstance(sequence, str):
        return None
    ours = any(type(stage).__module__ == "__main__" for stage in sequence)
    main = getattr(sys.modules["__main__"], "__file__", None) if ours else None
    return SequenceSource(pickled=pickle_sequence(sequence), main=main)


@takes(BenchmarkOptions)
def forecast_benchmark(input_files: InputFiles, **options: Unpack[BenchmarkOptions]) -> Forecast:
    """What ``benchmark_files`` would do with the same arguments. It runs and writes nothing."""
    return _forecast(input_files, plan_of(options), launch_of(options, None))


@takes(RaceOptions)
def forecast_race(input_files: InputFiles, **options: Unpack[RaceOptions]) -> Forecast:
    """What ``race_files`` would do with the same arguments. It runs and writes nothing."""
    return _forecast(input_files, race_plan(options), launch_of(options, None, as_race=True))


def _forecast(input_files: InputFiles, plan: Plan, launch: Launch) -> Forecast:
    from turnkeyml.launch import find_tasks, forecast

    return forecast(find_tasks(input_names(input_files), plan, launch), launch)
