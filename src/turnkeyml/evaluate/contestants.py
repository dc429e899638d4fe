"""The contestants for an invocation: one per runtime, place and requested precision.

One runs an ONNX file in a worker, or a live model in this process. Loaded, it is an ``Entry``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from turnkeyml.build import CONVERTED_TO, ONNX, WIDENED_FROM, CapturedModel
from turnkeyml.cache import BuildFolder, BuildState, checksum, measurement_log, safe_name
from turnkeyml.errors import MeasureError
from turnkeyml.measure import (
    NOT_SEEN,
    DeviceObservation,
    LoadPoint,
    Meter,
    Recheck,
    Rule,
    SessionInfo,
    Worker,
    WorkerRequest,
    open_session,
    varied_inputs,
)
from turnkeyml.nouns import (
    HERE,
    LoadPlan,
    OutputErrors,
    Phase,
    Place,
    Plan,
    ReferenceRecord,
    Verification,
    label_of,
)
from turnkeyml.runtimes import Request, Runtime
from turnkeyml.system import captured, usable_cores
from turnkeyml.verify import judge_live


@dataclass(frozen=True)
class Entry:
    """A contestant that is loaded, verified and ready to be timed."""

    meter: Meter
    costs: Callable[[], SessionInfo]
    observe: Callable[[], DeviceObservation | None]
    """What the accelerator says, after the timed runs."""
    verification: Verification | None
    under_load: Callable[[LoadPlan, Rule, str, Callable[[str], None]], Iterator[LoadPoint]]
    """What is measured under each load of a plan, if it was opened for several instances."""
    recheck: Callable[[], Recheck | None]
    """What it does after the timed runs."""
    errors: OutputErrors | None = None
    """How far its outputs are from the original's, if that was asked for."""

    @classmethod
    def of(cls, worker: Worker) -> Entry:
        """What a process of its own has loaded."""
        return cls(
            worker,
            worker.costs,
            worker.observe,
            worker.verification,
            worker.under_load,
            worker.recheck,
            worker.errors,
        )


class Contestant(Protocol):
    """A runtime with something that it can run."""

    @property
    def runtime(self) -> Runtime: ...

    @property
    def precision(self) -> str: ...

    @property
    def place(self) -> Place:
        """Where it runs."""

    @property
    def folder(self) -> Path:
        """Where its log and its samples go."""

    @property
    def artifact(self) -> str | None:
        """The file that it measures, by its path in the build folder."""

    @property
    def sha256(self) -> str | None: ...

    @property
    def changed(self) -> bool:
        """Whether the file is not the one that was built."""

    @property
    def folded(self) -> Mapping[str, float]:
        """The shares of the weights and of the work that depend on no input, if known."""

    @property
    def fresh_processes(self) -> bool:
        """Whether each of several measurements can have a process of its own."""

    def enter(self, number: int) -> AbstractContextManager[Entry]:
        """Load it for the process of that number."""


@dataclass(frozen=True)
class FileContestant:
    """An ONNX file, verified and measured in a fresh process."""

    runtime: Runtime
    precision: str
    folder: Path
    request: Request
    build: BuildFolder
    reference: ReferenceRecord | None
    artifact: str
    sha256: str | None
    """Of the file as it is measured."""
    changed: bool = False
    """Whether that is not the file that was built."""
    folded: Mapping[str, float] = field(default_factory=dict)
    judged_in: str = ""
    """The precision whose tolerance it was verified with when it was built."""
    fresh_processes: bool = True
    place: Place = HERE
    files: tuple[str, ...] = ()
    """The artifact and its external data, by their paths in the build folder."""
    wants_errors: bool = False
    batch: int = 1
    """How many copies of the recorded inputs make one run."""
    batched: tuple[str, ...] = ()
    """The inputs that are repeated for that, along their first axis."""

    def worker_request(self) -> WorkerRequest:
        """What its worker is asked to open."""
        return WorkerRequest(
            device=self.runtime.device,
            runtime=self.runtime.name,
            request=self.request,
            cache_dir=str(self.build.cache_dir),
            build_name=self.build.name,
            reference=self.reference,
            judged_in=self.judged_in,
            files=self.files or (self.artifact,),
            wants_errors=self.wants_errors,
            batch=self.batch,
            batched=self.batched,
        )

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        request = self.worker_request()
        name = label_of(self.runtime.name, self.place.name, "", self.place.host_name)
        worker = Worker("turnkeyml.measure.worker", request, self.folder, name, self.place)
        with contextlib.closing(worker):
            yield Entry.of(worker)


@dataclass(frozen=True)
class LiveContestant:
    """A live model: in this process first, then in fresh ones that run its script again."""

    runtime: Runtime
    precision: str
    folder: Path
    subject: CapturedModel
    request: Request
    rerun: Callable[[tuple[int, ...]], Worker] | None
    """Runs the script again in a process that lets the values of some inputs change."""
    place: Place = HERE
    artifact: None = None
    sha256: None = None
    changed: bool = False
    folded: Mapping[str, float] = field(default_factory=dict)

    @property
    def fresh_processes(self) -> bool:
        return self.rerun is not None

    @property
    def _varied(self) -> tuple[int, ...]:
        return varied_inputs(self.subject.reference(self.request.threads))

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        if number and self.rerun is not None:
            with contextlib.closing(self.rerun(self._varied)) as worker:
                yield Entry.of(worker)
            return
        with captured(measurement_log(self.folder)), contextlib.ExitStack() as stack:
            reference = self.subject.reference(self.request.threads)
            live = self.subject.live()
            assert live is not None
            request = replace(self.request, live=stack.enter_context(live))
            opened = open_session(self.runtime, request, reference.inputs)
            stack.callback(opened.close)
            verdict = NOT_SEEN
            if not self.runtime.reports_itself:
                verdict = opened.verified(
                    lambda precision: judge_live(
                        opened.outputs, opened.run_on, reference, precision
                    ),
                    self.precision,
                )
                opened.session.feed(reference.inputs)
                opened.vary(reference.inputs, self._varied)

            # The timed runs may have changed the original, but for the state that is given back
            # to it, so that what it computed before is what counts.
            computed = reference.without_original(opened.outputs)
            computed.on = self.subject.compute_on

            def recheck() -> Recheck | None:
                return opened.recheck(computed, self.precision, verdict)

            yield Entry(
                opened.meter,
                opened.costs,
                opened.observe,
                verdict,
                opened.under_load,
                recheck,
            )


@dataclass(frozen=True)
class InvocationContestants:
    """Creates the contestants for an invocation from its build and its live model."""

    folder: BuildFolder
    plan: Plan
    state: BuildState | None
    subject: CapturedModel | None = None
    is_fresh: bool = False
    """Whether the build is new, so that its checksums need not be computed again."""
    phase: Phase | None = None
    """What it is for a decoder."""
    tokens: int = 0
    """How many tokens a run gives."""
    measured: tuple[str, ...] = ()
    """The precisions of the files to measure where the plan names none."""

    @property
    def threads(self) -> int:
        return self.plan.threads or usable_cores()

    @property
    def _instances(self) -> int | None:
        return None if self.plan.load is None else self.plan.load.instances

    @property
    def places(self) -> tuple[Place, ...]:
        return self.plan.places or (HERE,)

    def of(self, runtime: Runtime) -> list[Contestant]:
        """The contestants of a runtime; raises ``MeasureError`` if it cannot measure here."""
        if not self.plan.places:
            runtime.require_ready()
        if not runtime.measures_files:
            return [self._live(runtime, cast_to) for cast_to in self._casts(runtime)]
        if self.state is None or ONNX not in self.state.artifacts:
            raise MeasureError(f"{runtime.title} needs an ONNX file, but the sequence made none.")
        precisions = self._precisions()
        return [self._file(runtime, p, place) for place in self.places for p in precisions]

    def _precisions(self) -> list[str]:
        """The requested precisions that the build has; its own precision if it has none."""
        wanted = self.plan.precisions or self.measured
        built = [p for p in dict.fromkeys(wanted) if self._kind(p)]
        return built or [self._own_precision()]

    def missing_precisions(self) -> list[str]:
        """The requested precisions that the build does not have."""
        built = self.state is not None and ONNX in self.state.artifacts
        return [p for p in self.plan.precisions if not self._kind(p)] if built else []

    def _own_precision(self) -> str:
        assert self.state is not None
        return str(self.state.facts.get("precision", "fp32"))

    def _kind(self, precision: str) -> str | None:
        """The kind of the artifact in a precision; None if the build has none."""
        assert self.state is not None
        own = self._own_precision()
        wanted = self.state.facts.get(CONVERTED_TO, "fp16")
        converted = own == "mixed" and precision == wanted  # some of it had to stay in fp32
        kind = ONNX if precision == own or converted else f"{ONNX}_{precision}"
        return kind if kind in self.state.artifacts else None

    def _file(self, runtime: Runtime, precision: str, place: Place) -> Contestant:
        assert self.state is not None
        kind = self._kind(precision)
        assert kind is not None
        artifact = self.state.artifacts[kind]
        precision = self._own_precision() if kind == ONNX else precision
        facts = self.state.facts
        judged_in = facts.get("judged_in" if kind == ONNX else WIDENED_FROM)
        built = self.state.facts.get("sha256", {}).get(kind)
        found = built if self.is_fresh else self._checksum(kind)
        request = Request(
            threads=(self.plan.threads or 0) if place.host else self.threads,
            model=str(self.folder.path / artifact),
            sha256=found or "",
            precision=precision,
            arguments=runtime.complete(self.plan.rt_args),
            build_folder=str(self.folder.path),
            instances=self._instances,
        )
        return FileContestant(
            runtime=runtime,
            precision=precision,
            place=place,
            folder=self._measurements(runtime, "" if kind == ONNX else precision, place),
            request=request,
            build=self.folder,
            reference=self.state.reference,
            judged_in=judged_in or precision,
            artifact=artifact,
            files=self._files(kind),
            sha256=found,
            changed=built is not None and found != built,
            folded=facts.get("folded", {}),
        )

    def _checksum(self, kind: str) -> str:
        """The current checksum of an artifact with its external data."""
        return checksum(self.folder.path / file for file in self._files(kind))

    def _files(self, kind: str) -> tuple[str, ...]:
        """The files of an artifact, by their paths in the build folder."""
        assert self.state is not None
        return tuple(self.state.artifact_files.get(kind, (self.state.artifacts[kind],)))

    def _casts(self, runtime: Runtime) -> list[str]:
        """The precisions to cast a live model to; empty for its own, which is the default."""
        wanted = [p if p in runtime.casts_live_to else "" for p in self.plan.precisions]
        own = self.subject.precision if self.subject else ""
        return list(dict.fromkeys("" if p == own else p for p in wanted)) or [""]

    def _live(self, runtime: Runtime, cast_to: str = "") -> Contestant:
        subject = self.subject
        if subject is None:
            raise MeasureError(f"{runtime.title} needs the live model; run its script again.")
        if subject.live_kind != runtime.artifact:
            raise MeasureError(
                f"{runtime.title} needs a live {runtime.artifact} model; "
                f"this one is of the framework {subject.framework}."
            )
        folder = self._measurements(runtime, cast_to)
        precision = cast_to or subject.precision
        request = Request(
            threads=self.threads,
            precision=precision,
            cast_to=cast_to,
            arguments=runtime.complete(self.plan.rt_args),
            build_folder=str(self.folder.path),
            instances=self._instances,
        )
        rerun = self._rerun(runtime, subject, folder, cast_to) if subject.script else None
        return LiveContestant(runtime, precision, folder, subject, request, rerun)

    def _rerun(
        self, runtime: Runtime, subject: CapturedModel, folder: Path, cast_to: str
    ) -> Callable[[tuple[int, ...]], Worker]:
        from turnkeyml.evaluate.rerun import RerunRequest  # finds models, which files do not need

        assert subject.script is not None
        request = RerunRequest(
            script=subject.script,
            script_args=self.plan.script_args,
            max_depth=self.plan.max_depth,
            hash=subject.record.hash,
            device=self.plan.device,
            runtime=runtime.name,
            threads=self.threads,
            arguments=runtime.complete(self.plan.rt_args),
            build_folder=str(self.folder.path),
            cast_to=cast_to,
        )

        def start(varied: tuple[int, ...]) -> Worker:
            wanted = replace(request, varied=varied)
            return Worker("turnkeyml.evaluate.rerun", wanted, folder, runtime.name)

        return start

    def _measurements(self, runtime: Runtime, precision: str = "", place: Place = HERE) -> Path:
        """The folder for the measurements with a runtime at this point of a sweep."""
        name = f"{runtime.name}-{precision}" if precision else runtime.name
        name = f"{name}.host-{place.host_name}" if place.host_name else name
        name = f"{name}.python-{place.name}" if place.name else name
        name = f"{name}.under-load" if self.plan.load else name
        point = ",".join(f"{key}={value}" for key, value in self.plan.parameters.items())
        return self.folder.benchmark(
            self.plan.device, safe_name(f"{name}@{point}") if point else name
        )
