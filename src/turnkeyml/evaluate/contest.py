"""Measuring one or several contestants: each in its process, all by one rule, in turns."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from turnkeyml.errors import MeasureError, describe
from turnkeyml.measure.meter import Meter
from turnkeyml.measure.opening import Opened, open_session
from turnkeyml.measure.record import Costs, Sitting, evaluation_of, failed
from turnkeyml.measure.rules import Rule
from turnkeyml.measure.sampler import Samples, sample
from turnkeyml.measure.spawn import Worker
from turnkeyml.measure.worker import WorkerRequest
from turnkeyml.nouns import Evaluation, Flag, Verification
from turnkeyml.runtimes.registry import Device, Runtime
from turnkeyml.runtimes.session import OnnxRequest, TorchRequest
from turnkeyml.system.capture import captured

if TYPE_CHECKING:
    from turnkeyml.build.subject import Subject

__all__ = ["Contestant", "File", "Live", "Machine", "Outcome", "hold"]

Announce = Callable[[float], None]
Machine = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Entry:
    """A contestant that is loaded and ready."""

    meter: Meter
    costs: Callable[[], Costs]
    verification: Verification | None


class Contestant(Protocol):
    """A runtime with something that it can run."""

    runtime: Runtime
    precision: str
    folder: Path

    def enter(self, number: int) -> AbstractContextManager[Entry]:
        """Load it for the process of that number."""


@dataclass(frozen=True)
class File:
    """An ONNX file, measured in a fresh process."""

    runtime: Runtime
    precision: str
    folder: Path
    request: OnnxRequest
    artifact: str
    sha256: str | None
    verification: Verification | None

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        request = WorkerRequest(self.runtime.device, self.runtime.name, self.request)
        worker = Worker("turnkeyml.measure.worker", request, self.folder, self.runtime.name)
        with contextlib.closing(worker):
            yield Entry(worker, worker.costs, self.verification)


@dataclass(frozen=True)
class Live:
    """A live model: in this process first, then in fresh ones that run its script again."""

    runtime: Runtime
    precision: str
    folder: Path
    subject: Subject
    request: TorchRequest
    rerun: Callable[[], Worker] | None
    artifact: None = None
    sha256: None = None

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        if number and self.rerun is not None:
            with contextlib.closing(self.rerun()) as worker:
                yield Entry(worker, worker.costs, None)
            return
        from turnkeyml.frameworks.torch.export import precision_of
        from turnkeyml.verify.compare import compare
        from turnkeyml.verify.reference import evaluating

        model = self.subject.model
        with captured(self.folder / "log.txt"), evaluating(model), _torch_threads():
            reference = self.subject.reference(self.request.threads)
            opened = self.open()
            verdict = compare(opened.outputs, reference, precision_of(model))
            yield Entry(opened.meter, opened.costs, verdict)

    def open(self) -> Opened:
        """Load it in this process."""
        return open_session(lambda: self.runtime.load().open_session(self.request), self.runtime)


@dataclass(frozen=True)
class Outcome:
    """What became of a contestant, with what each of its processes measured."""

    evaluation: Evaluation
    folder: Path | None = None
    sittings: tuple[Sitting, ...] = ()


def hold(
    contestants: list[File | Live],
    rule: Rule,
    device: Device,
    threads: int,
    *,
    announce: Announce | None = None,
    machine: Machine = contextlib.nullcontext,
) -> list[Outcome]:
    """Measure all of them, in turns if they are several; failures are part of the outcome.

    All are loaded before ``machine`` is entered, within which nothing else is to run.
    """
    runners = [_Runner(c) for c in contestants]
    for number in range(rule.processes):
        with contextlib.ExitStack() as stack:
            ready = [r for r in runners if r.enter(stack, number)]
            with machine():
                found = _sample(ready, rule, announce)
            for runner, samples in zip(ready, found, strict=True):
                runner.note(samples)
        announce = None
    return [r.outcome(rule, device, threads) for r in runners]


def _sample(
    ready: list[_Runner], rule: Rule, announce: Announce | None
) -> list[Samples | BaseException]:
    meters = [r.entry.meter for r in ready if r.entry is not None]
    if len(meters) == 1 and isinstance(meters[0], Worker):
        try:
            return [meters[0].sample(rule, announce)]
        except MeasureError as error:
            return [error]
    return sample(meters, rule, announce) if meters else []


class _Runner:
    """A contestant on its way through the processes of a measurement."""

    def __init__(self, contestant: File | Live) -> None:
        self._contestant = contestant
        self._sittings: list[Sitting] = []
        self._verification: Verification | None = None
        self._reason: str | None = None
        """Why there is no result, or none of the later processes."""
        self.entry: Entry | None = None
        contestant.folder.mkdir(parents=True, exist_ok=True)
        (contestant.folder / "log.txt").unlink(missing_ok=True)

    def enter(self, stack: contextlib.ExitStack, number: int) -> bool:
        """Load it, unless it has failed before; whether that went well."""
        self.entry = None
        if self._reason is not None:
            return False
        try:
            self.entry = stack.enter_context(self._contestant.enter(number))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            self._fail(error)
            return False
        self._verification = self._verification or self.entry.verification
        return True

    def note(self, samples: Samples | BaseException) -> None:
        """Keep what a process measured; an end of the process after that costs nothing."""
        assert self.entry is not None
        try:
            if isinstance(samples, BaseException):
                raise samples
            self._sittings.append(Sitting(samples, self.entry.costs()))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            self._fail(error)

    def outcome(self, rule: Rule, device: Device, threads: int) -> Outcome:
        one = self._contestant
        if not self._sittings:
            assert self._reason is not None
            lost = failed(device, one.runtime, self._reason)
            return Outcome(replace(lost, precision=one.precision))
        evaluation = evaluation_of(self._sittings, device, one.runtime, threads, rule)
        assert evaluation.performance is not None
        performance = replace(
            evaluation.performance,
            precision=one.precision,
            verification=self._verification,
            processes=self._processes,
            flags=(*evaluation.performance.flags, *self._incomplete(rule)),
        )
        evaluation = replace(
            evaluation,
            precision=one.precision,
            artifact=one.artifact,
            artifact_sha256=one.sha256,
            performance=performance,
        )
        return Outcome(evaluation, one.folder, tuple(self._sittings))

    @property
    def _processes(self) -> int:
        """How many different ones measured; without its script a live model has only this one."""
        one = self._contestant
        alone = isinstance(one, Live) and one.rerun is None
        return 1 if alone else len(self._sittings)

    def _incomplete(self, rule: Rule) -> Iterator[Flag]:
        if self._reason is None and self._processes < rule.processes:
            yield Flag(
                "processes",
                f"All {rule.processes} measurements were made in one process, as there is no "
                "script that could be run again; benchmark_files measures in fresh ones.",
            )
        if self._reason is not None:
            yield Flag(
                "processes",
                f"Only {len(self._sittings)} of {rule.processes} processes could be measured: "
                f"{self._reason}",
            )

    def _fail(self, error: BaseException) -> None:
        one = self._contestant
        if isinstance(error, MeasureError):
            self._reason = str(error)
            return
        log = one.folder / "log.txt"
        with captured(log):
            traceback.print_exception(error)
        self._reason = f"{one.runtime.title} failed: {describe(error)} (see {log})"


@contextlib.contextmanager
def _torch_threads() -> Iterator[None]:
    """PyTorch's number of threads is the whole process's; leave it as it was."""
    import torch

    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)
