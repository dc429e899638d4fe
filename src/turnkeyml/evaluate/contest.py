"""Measuring one or several contestants: each in its process, all by one rule, in turns."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from turnkeyml.build.subject import Subject
from turnkeyml.cache.layout import BuildFolder, measurement_log
from turnkeyml.errors import MeasureError, describe
from turnkeyml.evaluate.progress import Report, Tell
from turnkeyml.measure.accelerator import Observation
from turnkeyml.measure.memory import memory_speed
from turnkeyml.measure.meter import Meter
from turnkeyml.measure.opening import open_session
from turnkeyml.measure.race import RoundReferee
from turnkeyml.measure.record import Costs, Sitting, evaluation_of, failed
from turnkeyml.measure.reported import NOT_SEEN, ReportedMeter
from turnkeyml.measure.rules import Rule
from turnkeyml.measure.sampler import Samples, sample
from turnkeyml.measure.spawn import Worker
from turnkeyml.measure.weather import Weather
from turnkeyml.measure.worker import WorkerRequest
from turnkeyml.nouns import (
    HERE,
    Conditions,
    Evaluation,
    Flag,
    FlagKind,
    Place,
    ReferenceRecord,
    Verdict,
    Verification,
    answers_to,
    label_of,
)
from turnkeyml.runtimes.contract import Device, Request, Runtime
from turnkeyml.system.activity import Reading
from turnkeyml.system.capture import captured
from turnkeyml.verify.compare import compare

__all__ = [
    "Contestant",
    "FileContestant",
    "LiveContestant",
    "Outcome",
    "Quiet",
    "changed_warning",
    "measure",
]

Announce = Callable[[float], None]
Quiet = Callable[[], AbstractContextManager[None]]
"""Makes a context within which nothing else runs on this machine."""


@dataclass(frozen=True)
class Entry:
    """A contestant that is loaded, verified and ready to be timed."""

    meter: Meter
    costs: Callable[[], Costs]
    observe: Callable[[], Observation | None]
    """What the accelerator says, after the timed runs."""
    verification: Verification | None


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
    judged_in: str = ""
    """The precision whose tolerance it was verified with when it was built."""
    fresh_processes: bool = True
    place: Place = HERE
    files: tuple[str, ...] = ()
    """The artifact and its external data, by their paths in the build folder."""

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        request = WorkerRequest(
            device=self.runtime.device,
            runtime=self.runtime.name,
            request=self.request,
            cache_dir=str(self.build.cache_dir),
            build_name=self.build.name,
            reference=self.reference,
            judged_in=self.judged_in,
            files=self.files or (self.artifact,),
        )
        name = label_of(self.runtime.name, self.place.name, "", self.place.host_name)
        worker = Worker("turnkeyml.measure.worker", request, self.folder, name, self.place)
        with contextlib.closing(worker):
            yield Entry(worker, worker.costs, worker.observe, worker.verification)


@dataclass(frozen=True)
class LiveContestant:
    """A live model: in this process first, then in fresh ones that run its script again."""

    runtime: Runtime
    precision: str
    folder: Path
    subject: Subject
    request: Request
    rerun: Callable[[], Worker] | None
    place: Place = HERE
    artifact: None = None
    sha256: None = None
    changed: bool = False

    @property
    def fresh_processes(self) -> bool:
        return self.rerun is not None

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        if number and self.rerun is not None:
            with contextlib.closing(self.rerun()) as worker:
                yield Entry(worker, worker.costs, worker.observe, None)
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
                    lambda precision: compare(opened.outputs, reference, precision), self.precision
                )
            yield Entry(opened.meter, opened.costs, opened.observe, verdict)


@dataclass(frozen=True)
class Outcome:
    """What became of a contestant, with what each of its processes measured."""

    evaluation: Evaluation
    folder: Path | None = None
    sittings: tuple[Sitting, ...] = ()


def changed_warning(contestant: Contestant) -> str:
    """What to say of a contestant whose file is not the one that was built."""
    return (
        f"{contestant.artifact} is not the file that was built (another SHA-256); "
        "the verdict is on what it computes now. Run its script with --rebuild always to build "
        "it again."
    )


def measure(
    contestants: list[Contestant],
    rule: Rule,
    device: Device,
    threads: int,
    *,
    announce: Announce | None = None,
    tell: Tell | None = None,
    quiet: Quiet = contextlib.nullcontext,
    baseline: str = "",
) -> list[Outcome]:
    """Measure all of them, in turns if they are several; failures are part of the outcome.

    All are loaded before ``quiet`` is entered, within which nothing else is to run. Those that
    wait for their turn use no processor. ``tell`` hears now and then what is being done.
    """
    runners = [_Runner(c) for c in contestants]
    report = Report(tell, rule.processes)
    for number in range(rule.processes):
        with contextlib.ExitStack() as stack:
            ready = []
            for runner in runners:
                if len(runners) > 1:
                    report.loading(runner.label)
                if runner.enter(stack, number):
                    ready.append(runner)
            with quiet():
                before = _memory_speeds(ready)
                found = _sample(ready, rule, announce, report, baseline)
                after = _memory_speeds(ready)
                for runner, samples in zip(ready, found, strict=True):
                    runner.observe(samples)
            for runner, samples, *speeds in zip(ready, found, before, after, strict=True):
                runner.note(_completed(samples, tuple(v for v in speeds if v is not None)))
        announce = None
        report.next_process()
    return [r.outcome(rule, device, threads) for r in runners]


def _memory_speeds(ready: list[_Runner]) -> list[float | None]:
    """How fast the memory is now, where each of them runs. Where we are measured ourselves nobody
    looks, as what it needs would count as the model's memory."""
    workers = [r.entry.meter if r.entry is not None else None for r in ready]
    here = None
    if all(isinstance(w, Worker) for w in workers) and any(map(_is_here, workers)):
        here = memory_speed()
    return [here if not isinstance(w, Worker) or w.is_here else w.memory_speed() for w in workers]


def _is_here(meter: Meter | None) -> bool:
    return not isinstance(meter, Worker) or meter.is_here


def _completed(
    samples: Samples | BaseException, speeds: tuple[float, ...]
) -> Samples | BaseException:
    """With how fast the memory was."""
    if isinstance(samples, BaseException):
        return samples
    return replace(samples, memory_speeds=speeds)


def _sample(
    ready: list[_Runner],
    rule: Rule,
    announce: Announce | None,
    report: Report,
    baseline: str,
) -> list[Samples | BaseException]:
    entries = [r.entry for r in ready if r.entry is not None]
    meters = [entry.meter for entry in entries]
    if len(meters) == 1 and isinstance(meters[0], (Worker, ReportedMeter)):
        try:
            return [meters[0].sample(rule, announce, report.progress)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            return [error]
    if not meters:
        return []
    referee = RoundReferee(_baseline_number(ready, baseline), _may_win(ready), rule.precision)
    weather = _weather(entries, rule)
    return sample(
        meters, rule, announce, on_progress=report.progress, referee=referee, weather=weather
    )


def _weather(entries: list[Entry], rule: Rule) -> Weather:
    """The weather of a race; of machines whose counters we cannot read, what the rounds tell."""
    if all(_is_here(entry.meter) for entry in entries):
        return Weather(rule.pause_seconds)
    processors = min(len(entry.costs().site.processors) for entry in entries)
    unknown = Reading(0.0, 0.0)
    return Weather(rule.pause_seconds, processors, read=lambda: unknown)


def _may_win(ready: list[_Runner]) -> list[bool]:
    """Which contestants may win: the trusted ones, or specialised ones if there are no others."""
    trusted = [runner.verdict is None or runner.verdict.trusted for runner in ready]
    if any(trusted):
        return trusted
    return [runner.verdict is not None and runner.verdict.may_win for runner in ready]


def _baseline_number(ready: list[_Runner], wanted: str) -> int:
    """The position of the baseline: the contestant that was asked for, else the first."""
    for number, runner in enumerate(ready):
        if runner.answers_to(wanted):
            return number
    return 0


class _Runner:
    """A contestant on its way through the processes of a measurement."""

    def __init__(self, contestant: Contestant) -> None:
        self._contestant = contestant
        self._sittings: list[Sitting] = []
        self._verification: Verification | None = None
        self._reason: str | None = None
        """Why there is no result, or none of the later processes."""
        self.entry: Entry | None = None
        self._observation: Observation | None = None
        names = contestant.runtime.name, contestant.place.name, contestant.precision
        self._names = (*names, contestant.place.host_name)
        self.label = label_of(*self._names)
        contestant.folder.mkdir(parents=True, exist_ok=True)
        measurement_log(contestant.folder).unlink(missing_ok=True)

    def answers_to(self, wanted: str) -> bool:
        """Whether that is one of its names."""
        return answers_to(wanted, *self._names)

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
        self._note_verdict(self.entry.verification)
        return True

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on what it computes; None if it was not verified."""
        return self._verification.verdict if self._verification else None

    def _note_verdict(self, found: Verification | None) -> None:
        """Of several processes the worst verdict counts."""
        known = self._verification
        if found is not None and (known is None or found.verdict.rank > known.verdict.rank):
            self._verification = found

    def observe(self, samples: Samples | BaseException) -> None:
        """Ask the accelerator, if the timed runs went well; a failure costs only its answer."""
        assert self.entry is not None
        self._observation = None
        if isinstance(samples, BaseException):
            return
        try:
            self._observation = self.entry.observe()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a runtime may raise anything
            with captured(measurement_log(self._contestant.folder)):
                traceback.print_exception(error)

    def note(self, samples: Samples | BaseException) -> None:
        """Keep what a process measured; an end of the process after that costs nothing."""
        assert self.entry is not None
        try:
            if isinstance(samples, BaseException):
                raise samples
            self._sittings.append(Sitting(samples, self.entry.costs(), self._observation))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            self._fail(error)

    def outcome(self, rule: Rule, device: Device, threads: int) -> Outcome:
        one = self._contestant
        if not self._sittings:
            assert self._reason is not None
            lost = failed(device, one.runtime, self._reason, one.place)
            return Outcome(replace(lost, precision=one.precision))
        evaluation = evaluation_of(self._sittings, device, one.runtime, threads, rule)
        assert evaluation.performance is not None
        performance = replace(
            evaluation.performance,
            processes=self._processes,
            flags=(*evaluation.performance.flags, *self._incomplete(rule)),
        )
        evaluation = replace(
            evaluation,
            precision=one.precision,
            python=one.place.name,
            host=one.place.host_name,
            artifact=one.artifact,
            artifact_sha256=one.sha256,
            verification=self._verification,
            performance=performance,
            conditions=self._conditions(evaluation.conditions),
        )
        return Outcome(evaluation, one.folder, tuple(self._sittings))

    def _conditions(self, found: Conditions | None) -> Conditions | None:
        """With the machine, if it is not this one."""
        if found is None or not self._contestant.place.host:
            return found
        return replace(found, machine=self._sittings[0].costs.site.node)

    @property
    def _processes(self) -> int:
        """How many different ones measured; without its script a live model has only this one."""
        return len(self._sittings) if self._contestant.fresh_processes else 1

    def _incomplete(self, rule: Rule) -> Iterator[Flag]:
        if self._contestant.changed:
            yield Flag(FlagKind.ARTIFACT, changed_warning(self._contestant))
        if self._reason is None and self._processes < rule.processes:
            yield Flag(
                FlagKind.PROCESSES,
                f"All {rule.processes} measurements were made in one process, as there is no "
                "script that could be run again; benchmark_files measures in fresh ones.",
            )
        if self._reason is not None:
            yield Flag(
                FlagKind.PROCESSES,
                f"Only {len(self._sittings)} of {rule.processes} processes could be measured: "
                f"{self._reason}",
            )

    def _fail(self, error: BaseException) -> None:
        one = self._contestant
        if isinstance(error, MeasureError):
            self._reason = str(error)
            return
        log = measurement_log(one.folder)
        with captured(log):
            traceback.print_exception(error)
        self._reason = f"{one.runtime.title} failed: {describe(error)} (see {log})"
