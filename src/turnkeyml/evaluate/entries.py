"""The two kinds of contestants, and what they are once they are loaded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from turnkeyml.build import Subject
from turnkeyml.cache import BuildFolder, measurement_log
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
    Place,
    ReferenceRecord,
    Verification,
    label_of,
)
from turnkeyml.runtimes import Request, Runtime
from turnkeyml.system import captured
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
    subject: Subject
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
