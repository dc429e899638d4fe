"""Build and measure one invocation, for the input child and for the API."""

from __future__ import annotations

import contextlib
import errno
import functools
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from turnkeyml import environment
from turnkeyml.build import (
    WIDENED_FROM,
    Built,
    CapturedModel,
    Sequence,
    SharedBuild,
    WantedBuild,
    build,
    find_sequence,
    wanted_build,
)
from turnkeyml.cache import (
    BuildFolder,
    FileLock,
    PhaseEnd,
    Work,
    add_evaluation,
    close_work,
    end_held_work,
    read_state,
    record_build,
    update_invocation,
    update_stats,
)
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.evaluate.assignment import MachineTurns
from turnkeyml.evaluate.contestants import InvocationContestants
from turnkeyml.evaluate.measuring import measure_contestants, planned
from turnkeyml.nouns import (
    HERE,
    ArtifactChanged,
    BuildStatus,
    Evaluation,
    InvocationResult,
    MeasureEstimated,
    MeasureProgress,
    MeasureStarted,
    Plan,
    RaceResult,
    Sink,
    WaitEnded,
    Waiting,
    label_of,
)
from turnkeyml.runtimes import Runtime, available_runtimes, find_device, find_runtime

DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG)
"""What a full or broken disk answers. It is no defect of turnkey: a sentence is enough."""


def evaluate(
    subject: CapturedModel,
    plan: Plan,
    sink: Sink,
    sequence: Sequence | None = None,
    *,
    labels: dict[str, tuple[str, ...]] | None = None,
    turns: MachineTurns | None = None,
) -> InvocationResult:
    """Build and measure an invocation as planned. Failures are part of the result."""
    folder = BuildFolder(Path(plan.cache_dir), subject.record.build_name)
    work = _Work(
        subject, plan, folder, sink, sequence, labels or {}, turns or MachineTurns(sink=sink)
    )
    result = InvocationResult(subject.record, build_dir=str(folder.path))
    if work.obstacle:
        return replace(result, skipped=work.obstacle)
    try:
        with work.lock():
            folder.path.mkdir(parents=True, exist_ok=True)
            folder.remove_leftovers()
            try:
                return work.run(result)
            except BaseException as error:
                with contextlib.suppress(OSError):  # the disk may be full: the result has it anyway
                    end_held_work(folder, PhaseEnd.of(error))
                raise
            finally:
                subject.finished = True
                if plan.lean_cache:
                    work.make_lean()
    except TurnkeyError as error:
        return replace(result, failure=str(error))
    except OSError as error:
        failure = f"{error.strerror or error}: {error.filename or folder.path}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            failure = (
                f"No space left on device for {error.filename or folder.path}: the disk is full. "
                "Free some space, or choose another cache with --cache-dir."
            )
        return replace(result, failure=failure, traceback=_trace(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the other invocations must go on
        failure = f"Unknown turnkey error: {describe(error)}"
        return replace(result, failure=failure, traceback=traceback.format_exc())


def _trace(error: BaseException) -> str | None:
    """The traceback of an error that is being handled; none where the disk is to blame."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in DISK_ERRORS:
            return None
        cause = cause.__cause__
    return traceback.format_exc()


@dataclass(frozen=True)
class _Work:
    """The build and measurement of one invocation."""

    subject: CapturedModel
    plan: Plan
    folder: BuildFolder
    sink: Sink
    sequence: Sequence | None
    labels: dict[str, tuple[str, ...]]
    turns: MachineTurns

    @property
    def obstacle(self) -> str | None:
        """Why nothing of the plan can be done; None if something can."""
        builds = self.plan.build_only or self._is_custom or not self._runtimes()
        return self.subject.unbuildable if builds else None

    def lock(self) -> FileLock:
        """The lock of the build folder, which sends events while it has to wait."""
        name = self.subject.record.hash
        return self.folder.lock(
            on_wait=lambda what: self.sink.send(Waiting(name, what)),
            on_taken=lambda: self.sink.send(WaitEnded(name)),
        )

    def make_lean(self) -> None:
        """Remove the artifacts, those that other lengths of the model need after the last one."""
        if all(sibling.finished for sibling in self.subject.siblings):
            for sibling in self.subject.siblings:
                other = self._folder_of(sibling)
                other.try_locked(other.remove_artifacts)
            self.folder.remove_artifacts()

    def _folder_of(self, subject: CapturedModel) -> BuildFolder:
        return BuildFolder(self.folder.cache_dir, subject.record.build_name)

    def run(self, result: InvocationResult) -> InvocationResult:
        runtimes = self._runtimes()
        lost = self._begin(runtimes)
        built: Built | None = None
        if self._needs_build(runtimes):
            try:
                built = self._build()
            except TurnkeyError as error:
                with contextlib.suppress(OSError):  # the result has the failure anyway
                    self._write_failure(str(error))
                trace = _trace(error) if environment.traceback() else None
                return replace(
                    result,
                    failure=str(error),
                    build_status=BuildStatus.FAILED,
                    traceback=trace,
                )
            record_build(self.folder, built.state)
            result = replace(
                result,
                build_status=built.state.build_status,
                reused=built.reused,
                verification=built.state.verification,
                remarks=(*built.remarks, *self._widening_remark(built)),
            )
        if lost:
            result = replace(result, remarks=(*result.remarks, lost))
        if not self.plan.build_only:
            evaluations, race, missing = self._measure_all(runtimes, built)
            told = self._remarks(evaluations, built, missing)
            remarks = tuple(dict.fromkeys((*result.remarks, *told)))
            result = replace(result, evaluations=evaluations, race=race, remarks=remarks)
        return result

    def _remarks(
        self, evaluations: tuple[Evaluation, ...], built: Built | None, missing: list[str]
    ) -> Iterator[str]:
        measured = {runtime.name for runtime in self._runtimes()}
        dropped = ", ".join(r.name for r in self._planned() if r.name not in measured)
        if dropped:
            yield f"Not measured with {dropped}: {self.subject.unbuildable}."
        if missing:
            names = ", ".join(missing)
            yield f"Not measured in {names}: the original model is in another precision."
        yield from self._cast_remarks(evaluations, built)

    def _widening_remark(self, built: Built) -> Iterator[str]:
        """What to say of a build that was widened."""
        precision, runtime = built.state.facts.get(WIDENED_FROM), self.widening_runtime
        if precision and runtime:
            yield (
                f"The model is in {precision}, which {runtime.title} does not run on "
                f"{runtime.device}: it was widened to fp32."
            )

    def _cast_remarks(
        self, evaluations: tuple[Evaluation, ...], built: Built | None
    ) -> Iterator[str]:
        """A remark for each runtime that casts the converted model back to fp32."""
        if built is None or len(built.state.artifacts) < 2:
            return
        for evaluation in filter(lambda e: e.ok, evaluations):
            runtime = find_runtime(evaluation.runtime, evaluation.device_type)
            if evaluation.precision in runtime.casts:
                what = f"{runtime.title} casts {evaluation.precision} to fp32 on {runtime.device}"
                hint = "" if len(self.plan.precisions) > 1 else "; use --precision fp32 to avoid it"
                yield f"{what}, which costs time{hint}."

    def _runtimes(self) -> list[Runtime]:
        """The planned runtimes that can run this model."""
        planned, live_only = self._planned(), self.subject.unbuildable is not None
        return [r for r in planned if not (live_only and r.measures_files)]

    def _planned(self) -> list[Runtime]:
        """The requested runtimes; by default every available one for this kind of model."""
        if self.plan.runtimes:
            return [find_runtime(name, self.plan.device) for name in self.plan.runtimes]
        every = available_runtimes(self.plan.device)
        return [r for r in every if r.measures_files or r.artifact == self.subject.live_kind]

    def _build(self) -> Built:
        sequence = self.sequence
        if sequence is None:
            sequence = find_sequence(self._wanted.sequence, self.subject.receiving_stage())
        return build(
            self.subject,
            sequence,
            self.plan,
            self.folder,
            self.sink,
            shared=self._shared_build(),
            widens=self.widening_runtime is not None,
        )

    @property
    def widening_runtime(self) -> Runtime | None:
        """The first runtime that does not run the precision of the model; None if all do."""
        own = self.subject.precision
        return next((r for r in self._runtimes() if r.measures_files and own in r.widens), None)

    def _shared_build(self) -> SharedBuild | None:
        """The build of another length of this model, if this run has made or checked one."""
        for sibling in self.subject.siblings:
            folder = self._folder_of(sibling)
            state = read_state(folder) if sibling.finished else None
            if state is not None and state.succeeded:
                found = SharedBuild.of(folder, state)
                if found is not None:
                    return found
        return None

    @functools.cached_property
    def _wanted(self) -> WantedBuild:
        """The sequence to build with: as planned, or the default, or that of a larger build."""
        return wanted_build(self.plan, self._default_sequence(), read_state(self.folder))

    def _default_sequence(self) -> str:
        if self.subject.default_sequence is not None:
            return self.subject.default_sequence
        device = find_device(self.plan.device)
        names = [r.default_sequence for r in self._runtimes() if r.measures_files]
        return (
            names[0]
            if names
            else find_runtime(device.default_runtime, device.name).default_sequence
        )

    def _needs_build(self, runtimes: list[Runtime]) -> bool:
        return self.plan.build_only or self._is_custom or any(r.measures_files for r in runtimes)

    @property
    def _is_custom(self) -> bool:
        return self.plan.sequence is not None or self.sequence is not None

    def _measure_all(
        self, runtimes: list[Runtime], built: Built | None
    ) -> tuple[tuple[Evaluation, ...], RaceResult | None, list[str]]:
        name = self.subject.record.hash
        places = self.plan.places or (HERE,)
        using = ", ".join(
            label_of(r.name, p.name, "", p.host_name) for r in runtimes for p in places
        )
        self.sink.send(MeasureStarted(name, using))

        def announce(seconds: float) -> None:
            self.sink.send(MeasureEstimated(name, seconds))

        def tell(seconds: float, doing: str) -> None:
            self.sink.send(MeasureProgress(name, seconds, doing))

        def warn(warning: str) -> None:
            self.sink.send(ArtifactChanged(name, warning))

        state = built.state if built else None
        fresh = built is not None and not built.reused
        record = self.subject.record
        measured = self._wanted.precisions if built is not None and self.sequence is None else ()
        contestants = InvocationContestants(
            self.folder,
            self.plan,
            state,
            self.subject,
            fresh,
            record.phase,
            record.tokens,
            measured,
        )
        evaluations, race = measure_contestants(
            contestants,
            runtimes,
            announce=announce,
            quiet=lambda: self.turns.alone(name),
            tell=tell,
            warn=warn,
        )
        for evaluation in evaluations:
            add_evaluation(self.folder, evaluation)
        close_work(self.folder)
        return evaluations, race, contestants.missing_precisions()

    def _begin(self, runtimes: list[Runtime]) -> str | None:
        """Note what is known and planned; what of the earlier stats could not be kept."""
        measured = () if self.plan.build_only else planned(self.folder, self.plan, runtimes)
        work = Work(self._needs_build(runtimes), measured)
        return update_invocation(self.folder, self.subject.record, self.labels, work)

    def _write_failure(self, message: str) -> None:
        """Note why the build failed, at which stage, and what the stages took until then."""
        state = read_state(self.folder)
        if state is not None and (state.failure or {}).get("message") == message:
            record_build(self.folder, state)
        else:
            section = {"status": BuildStatus.FAILED, "failure": message}
            update_stats(self.folder, build=section, working=None)
