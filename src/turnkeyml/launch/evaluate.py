"""Building and measuring one invocation: what the input child and the API both do."""

from __future__ import annotations

import contextlib
import errno
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import turnkeyml
from turnkeyml import environment, events
from turnkeyml.build.builder import Built, build
from turnkeyml.build.logs import captured
from turnkeyml.build.reference import evaluating
from turnkeyml.build.stage import ONNX, Sequence
from turnkeyml.build.subject import Subject
from turnkeyml.build.verify import compare
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import BuildState
from turnkeyml.cache.stats import add_evaluation, update_stats
from turnkeyml.errors import MeasureError, TurnkeyError, describe
from turnkeyml.measure.record import Task, failed, measure
from turnkeyml.measure.sampler import Rule
from turnkeyml.measure.spawn import measure_in_worker
from turnkeyml.measure.worker import WorkerRequest
from turnkeyml.records import Evaluation, InvocationResult, Plan, Verification
from turnkeyml.runtimes import machine
from turnkeyml.runtimes.registry import Runtime, find_device, find_runtime
from turnkeyml.runtimes.session import OnnxRequest, TorchRequest

if TYPE_CHECKING:
    from filelock import AcquireReturnProxy

__all__ = ["evaluate", "measure_build"]

CASTS = (
    "ONNX Runtime casts fp16 to fp32 on x86, which costs time; "
    "--sequence optimize-fp32 measures without."
)


def evaluate(
    subject: Subject,
    plan: Plan,
    sink: events.Sink,
    sequence: Sequence | None = None,
    labels: dict[str, tuple[str, ...]] | None = None,
) -> InvocationResult:
    """Do with an invocation what the plan says. Failures are part of the result."""
    folder = BuildFolder(Path(plan.cache_dir), subject.record.build_name)
    job = _Job(subject, plan, folder, sink, sequence, labels or {})
    result = InvocationResult(subject.record, build_dir=str(job.folder.path))
    try:
        with job.lock():
            job.folder.path.mkdir(parents=True, exist_ok=True)
            job.folder.remove_leftovers()
            try:
                return job.run(result)
            finally:
                if plan.lean_cache:
                    job.folder.remove_artifacts()
    except TurnkeyError as error:
        return replace(result, failure=str(error))
    except OSError as error:
        failure = f"{error.strerror or error}: {error.filename or folder.path}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            failure = (
                f"The disk is full: {folder.path} needs more space. "
                "Free some, or choose another cache with --cache-dir."
            )
        return replace(result, failure=failure, traceback=traceback.format_exc())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it must not cost the others
        failure = f"Unknown turnkey error: {describe(error)}"
        return replace(result, failure=failure, traceback=traceback.format_exc())


def measure_build(
    folder: BuildFolder, state: BuildState, plan: Plan, runtime: Runtime, sink: events.Sink
) -> Evaluation:
    """Measure a finished ONNX build, without the model it came from. Needs the folder's lock."""
    artifact = state.artifacts.get(ONNX)
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
        invocation=state.hash,
        events=sink.path,
    )
    evaluation = replace(measure_in_worker(request), artifact=artifact)
    return _with_verdict(evaluation, folder, state.verification)


def _with_verdict(
    evaluation: Evaluation, folder: BuildFolder, verdict: Verification | None
) -> Evaluation:
    assert evaluation.performance is not None
    performance = replace(evaluation.performance, build_name=folder.name, verification=verdict)
    return replace(evaluation, performance=performance)


@dataclass(frozen=True)
class _Job:
    """One invocation on its way through build and measurement."""

    subject: Subject
    plan: Plan
    folder: BuildFolder
    sink: events.Sink
    sequence: Sequence | None
    labels: dict[str, tuple[str, ...]]

    def lock(self) -> AcquireReturnProxy:
        """The build's lock, taken; whoever watches hears if that means waiting."""
        from filelock import Timeout

        lock = self.folder.lock()
        try:
            return lock.acquire(timeout=0)
        except Timeout:
            self.sink.send(events.Waiting(self.subject.record.hash))
            return lock.acquire()

    def run(self, result: InvocationResult) -> InvocationResult:
        runtimes = [find_runtime(name, self.plan.device) for name in self.plan.runtimes]
        self._write_subject_stats()
        built: Built | None = None
        if self._needs_build(runtimes):
            try:
                built = build(self.subject, self.plan, self.folder, self.sink, self.sequence)
            except TurnkeyError as error:
                with contextlib.suppress(OSError):  # the failure itself is told in any case
                    self._write_failure(str(error))
                trace = traceback.format_exc() if environment.traceback() else None
                status = "failed_build"
                return replace(result, failure=str(error), build_status=status, traceback=trace)
            self._write_build_stats(built)
            result = replace(
                result,
                build_status=built.state.build_status,
                reused=built.reused,
                verification=built.state.verification,
                remarks=built.remarks,
            )
        if not self.plan.build_only:
            evaluations = self._measure_all(runtimes, built)
            remarks = (*result.remarks, *(CASTS,) * self._casts(evaluations, built))
            result = replace(result, evaluations=evaluations, remarks=remarks)
        return result

    def _needs_build(self, runtimes: list[Runtime]) -> bool:
        custom = self.plan.sequence is not None or self.sequence is not None
        return self.plan.build_only or custom or any(r.needs_onnx for r in runtimes)

    def _casts(self, evaluations: tuple[Evaluation, ...], built: Built | None) -> bool:
        """Whether ONNX Runtime computes in another precision than the one we converted to."""
        converted = built is not None and "fp16_conversion" in built.state.sequence
        on_cpu = any(e.ok and (e.device_type, e.runtime) == ("x86", "ort") for e in evaluations)
        return converted and on_cpu

    def _measure_all(self, runtimes: list[Runtime], built: Built | None) -> tuple[Evaluation, ...]:
        evaluations = []
        for runtime in runtimes:
            self.sink.send(events.MeasureStarted(self.subject.record.hash, runtime.name))
            evaluation = self._measure(runtime, built)
            add_evaluation(self.folder, evaluation)
            evaluations.append(evaluation)
        return tuple(evaluations)

    def _measure(self, runtime: Runtime, built: Built | None) -> Evaluation:
        try:
            if runtime.needs_onnx:
                assert built is not None
                return measure_build(self.folder, built.state, self.plan, runtime, self.sink)
            return self._measure_torch(runtime)
        except MeasureError as error:
            reason = str(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            log = self.folder.benchmark(self.plan.device, runtime.name) / "log.txt"
            with captured(log):
                traceback.print_exc()
            reason = f"{runtime.title} failed: {describe(error)} (see {log})"
        return failed(find_device(self.plan.device), runtime, reason)

    def _measure_torch(self, runtime: Runtime) -> Evaluation:
        subject, plan = self.subject, self.plan
        if subject.model is None:
            raise MeasureError(f"{runtime.title} needs a PyTorch model; this is an ONNX file.")
        threads = machine.usable_cores()
        request = TorchRequest(subject.model, subject.args, subject.kwargs, threads, plan.rt_args)
        target = self.folder.benchmark(plan.device, runtime.name)
        task = Task(
            device=find_device(plan.device),
            runtime=runtime,
            threads=threads,
            rule=Rule(iterations=plan.iterations),
            folder=target,
            on_estimate=self._announce,
        )
        (target / "log.txt").unlink(missing_ok=True)
        with captured(target / "log.txt"), evaluating(subject.model):
            reference = subject.reference(threads)
            measured = measure(lambda: runtime.load().open_session(request), task)
            from turnkeyml.build.export import precision_of

            verdict = compare(measured.outputs, reference, precision_of(subject.model))
        return _with_verdict(measured.evaluation, self.folder, verdict)

    def _announce(self, seconds: float) -> None:
        self.sink.send(events.MeasureEstimated(self.subject.record.hash, seconds))

    def _write_subject_stats(self) -> None:
        record = self.subject.record
        update_stats(
            self.folder,
            turnkey_version=turnkeyml.__version__,
            build_name=record.build_name,
            model_name=record.name,
            model_class=record.class_name,
            model_type=record.model_type,
            model_hash=record.model_hash,
            hash=record.hash,
            file=record.file,
            labels=self.labels,
            parameters=record.parameters,
            parameter_bytes=record.parameter_bytes,
            input_shapes=record.shapes,
            input_dtypes=record.dtypes,
        )

    def _write_failure(self, message: str) -> None:
        update_stats(self.folder, build={"status": "failed_build", "failure": message})

    def _write_build_stats(self, built: Built) -> None:
        state = built.state
        update_stats(
            self.folder,
            build={
                "status": state.build_status,
                "sequence": state.sequence,
                **state.facts,
                "stages": state.stages,
                "seconds": sum(s.seconds for s in state.stages),
                "verification": state.verification,
            },
        )
