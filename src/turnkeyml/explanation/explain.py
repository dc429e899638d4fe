"""Explain a build: measure, account, compare with the peaks, find, keep.

A profiled run is kept as well, in the Chrome trace event format, which Perfetto opens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnkeyml.cache import (
    ABANDONED,
    BuildFolder,
    end_held_work,
    read_state,
    read_stats,
    teller,
    trace_file,
    write_json,
)
from turnkeyml.errors import MeasureError
from turnkeyml.explanation.costs import SourceNode, read_source
from turnkeyml.explanation.findings import findings_of
from turnkeyml.explanation.measurements import Observed, observe
from turnkeyml.explanation.peaks import Accelerator, bandwidth, is_disturbed, peaks_of
from turnkeyml.explanation.roofline import (
    account,
    held_to_peaks,
    is_transfer,
    limits_of,
    modules_of,
    operators_of,
    types_of,
    with_nodes,
    without_bounds,
)
from turnkeyml.nouns import (
    LAYER,
    Evaluation,
    Explanation,
    Operator,
    Peaks,
    Performance,
    Plan,
    Profile,
    Span,
    to_dict,
)
from turnkeyml.runtimes import Runtime, find_device, find_runtime, gpu_index

PROCESS = 1
Tell = Callable[[str], None]


def explain_build(
    folder: BuildFolder, plan: Plan, *, remeasure_peaks: bool = False, tell: Tell
) -> Explanation:
    """Why a build takes as long as it does with the runtime of a plan; also kept in the build.

    ``tell`` hears what is being done.
    """
    runtime = find_runtime(plan.runtimes[0], plan.device)
    if not plan.places:
        runtime.require()
    with folder.lock(teller(tell)), folder.work() as work:
        _require_build(folder, runtime)
        observed = observe(folder, plan, runtime, work, tell)
        accelerator = _accelerator(plan, runtime)
        peaks = peaks_of(
            folder.cache_dir, observed.threads, accelerator, remeasure_peaks, tell=tell
        )
        source = _source(folder, observed)
        observed = replace(observed, profile=with_nodes(observed.profile, source))
        found = _explain(folder, runtime, observed, peaks, source)
        if accelerator is not None:
            found = replace(found, accelerator=accelerator.name)
        found = findings_of(found)
        kept = _kept_at(folder, runtime, observed.evaluation)
        write_json(folder.path / found.trace, trace_of(found, observed.profile))
        write_json(kept, to_dict(found))
    return found


def _require_build(folder: BuildFolder, runtime: Runtime) -> None:
    end_held_work(folder, ABANDONED)
    state = read_state(folder)
    if runtime.measures_files and (state is None or not state.succeeded):
        why = (state.obstacle if state is not None else None) or "it has no state"
        raise MeasureError(
            f"The build {folder.name} is not finished: {why}; explain its script or model instead."
        )


def _kept_at(folder: BuildFolder, runtime: Runtime, evaluation: Evaluation) -> Path:
    """Where an explanation is kept: those of two interpreters apart."""
    python = f".python-{evaluation.python}" if evaluation.python else ""
    return folder.explanation(runtime.device, runtime.name + python, evaluation.precision or "")


def _accelerator(plan: Plan, runtime: Runtime) -> Accelerator | None:
    """The GPU of a runtime; None if it runs on the processor."""
    monitor = runtime.monitor()
    if monitor is None:
        return None
    name = str(monitor.look().get("name") or find_device(plan.device).describe())
    python = plan.places[0].python if plan.places else ""
    return Accelerator(name, gpu_index(runtime.device), python)


def _cautions(performance: Performance, peaks: Peaks) -> Iterator[str]:
    """What else went on while the latency or the peaks were measured."""
    yield from (flag.text for flag in performance.flags if flag.kind.traits.in_explanations)
    if is_disturbed(peaks):
        yield (
            f"Other programs kept {peaks.other_cores:.1f} processors busy while the peaks were "
            "measured, which may be too low: they will be measured again the next time."
        )


def _source(folder: BuildFolder, observed: Observed) -> Mapping[str, SourceNode]:
    """The nodes of the file that was measured; none for a live model."""
    artifact = observed.evaluation.artifact
    has_layers = any(one.op_type == LAYER for one in observed.profile.operators)
    return read_source(folder.path / artifact, has_layers) if artifact else {}


def _reading_ms(weights: float, peaks: Peaks) -> float:
    """The time to read so many bytes once; 0 if no bandwidth is known."""
    return weights / (bandwidth(peaks, weights) or float("inf")) / 1e6


def _explain(
    folder: BuildFolder,
    runtime: Runtime,
    observed: Observed,
    peaks: Peaks,
    source: Mapping[str, SourceNode],
) -> Explanation:
    evaluation, profile = observed.evaluation, observed.profile
    assert evaluation.performance is not None
    performance = evaluation.performance
    balance = account(profile, performance.median_latency)
    operators = operators_of(profile, balance, peaks, source)
    no_roofline = ""
    if not profile.by_host:
        operators, no_roofline = held_to_peaks(operators, performance.median_latency)
    least = sum(o.ms if o.least_ms is None else o.least_ms for o in operators)
    if profile.by_host:
        operators = without_bounds(operators)
    weights = sum(operator.weight_bytes for operator in operators)
    precision = evaluation.precision or ""
    trace = trace_file(_kept_at(folder, runtime, evaluation))
    moving = [operator for operator in operators if not is_transfer(operator)]
    return Explanation(
        build_name=folder.name,
        model=str(read_stats(folder).get("model_name", "")) or folder.name,
        device=evaluation.device,
        runtime=runtime.name,
        runtime_version=evaluation.runtime_version or "",
        precision=precision,
        threads=observed.threads,
        created=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        latency=performance.median_latency,
        latency_low=performance.median_low,
        latency_high=performance.median_high,
        operators_ms=balance.operators_ms,
        outside_ms=balance.outside_ms,
        outside=profile.outside,
        profiler=profile.profiler,
        profiled_runs=profile.runs,
        plain_ms=profile.plain_ms,
        profiled_ms=profile.profiled_ms,
        profiled_operators_ms=balance.recorded_ms,
        in_python=profile.in_python,
        resolution_us=profile.resolution_us,
        peaks=peaks,
        operators=operators,
        types=types_of(operators),
        modules=modules_of(operators),
        flops=sum(operator.flops or 0.0 for operator in operators),
        bytes=sum(operator.bytes or 0.0 for operator in moving),
        weight_bytes=weights,
        least_ms=least,
        weights_ms=0.0 if no_roofline else _reading_ms(weights, peaks),
        limits=limits_of(operators, balance.outside_ms),
        alternatives=observed.alternatives,
        notes=(*balance.notes, *peaks.problems),
        cautions=tuple(_cautions(performance, peaks)),
        verdict=evaluation.verdict,
        kernels=profile.kernels,
        host_ms=profile.host_ms,
        by_host=profile.by_host,
        no_roofline=no_roofline,
        trace=trace.relative_to(folder.path).as_posix(),
    )


def trace_of(explanation: Explanation, profile: Profile) -> dict[str, Any]:
    """The trace of a profile; each operator has its cost and its bound as arguments.

    The times are as they were recorded, with what the profiler costs.
    """
    known = {operator.name: operator for operator in explanation.operators}
    threads = list(dict.fromkeys(span.thread or "operators" for span in profile.spans))
    title = f"{explanation.build_name} on {explanation.runtime} {explanation.precision}".strip()
    return {
        "displayTimeUnit": "ms",
        "otherData": {"profiler": profile.profiler, "model": explanation.model},
        "traceEvents": [
            _name("process_name", title, 0),
            *(_name("thread_name", thread, n) for n, thread in enumerate(threads, 1)),
            *(
                _event(span, threads.index(span.thread or "operators") + 1, known.get(span.name))
                for span in profile.spans
            ),
        ],
    }


def _name(kind: str, name: str, thread: int) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": PROCESS, "tid": thread, "args": {"name": name}}


def _event(span: Span, thread: int, operator: Operator | None) -> dict[str, Any]:
    return {
        "name": span.name,
        "cat": span.op_type,
        "ph": "X",
        "ts": span.start_us,
        "dur": span.duration_us,
        "pid": PROCESS,
        "tid": thread,
        "args": {} if operator is None else _arguments(operator),
    }


def _arguments(operator: Operator) -> dict[str, Any]:
    return {
        "type": operator.op_type,
        "ms per run": operator.ms,
        "share of the latency": operator.share,
        "GFLOP": None if operator.flops is None else operator.flops / 1e9,
        "MB": None if operator.bytes is None else operator.bytes / 1e6,
        "least ms": operator.least_ms,
        "bound": operator.bound.value,
        "shapes": ", ".join(f"{t.dtype}{list(t.shape)}" for t in operator.inputs),
    }
