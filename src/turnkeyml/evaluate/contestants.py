"""The contestants for an invocation: one per runtime, place and requested precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from turnkeyml.build import CONVERTED_TO, ONNX, WIDENED_FROM, Subject
from turnkeyml.cache import BuildFolder, BuildState, checksum, safe_name
from turnkeyml.errors import MeasureError
from turnkeyml.evaluate.entries import Contestant, FileContestant, LiveContestant
from turnkeyml.measure import Worker
from turnkeyml.nouns import HERE, Phase, Place, Plan
from turnkeyml.runtimes import Request, Runtime
from turnkeyml.system import usable_cores


@dataclass(frozen=True)
class Contestants:
    """Creates the contestants for an invocation from its build and its live model."""

    folder: BuildFolder
    plan: Plan
    state: BuildState | None
    subject: Subject | None = None
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
        self, runtime: Runtime, subject: Subject, folder: Path, cast_to: str
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
