"""Building and measuring one invocation: what the input child and the API both do."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path

import turnkeyml
from turnkeyml import environment, events
from turnkeyml.build.builder import Built, build
from turnkeyml.build.logs import captured
from turnkeyml.build.reference import evaluating
from turnkeyml.build.stage import ONNX
from turnkeyml.build.subject import Subject
from turnkeyml.build.verify import compare
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.stats import add_evaluation, update_stats
from turnkeyml.errors import MeasureError, TurnkeyError, describe
from turnkeyml.measure.record import failed, measure
from turnkeyml.measure.sampler import Rule
from turnkeyml.measure.spawn import measure_in_worker
from turnkeyml.measure.worker import WorkerRequest
from turnkeyml.records import Evaluation, InvocationResult, Plan, Verification
from turnkeyml.runtimes import machine
from turnkeyml.runtimes.registry import Runtime, find_device, find_runtime
from turnkeyml.runtimes.session import OnnxRequest, TorchRequest

__all__ = ["evaluate"]


def evaluate(subject: Subject, plan: Plan, sink: events.Sink) -> InvocationResult:
    """Do with an invocation what the plan says. Failures are part of the result."""
    folder = BuildFolder(Path(plan.cache_dir), subject.record.build_name)
    result = InvocationResult(subject.record, build_dir=str(folder.path))
    try:
        with _lock(folder, subject, sink):
            folder.path.mkdir(parents=True, exist_ok=True)
            folder.remove_leftovers()
            return _evaluate_locked(subject, plan, folder, sink, result)
    except TurnkeyError as error:
        return replace(result, failure=str(error), build_status="failed_build")
    except Exception as error:  # noqa: BLE001 - one invocation's trouble must not cost the others
        return replace(
            result,
            failure=f"Unknown turnkey error: {describe(error)}",
            traceback=traceback.format_exc(),
        )


def _lock(folder: BuildFolder, subject: Subject, sink: events.Sink):  # type: ignore[no-untyped-def]
    """The build's lock, taken; whoever watches hears if that means waiting."""
    from filelock import Timeout

    lock = folder.lock()
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        sink.send(events.Waiting(subject.record.hash))
        return lock.acquire()


def _evaluate_locked(
    subject: Subject,
    plan: Plan,
    folder: BuildFolder,
    sink: events.Sink,
    result: InvocationResult,
) -> InvocationResult:
    runtimes = [find_runtime(name, plan.device) for name in plan.runtimes]
    built: Built | None = None
    _write_subject_stats(subject, folder)
    if plan.build_only or plan.sequence or any(r.needs_onnx for r in runtimes):
        try:
            built = build(subject, plan, folder, sink)
        except TurnkeyError as error:
            update_stats(folder, build={"status": "failed_build", "failure": str(error)})
            trace = traceback.format_exc() if environment.traceback() else None
            return replace(
                result, failure=str(error), build_status="failed_build", traceback=trace
            )
        _write_build_stats(built, folder)
        result = replace(
            result,
            build_status=built.state.build_status,
            reused=built.reused,
            verification=built.state.verification,
            remarks=built.remarks,
        )
    evaluations = []
    if not plan.build_only:
        for runtime in runtimes:
            sink.send(events.MeasureStarted(subject.record.hash, runtime.name))
            evaluation = _measure(subject, plan, folder, runtime, built, sink)
            add_evaluation(folder, evaluation)
            evaluations.append(evaluation)
    if plan.lean_cache:
        folder.remove_artifacts()
    return replace(result, evaluations=tuple(evaluations))


def _measure(
    subject: Subject,
    plan: Plan,
    folder: BuildFolder,
    runtime: Runtime,
    built: Built | None,
    sink: events.Sink,
) -> Evaluation:
    device = find_device(plan.device)
    try:
        if runtime.needs_onnx:
            assert built is not None
            evaluation = _measure_onnx(subject, plan, folder, runtime, built, sink)
        else:
            evaluation = _measure_torch(subject, plan, folder, runtime, sink)
    except MeasureError as error:
        return failed(device, runtime, str(error))
    except Exception as error:  # noqa: BLE001 - a runtime may raise anything; the row says what
        return failed(device, runtime, f"{runtime.title} failed: {describe(error)}")
    return evaluation


def _measure_onnx(
    subject: Subject,
    plan: Plan,
    folder: BuildFolder,
    runtime: Runtime,
    built: Built,
    sink: events.Sink,
) -> Evaluation:
    artifact = built.state.artifacts.get(ONNX)
    if artifact is None:
        raise MeasureError(f"{runtime.title} needs an ONNX file, and the sequence made none.")
    request = WorkerRequest(
        device=plan.device,
        runtime=runtime.name,
        onnx=OnnxRequest(
            model=str(folder.path / artifact),
            inputs=str(folder.inputs),
            threads=machine.usable_cores(),
            arguments=plan.rt_args,
        ),
        rule=Rule(iterations=plan.iterations),
        folder=str(folder.benchmark(plan.device, runtime.name)),
        invocation=subject.record.hash,
        events=sink.path,
    )
    evaluation = replace(measure_in_worker(request), artifact=artifact)
    return _with_verdict(evaluation, folder, built.state.verification)


def _measure_torch(
    subject: Subject, plan: Plan, folder: BuildFolder, runtime: Runtime, sink: events.Sink
) -> Evaluation:
    if subject.model is None:
        raise MeasureError(f"{runtime.title} needs a PyTorch model; this input is an ONNX file.")
    threads = machine.usable_cores()
    request = TorchRequest(subject.model, subject.args, subject.kwargs, threads, plan.rt_args)
    target = folder.benchmark(plan.device, runtime.name)

    def announce(seconds: float) -> None:
        sink.send(events.MeasureEstimated(subject.record.hash, seconds))

    with captured(target / "log.txt"), evaluating(subject.model):
        reference = subject.reference(threads)
        measured = measure(
            open_session=lambda: runtime.load().open_session(request),
            device=find_device(plan.device),
            runtime=runtime,
            threads=threads,
            rule=Rule(iterations=plan.iterations),
            folder=target,
            on_estimate=announce,
        )
        from turnkeyml.build.export import precision_of

        verdict = compare(measured.outputs, reference, precision_of(subject.model))
    return _with_verdict(measured.evaluation, folder, verdict)


def _with_verdict(
    evaluation: Evaluation, folder: BuildFolder, verdict: Verification | None
) -> Evaluation:
    assert evaluation.performance is not None
    performance = replace(evaluation.performance, build_name=folder.name, verification=verdict)
    return replace(evaluation, performance=performance)


def _write_subject_stats(subject: Subject, folder: BuildFolder) -> None:
    record = subject.record
    update_stats(
        folder,
        turnkey_version=turnkeyml.__version__,
        build_name=record.build_name,
        model_name=record.name,
        model_class=record.class_name,
        model_type=record.model_type,
        model_hash=record.model_hash,
        hash=record.hash,
        file=record.file,
        parameters=record.parameters,
        parameter_bytes=record.parameter_bytes,
        input_shapes=record.shapes,
        input_dtypes=record.dtypes,
    )


def _write_build_stats(built: Built, folder: BuildFolder) -> None:
    state = built.state
    update_stats(
        folder,
        build={
            "status": state.build_status,
            "sequence": state.sequence,
            **state.facts,
            "stages": state.stages,
            "seconds": sum(s.seconds for s in state.stages),
            "verification": state.verification,
        },
    )
