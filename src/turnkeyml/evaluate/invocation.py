"""Building and measuring one invocation: what the input child and the API both do."""

from __future__ import annotations

import contextlib
import errno
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import turnkeyml
from turnkeyml import environment
from turnkeyml.build.builder import Built, build
from turnkeyml.build.stage import Sequence
from turnkeyml.build.subject import Subject
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import read_state
from turnkeyml.cache.stats import add_evaluation, update_stats
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.evaluate.entrants import Entrants, measure_entrants, sequence_for
from turnkeyml.evaluate.turns import Turns
from turnkeyml.nouns import Evaluation, InvocationResult, Plan, RaceResult, events
from turnkeyml.runtimes.registry import Runtime, available_runtimes, find_runtime

if TYPE_CHECKING:
    from filelock import AcquireReturnProxy

__all__ = ["evaluate"]

CASTS = "ONNX Runtime casts fp16 to fp32 on x86, which costs time."
WITHOUT_CASTS = "--sequence optimize-fp32 measures without."


def evaluate(
    subject: Subject,
    plan: Plan,
    sink: events.Sink,
    sequence: Sequence | None = None,
    *,
    labels: dict[str, tuple[str, ...]] | None = None,
    turns: Turns | None = None,
) -> InvocationResult:
    """Do with an invocation what the plan says. Failures are part of the result."""
    folder = BuildFolder(Path(plan.cache_dir), subject.record.build_name)
    job = _Job(subject, plan, folder, sink, sequence, labels or {}, turns or Turns(sink=sink))
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


@dataclass(frozen=True)
class _Job:
    """One invocation on its way through build and measurement."""

    subject: Subject
    plan: Plan
    folder: BuildFolder
    sink: events.Sink
    sequence: Sequence | None
    labels: dict[str, tuple[str, ...]]
    turns: Turns

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
        runtimes = self._runtimes()
        self._write_subject_stats()
        built: Built | None = None
        if self._needs_build(runtimes):
            try:
                built = self._build()
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
            evaluations, race, missing = self._measure_all(runtimes, built)
            remarks = (*result.remarks, *self._remarks(evaluations, built, missing))
            result = replace(result, evaluations=evaluations, race=race, remarks=remarks)
        return result

    def _remarks(
        self, evaluations: tuple[Evaluation, ...], built: Built | None, missing: list[str]
    ) -> Iterator[str]:
        if missing:
            yield f"The model is in another precision, so there is no {', '.join(missing)} of it."
        if _casts(evaluations, built):
            yield CASTS if self.plan.precisions else f"{CASTS[:-1]}; {WITHOUT_CASTS}"

    def _runtimes(self) -> list[Runtime]:
        """Those that were asked for; otherwise every one that can measure this here."""
        if self.plan.runtimes:
            return [find_runtime(name, self.plan.device) for name in self.plan.runtimes]
        every = available_runtimes(self.plan.device)
        return [r for r in every if r.needs_onnx or not self.subject.is_onnx]

    def _build(self) -> Built:
        plan = self.plan
        if plan.precisions:
            plan = replace(plan, sequence=sequence_for(plan.precisions, read_state(self.folder)))
        return build(self.subject, plan, self.folder, self.sink, self.sequence)

    def _needs_build(self, runtimes: list[Runtime]) -> bool:
        custom = self.plan.sequence is not None or self.sequence is not None
        return self.plan.build_only or custom or any(r.needs_onnx for r in runtimes)

    def _measure_all(
        self, runtimes: list[Runtime], built: Built | None
    ) -> tuple[tuple[Evaluation, ...], RaceResult | None, list[str]]:
        name = self.subject.record.hash
        self.sink.send(events.MeasureStarted(name, ", ".join(r.name for r in runtimes)))

        def announce(seconds: float) -> None:
            self.sink.send(events.MeasureEstimated(name, seconds))

        entrants = Entrants(self.folder, self.plan, built.state if built else None, self.subject)
        evaluations, race = measure_entrants(
            entrants, runtimes, announce, lambda: self.turns.machine(name)
        )
        for evaluation in evaluations:
            add_evaluation(self.folder, evaluation)
        return evaluations, race, entrants.missing_precisions()

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


def _casts(evaluations: tuple[Evaluation, ...], built: Built | None) -> bool:
    """Whether ONNX Runtime computes in another precision than the one we converted to."""
    converted = built is not None and "fp16_conversion" in built.state.sequence
    half = [e for e in evaluations if e.ok and e.precision == "fp16"]
    return converted and any((e.device_type, e.runtime) == ("x86", "ort") for e in half)
