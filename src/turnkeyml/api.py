"""What turnkeyml does, for programs: the command line is a thin layer over this."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnkeyml import environment
from turnkeyml.cache.layout import check_writable, safe_name
from turnkeyml.cache.state import BuildState, load_state
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.records import (
    InputResult,
    InvocationRecord,
    InvocationResult,
    MeasuredPerformance,
    Plan,
)
from turnkeyml.runtimes.registry import find_device, find_runtime

__all__ = ["benchmark_files", "benchmark_model", "build_model"]

DEFAULT_TIMEOUT_SECONDS = 3600
REBUILD_POLICIES = ("if_needed", "always", "never")


def benchmark_files(
    input_files: str | Sequence[str],
    *,
    device: str = "x86",
    runtime: str | Sequence[str] | None = None,
    iterations: int = 100,
    cache_dir: str | None = None,
    lean_cache: bool = False,
    rebuild: str = "if_needed",
    sequence: str | None = None,
    script_args: str | Sequence[str] | None = None,
    max_depth: int = 0,
    onnx_opset: int | None = None,
    analyze_only: bool = False,
    build_only: bool = False,
    rt_args: dict[str, Any] | None = None,
    process_isolation: bool = False,
    timeout: float | None = None,
) -> list[InputResult]:
    """Find, build and measure the models in scripts and ONNX files; what became of each.

    Every input is evaluated in a process of its own. With ``process_isolation`` that process is
    ended when it takes longer than ``timeout`` seconds.
    """
    from turnkeyml.discover.inputs import find_inputs
    from turnkeyml.display.watchers import make_watcher
    from turnkeyml.launch.local import evaluate_inputs

    names = [input_files] if isinstance(input_files, (str, os.PathLike)) else list(input_files)
    inputs = find_inputs(names)
    if not inputs:
        raise UsageError("No input files were given.")
    if timeout is not None and timeout <= 0:
        raise UsageError(f"The timeout must be above zero, not {timeout:g}.")
    plan = _plan(
        device=device,
        runtime=runtime,
        iterations=iterations,
        cache_dir=cache_dir,
        lean_cache=lean_cache,
        rebuild=rebuild,
        sequence=sequence,
        onnx_opset=onnx_opset,
        build_only=build_only,
        rt_args=rt_args,
    )
    if max_depth < 0:
        raise UsageError(f"The maximum depth must not be below zero, not {max_depth}.")
    plan = replace(
        plan,
        script_args=_split_arguments(script_args),
        max_depth=max_depth,
        analyze_only=analyze_only,
    )
    if not analyze_only:
        check_writable(Path(plan.cache_dir))
    limit = (
        (timeout or environment.timeout_seconds() or DEFAULT_TIMEOUT_SECONDS)
        if (process_isolation or timeout is not None)
        else None
    )
    watcher = make_watcher(show_status=not analyze_only)
    return evaluate_inputs(inputs, plan, watcher, limit)


def benchmark_model(
    model: Any,
    inputs: Any,
    *,
    build_name: str | None = None,
    device: str = "x86",
    runtime: str | None = None,
    iterations: int = 100,
    cache_dir: str | None = None,
    lean_cache: bool = False,
    rebuild: str = "if_needed",
    sequence: str | None = None,
    onnx_opset: int | None = None,
    build_only: bool = False,
    rt_args: dict[str, Any] | None = None,
) -> MeasuredPerformance | None:
    """Build and measure one live model; None with ``build_only``.

    ``inputs`` is a dict of keyword arguments, or a tuple or list of positional ones.
    """
    from turnkeyml.display.listing import performance_lines

    plan = _plan(
        device=device,
        runtime=runtime,
        iterations=iterations,
        cache_dir=cache_dir,
        lean_cache=lean_cache,
        rebuild=rebuild,
        sequence=sequence,
        onnx_opset=onnx_opset,
        build_only=build_only,
        rt_args=rt_args,
    )
    result = _evaluate_live(model, inputs, build_name, plan, add_hash=True)
    if build_only:
        return None
    evaluation = result.evaluations[0]
    if evaluation.performance is None:
        raise TurnkeyError(evaluation.reason or "The measurement failed.")
    print("\n".join(performance_lines(result.invocation.class_name, evaluation)))
    return evaluation.performance


def build_model(
    model: Any,
    inputs: Any = None,
    *,
    build_name: str | None = None,
    cache_dir: str | None = None,
    monitor: bool | None = None,
    rebuild: str = "if_needed",
    sequence: str | None = None,
    onnx_opset: int | None = None,
) -> BuildState:
    """Build one live model and return the state of its build."""
    plan = _plan(
        cache_dir=cache_dir,
        rebuild=rebuild,
        sequence=sequence,
        onnx_opset=onnx_opset,
        build_only=True,
    )
    result = _evaluate_live(model, inputs, build_name, plan, add_hash=False)
    show = environment.build_monitor() if monitor is None else monitor
    if show:
        words = "loaded from the cache" if result.reused else "successfully built"
        print(f"{result.invocation.build_name}: {words} in {result.build_dir}")
    return load_state(result.invocation.build_name, plan.cache_dir)


def _plan(
    *,
    device: str = "x86",
    runtime: str | Sequence[str] | None = None,
    iterations: int = 100,
    cache_dir: str | None = None,
    lean_cache: bool = False,
    rebuild: str = "if_needed",
    sequence: str | None = None,
    onnx_opset: int | None = None,
    build_only: bool = False,
    rt_args: dict[str, Any] | None = None,
) -> Plan:
    """A plan that makes sense, or an error that says what does not."""
    from turnkeyml.build.sequences import SEQUENCES

    chosen = [runtime] if isinstance(runtime, str) else list(runtime or [])
    names = chosen or [find_device(device).default_runtime]
    runtimes = [find_runtime(name, device).name for name in names]
    if rebuild not in REBUILD_POLICIES:
        policies = ", ".join(REBUILD_POLICIES)
        raise UsageError(f"Unknown rebuild policy {rebuild!r}; there are: {policies}.")
    if sequence is not None and sequence not in SEQUENCES:
        raise UsageError(f"Unknown sequence {sequence!r}; there are: {', '.join(SEQUENCES)}.")
    if iterations < 1:
        raise UsageError(f"The number of iterations must be above zero, not {iterations}.")
    opset = onnx_opset if onnx_opset is not None else environment.onnx_opset()
    if opset is not None and opset < 1:
        raise UsageError(f"The ONNX opset must be above zero, not {opset}.")
    return Plan(
        cache_dir=os.path.abspath(os.path.expanduser(cache_dir or environment.cache_dir())),
        device=device,
        runtimes=tuple(dict.fromkeys(runtimes)),
        iterations=iterations,
        sequence=sequence,
        onnx_opset=opset,
        rebuild=rebuild,
        build_only=build_only,
        lean_cache=lean_cache,
        rt_args=dict(rt_args or {}),
    )


def _split_arguments(arguments: str | Sequence[str] | None) -> tuple[str, ...]:
    if arguments is None:
        return ()
    if not isinstance(arguments, str):
        return tuple(arguments)
    import shlex

    try:
        return tuple(shlex.split(arguments))
    except ValueError as error:
        raise UsageError(f"The script arguments {arguments!r} cannot be split: {error}.") from None


def _evaluate_live(
    model: Any, inputs: Any, build_name: str | None, plan: Plan, add_hash: bool
) -> InvocationResult:
    """Build (and measure) a model of the calling process, in that process."""
    from turnkeyml import events
    from turnkeyml.build.subject import Subject
    from turnkeyml.discover.live import describe_live
    from turnkeyml.launch.evaluate import evaluate

    check_writable(Path(plan.cache_dir))
    if inputs is None:
        raise UsageError("The model's inputs are needed: they give the build its shapes.")
    kwargs = dict(inputs) if hasattr(inputs, "keys") else {}
    args = (
        ()
        if hasattr(inputs, "keys")
        else tuple(inputs)
        if isinstance(inputs, (tuple, list))
        else (inputs,)
    )
    record: InvocationRecord = describe_live(model, args, kwargs)
    name = build_name or (f"{_script_name()}_{record.hash}" if add_hash else _script_name())
    record = replace(record, build_name=safe_name(name))
    result = evaluate(Subject(record, model, args, kwargs), plan, events.Sink(None))
    for remark in result.remarks:
        print(f"Warning: {remark}", file=sys.stderr)
    if result.failure:
        raise TurnkeyError(result.failure)
    return result


def _script_name() -> str:
    """The name of the running script, after which builds are named."""
    path = getattr(sys.modules.get("__main__"), "__file__", None) or "interactive"
    return Path(path).stem
