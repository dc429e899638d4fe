"""What turnkeyml does, for programs: the command line is a thin layer over this."""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Listing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml import environment
from turnkeyml.build.sequences import check_file, check_name, pickle_sequence
from turnkeyml.cache.layout import build_name as name_build
from turnkeyml.cache.layout import check_writable, safe_name
from turnkeyml.cache.state import BuildState, load_state
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.nouns import (
    InputResult,
    InvocationResult,
    MeasuredPerformance,
    Plan,
    SequenceSource,
)
from turnkeyml.runtimes.registry import find_device, find_runtime

if TYPE_CHECKING:
    from turnkeyml.build.stage import Sequence
    from turnkeyml.launch.pool import Limits
    from turnkeyml.launch.run import Launch
    from turnkeyml.launch.slurm.options import SlurmOptions

__all__ = ["benchmark_files", "benchmark_model", "build_model", "make_plan", "race_files"]

FEW_INPUTS = 8
"""Up to so many, each is listed in full; of more, each has a line."""
PRECISIONS = ("fp32", "fp16")
REBUILD_POLICIES = ("if_needed", "always", "never")


def benchmark_files(
    input_files: str | Listing[str],
    *,
    device: str = "x86",
    runtime: str | Listing[str] | None = None,
    iterations: int | None = None,
    quick: bool = False,
    rigorous: bool = False,
    threads: int | None = None,
    cache_dir: str | None = None,
    lean_cache: bool = False,
    rebuild: str = "if_needed",
    sequence: str | Sequence | None = None,
    sequence_file: str | None = None,
    script_args: str | Listing[str] | None = None,
    sweep: Iterable[str] = (),
    max_depth: int = 0,
    onnx_opset: int | None = None,
    analyze_only: bool = False,
    build_only: bool = False,
    labels: Iterable[str] = (),
    rt_args: dict[str, Any] | None = None,
    jobs: int = 1,
    process_isolation: bool = False,
    timeout: float | None = None,
    memory_limit: str | int | None = None,
    resume: bool = False,
    retry: str | None = None,
    use_slurm: bool = False,
    slurm_args: str | None = None,
    slurm_max_jobs: int = 50,
    slurm_python: str | None = None,
    on_result: Callable[[InputResult], None] | None = None,
) -> list[InputResult]:
    """Find, build and measure the models in scripts and ONNX files; what became of each.

    Every input is evaluated in a process of its own, ``jobs`` of them at a time; measurements have
    the machine to themselves. One that takes longer than ``timeout`` seconds or more memory than
    ``memory_limit`` is ended. With ``on_result`` each result goes there as soon as it is known,
    and none is kept.
    """
    if process_isolation and use_slurm:
        raise UsageError("Process isolation and Slurm exclude each other; choose one.")
    if use_slurm and memory_limit is not None:
        raise UsageError('With Slurm the memory of a job is limited by --slurm-args "mem=8G".')
    if use_slurm and jobs != 1:
        raise UsageError("With Slurm the jobs at a time are limited by --slurm-max-jobs.")
    if not use_slurm and (slurm_args or slurm_python):
        raise UsageError("Options for Slurm have no effect without --use-slurm.")
    plan = make_plan(
        device=device,
        runtime=runtime,
        iterations=iterations,
        quick=quick,
        rigorous=rigorous,
        threads=threads,
        cache_dir=cache_dir,
        lean_cache=lean_cache,
        rebuild=rebuild,
        sequence=sequence if isinstance(sequence, str) else None,
        script_args=_split_arguments(script_args),
        max_depth=max_depth,
        onnx_opset=onnx_opset,
        analyze_only=analyze_only,
        build_only=build_only,
        rt_args=rt_args,
    )
    from turnkeyml.launch.run import Launch

    launch = Launch(
        labels=tuple(labels or ()),
        sweep=sweep,
        source=_sequence_source(sequence, sequence_file),
        limits=_limits(jobs, process_isolation, timeout, memory_limit),
        resume=_resume(resume, retry),
        retry=retry is not None,
        slurm=_slurm_options(use_slurm, slurm_args, slurm_max_jobs, slurm_python),
        on_result=on_result,
    )
    return _evaluate_files(input_files, plan, launch)


def race_files(
    input_files: str | Listing[str],
    *,
    device: str = "x86",
    runtime: str | Listing[str] | None = None,
    precision: str | Listing[str] = "fp32",
    baseline: str | None = None,
    iterations: int | None = None,
    quick: bool = False,
    rigorous: bool = False,
    threads: int | None = None,
    cache_dir: str | None = None,
    lean_cache: bool = False,
    rebuild: str = "if_needed",
    script_args: str | Listing[str] | None = None,
    sweep: Iterable[str] = (),
    max_depth: int = 0,
    onnx_opset: int | None = None,
    labels: Iterable[str] = (),
    rt_args: dict[str, Any] | None = None,
    process_isolation: bool = False,
    timeout: float | None = None,
    memory_limit: str | int | None = None,
    resume: bool = False,
    retry: str | None = None,
    on_result: Callable[[InputResult], None] | None = None,
) -> list[InputResult]:
    """Measure each model with several runtimes and precisions, in turns; see ``race`` of each row.

    Without ``runtime``, every one that is available here takes part.
    """
    plan = make_plan(
        device=device,
        runtime=runtime,
        iterations=iterations,
        quick=quick,
        rigorous=rigorous,
        threads=threads,
        cache_dir=cache_dir,
        lean_cache=lean_cache,
        rebuild=rebuild,
        script_args=_split_arguments(script_args),
        max_depth=max_depth,
        onnx_opset=onnx_opset,
        rt_args=rt_args,
        precisions=_precisions(precision),
        races=True,
        baseline=_known_baseline(baseline, device, runtime, precision),
    )
    plan = plan if runtime else replace(plan, runtimes=())
    from turnkeyml.launch.run import Launch

    launch = Launch(
        labels=tuple(labels or ()),
        sweep=sweep,
        limits=_limits(1, process_isolation, timeout, memory_limit),
        resume=_resume(resume, retry),
        retry=retry is not None,
        on_result=on_result,
        as_race=True,
    )
    return _evaluate_files(input_files, plan, launch)


def _evaluate_files(
    input_files: str | Listing[str], plan: Plan, launch: Launch
) -> list[InputResult]:
    """Evaluate every input at every point of the sweep."""
    from turnkeyml.display.results import sweep_lines
    from turnkeyml.display.watchers import make_watcher
    from turnkeyml.launch.journal import Journal
    from turnkeyml.launch.run import find_tasks
    from turnkeyml.launch.run import results as evaluate

    tasks = find_tasks(input_files, plan, launch)
    if not plan.analyze_only:
        check_writable(Path(plan.cache_dir))
    many = len(tasks) > FEW_INPUTS or launch.limits.jobs > 1 or launch.slurm is not None
    watcher = make_watcher(
        show_status=not plan.analyze_only, as_race=launch.as_race, overview=len(tasks) * many
    )
    journal = None if plan.analyze_only and not many else Journal(plan.cache_dir)
    kept: list[tuple[int, InputResult]] = []
    swept = any(task.plan.parameters for task in tasks)
    for position, result in evaluate(tasks, watcher, journal, launch, many):
        if launch.on_result is not None:
            launch.on_result(result)
        if launch.on_result is None or swept:
            kept.append((position, result))
    if many and not plan.analyze_only:
        _write_report(plan.cache_dir)
    results = [result for _, result in sorted(kept, key=lambda pair: pair[0])]
    if swept and not plan.analyze_only and not plan.build_only:
        print("\n".join([*sweep_lines(results), ""]), flush=True)
    return results if launch.on_result is None else []


def _write_report(cache_dir: str) -> None:
    """The table of everything in the cache, for those who come back to very many inputs."""
    from turnkeyml.report.table import write_csv

    print(f"The report is {write_csv([Path(cache_dir)], Path(cache_dir))}", flush=True)


def _precisions(precision: str | Listing[str]) -> tuple[str, ...]:
    chosen = (precision,) if isinstance(precision, str) else tuple(precision)
    unknown = [p for p in chosen if p not in PRECISIONS]
    if unknown or not chosen:
        there = ", ".join(PRECISIONS)
        raise UsageError(f"Unknown precision {', '.join(unknown)!r}; there are: {there}.")
    return tuple(dict.fromkeys(chosen))


def _known_baseline(
    baseline: str | None,
    device: str,
    runtime: str | Listing[str] | None,
    precision: str | Listing[str],
) -> str | None:
    """Refuse a baseline that no contestant can be."""
    if baseline is None:
        return None
    name, _, own = baseline.replace(" ", "-").rpartition("-")
    name, own = (name, own) if own in (*PRECISIONS, "bf16") else (baseline, "")
    known = find_runtime(name, device)
    if runtime and name not in runtime:
        raise UsageError(f"The baseline {baseline} does not take part; name its runtime too.")
    if own and known.measures_files and own not in precision:
        raise UsageError(f"The baseline {baseline} does not take part; name its precision too.")
    return baseline


def benchmark_model(
    model: Any,
    inputs: Any,
    *,
    build_name: str | None = None,
    device: str = "x86",
    runtime: str | None = None,
    iterations: int | None = None,
    quick: bool = False,
    rigorous: bool = False,
    threads: int | None = None,
    cache_dir: str | None = None,
    lean_cache: bool = False,
    rebuild: str = "if_needed",
    sequence: str | Sequence | None = None,
    onnx_opset: int | None = None,
    build_only: bool = False,
    rt_args: dict[str, Any] | None = None,
) -> MeasuredPerformance | None:
    """Build and measure one live model; None with ``build_only``.

    ``inputs`` is a dict of keyword arguments, or a tuple or list of positional ones.
    """
    from turnkeyml.display.listing import performance_lines

    plan = make_plan(
        device=device,
        runtime=runtime,
        iterations=iterations,
        quick=quick,
        rigorous=rigorous,
        threads=threads,
        cache_dir=cache_dir,
        lean_cache=lean_cache,
        rebuild=rebuild,
        sequence=sequence if isinstance(sequence, str) else None,
        onnx_opset=onnx_opset,
        build_only=build_only,
        rt_args=rt_args,
    )
    result = _Live(model, inputs).evaluate(plan, sequence, build_name, add_hash=True)
    if build_only:
        return None
    evaluation = result.evaluations[0]
    if evaluation.performance is None:
        raise TurnkeyError(evaluation.reason or "The measurement failed.")
    print("\n".join(performance_lines(result.invocation.class_name, evaluation)))
    return evaluation.measured_performance()


def build_model(
    model: Any,
    inputs: Any = None,
    *,
    build_name: str | None = None,
    cache_dir: str | None = None,
    monitor: bool | None = None,
    rebuild: str = "if_needed",
    sequence: str | Sequence | None = None,
    onnx_opset: int | None = None,
) -> BuildState:
    """Build one live model and return the state of its build."""
    plan = make_plan(
        cache_dir=cache_dir,
        rebuild=rebuild,
        sequence=sequence if isinstance(sequence, str) else None,
        onnx_opset=onnx_opset,
        build_only=True,
    )
    live = _Live(model, inputs, monitor)
    result = live.evaluate(plan, sequence, build_name, add_hash=False)
    live.say(
        f"{result.invocation.build_name}: "
        f"{'loaded from the cache' if result.reused else 'successfully built'} "
        f"in {result.build_dir}"
    )
    return load_state(result.invocation.build_name, plan.cache_dir)


def make_plan(
    *,
    device: str = "x86",
    runtime: str | Listing[str] | None = None,
    cache_dir: str | None = None,
    onnx_opset: int | None = None,
    rt_args: dict[str, Any] | None = None,
    iterations: int | None = None,
    quick: bool = False,
    rigorous: bool = False,
    threads: int | None = None,
    **settings: Any,
) -> Plan:
    """A plan that makes sense, or an error that says what does not."""
    chosen = [runtime] if isinstance(runtime, str) else list(runtime or [])
    names = chosen or [find_device(device).default_runtime]
    runtimes = [find_runtime(name, device) for name in dict.fromkeys(names)]
    for known in runtimes:
        known.complete(rt_args or {})
    opset = onnx_opset if onnx_opset is not None else environment.onnx_opset()
    plan = Plan(
        cache_dir=os.path.abspath(os.path.expanduser(cache_dir or environment.cache_dir())),
        device=device,
        runtimes=tuple(known.name for known in runtimes),
        onnx_opset=opset,
        rt_args=dict(rt_args or {}),
        iterations=_whole("number of iterations", iterations, 1),
        rule=_rule_name(iterations, quick, rigorous),
        threads=_whole("number of threads", threads, 1),
        **settings,
    )
    if plan.rebuild not in REBUILD_POLICIES:
        policies = ", ".join(REBUILD_POLICIES)
        raise UsageError(f"Unknown rebuild policy {plan.rebuild!r}; there are: {policies}.")
    check_name(plan.sequence)
    _whole("maximum depth", plan.max_depth, 0)
    _whole("ONNX opset", opset, 1)
    return plan


def _whole(what: str, value: Any, least: int) -> int | None:
    """A whole number that is large enough; None stays."""
    if value is None:
        return None
    try:
        good = operator.index(value) >= least
    except TypeError:
        good = False
    if not good:
        bound = "above zero" if least == 1 else "not be below zero"
        verb = "must be" if least == 1 else "must"
        raise UsageError(f"The {what} {verb} {bound} and a whole number, not {value!r}.")
    return operator.index(value)


def _rule_name(iterations: int | None, quick: bool, rigorous: bool) -> str:
    if sum((iterations is not None, quick, rigorous)) > 1:
        raise UsageError("A number of iterations, quick and rigorous exclude each other.")
    return "quick" if quick else "rigorous" if rigorous else "default"


def _slurm_options(
    use_slurm: bool, arguments: str | None, max_jobs: int, python: str | None
) -> SlurmOptions | None:
    if not use_slurm:
        return None
    from turnkeyml.launch.slurm.options import SlurmOptions, parse_arguments

    _whole("number of Slurm jobs", max_jobs, 1)
    return SlurmOptions(
        arguments=parse_arguments(arguments or ""), max_jobs=max_jobs, python=python
    )


def _limits(
    jobs: int, process_isolation: bool, timeout: float | None, memory_limit: str | int | None
) -> Limits:
    from turnkeyml.launch.pool import Limits
    from turnkeyml.launch.run import default_seconds

    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        raise UsageError(f"The timeout must be above zero, not {timeout:g}.")
    seconds = timeout or (default_seconds() if process_isolation else None)
    return Limits(
        jobs=_whole("number of jobs", jobs, 1) or 1,
        seconds=seconds,
        memory_bytes=_bytes(memory_limit),
    )


def _bytes(size: str | int | None) -> int | None:
    """A size such as 8G or 512M as a number of bytes."""
    if size is None:
        return None
    import re

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(size).strip(), re.IGNORECASE)
    number = float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " ") if found else 0
    if number < 1:
        raise UsageError(f"A memory limit is a size such as 8G or 512M, not {size!r}.")
    return int(number)


def _resume(resume: bool, retry: str | None) -> bool:
    if retry not in (None, "failed"):
        raise UsageError(f"What can be tried again is 'failed', not {retry!r}.")
    return resume or retry is not None


def _sequence_source(
    sequence: str | Sequence | None, sequence_file: str | None
) -> SequenceSource | None:
    """How the processes that build get a sequence that has no name."""
    if sequence_file is not None:
        if sequence is not None:
            raise UsageError("A sequence and a sequence file exclude each other; choose one.")
        check_file(sequence_file)
        return SequenceSource(file=os.path.abspath(sequence_file))
    if sequence is None or isinstance(sequence, str):
        return None
    ours = any(type(stage).__module__ == "__main__" for stage in sequence)
    main = getattr(sys.modules["__main__"], "__file__", None) if ours else None
    return SequenceSource(pickled=pickle_sequence(sequence), main=main)


def _split_arguments(arguments: str | Listing[str] | None) -> tuple[str, ...]:
    """Script arguments as a shell would split them; a comma before an option splits too."""
    if arguments is None:
        return ()
    if not isinstance(arguments, str):
        return tuple(arguments)
    import re
    import shlex

    try:
        words = shlex.split(arguments)
    except ValueError as error:
        raise UsageError(f"The script arguments {arguments!r} cannot be split: {error}.") from None
    return tuple(part for word in words for part in re.split(r",(?=-)", word) if part)


class _Live:
    """A model of the calling process with its inputs; built and measured in that process."""

    def __init__(self, model: Any, inputs: Any, monitor: bool | None = None) -> None:
        from turnkeyml.display.watchers import make_monitor

        if inputs is None:
            raise UsageError("The model's inputs are needed: they give the build its shapes.")
        self._model = model
        self._kwargs: dict[str, Any] = {}
        self._args: tuple[Any, ...] = ()
        if hasattr(inputs, "keys"):
            self._kwargs = dict(inputs)
        elif isinstance(inputs, (tuple, list)):
            self._args = tuple(inputs)
        else:
            self._args = (inputs,)
        self._monitor = make_monitor(monitor)
        self.say = self._monitor.say

    def evaluate(
        self, plan: Plan, sequence: str | Sequence | None, build_name: str | None, add_hash: bool
    ) -> InvocationResult:
        """Do what the plan says; an error if the build fails."""
        from turnkeyml.evaluate.invocation import evaluate
        from turnkeyml.frameworks import framework_of
        from turnkeyml.nouns import events

        check_writable(Path(plan.cache_dir))
        framework = framework_of(self._model)
        if framework is None:
            kind = type(self._model).__name__
            raise UsageError(f"The model must be a torch.nn.Module, not a {kind}.")
        subject = framework.subject(self._model, self._args, self._kwargs)
        record = subject.record
        usual = name_build(_script_name(), record.hash) if add_hash else _script_name()
        subject.record = replace(record, build_name=safe_name(build_name) if build_name else usual)
        result = evaluate(
            subject,
            plan,
            events.Sink(listener=lambda event: self._monitor.event(None, event)),
            None if isinstance(sequence, str) else sequence,
        )
        for remark in result.remarks:
            print(f"Warning: {remark}", file=sys.stderr)
        if result.failure:
            raise TurnkeyError(result.failure)
        return result


def _script_name() -> str:
    """The name of the running script, after which builds are named."""
    path = getattr(sys.modules.get("__main__"), "__file__", None) or "interactive"
    return safe_name(Path(path).stem)
