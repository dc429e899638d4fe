"""A race: load one or several contestants, time them in turns by one rule, and give their outcomes.

A ``Runner`` is a contestant on its way through the processes of a measurement.
"""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from turnkeyml.cache import measurement_log
from turnkeyml.errors import MeasureError, describe
from turnkeyml.evaluate.contestants import Contestant, Entry
from turnkeyml.measure import (
    PAUSING,
    WARMING,
    DeviceObservation,
    Interference,
    Meter,
    ProcessResult,
    Recheck,
    ReportedMeter,
    RoundReferee,
    Rule,
    Samples,
    SamplingProgress,
    Worker,
    about_folding,
    evaluation_of,
    failed,
    may_win,
    memory_speed,
    sample,
)
from turnkeyml.nouns import (
    Conditions,
    Evaluation,
    Flag,
    FlagKind,
    Verdict,
    Verification,
    answers_to,
    label_of,
)
from turnkeyml.runtimes import Device
from turnkeyml.system import OwnLoad, Reading, captured, read_leftovers

EVERY_SECONDS = 5.0
Announce = Callable[[float], None]
Quiet = Callable[[], AbstractContextManager[None]]
"""Makes a context within which nothing else runs on this machine."""
Tell = Callable[[float, str], None]
"""Hears for how many seconds a measurement has gone on and what it does."""


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
    strict: bool = False,
) -> list[Outcome]:
    """Measure all of them, in turns if they are several; failures are part of the outcome.

    All are loaded before ``quiet`` is entered, within which nothing else is to run. Those that
    wait for their turn use no processor. ``tell`` hears now and then what is being done.
    """
    runners = [Runner(c) for c in contestants]
    report = ProgressReport(tell, rule.processes)
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
                left = read_leftovers()
                found = _sample(ready, rule, announce, report, baseline=baseline, strict=strict)
                own = left.until(read_leftovers())
                after = _memory_speeds(ready)
                for runner, samples in zip(ready, found, strict=True):
                    runner.observe(samples)
                    runner.recheck(samples)
            for runner, samples, *speeds in zip(ready, found, before, after, strict=True):
                here = runner.entry is not None and _is_here(runner.entry.meter)
                known = tuple(v for v in speeds if v is not None)
                runner.note(_completed(samples, known, own if here else None))
        announce = None
        report.next_process()
    return [r.outcome(rule, device, threads) for r in runners]


def _sample(
    ready: list[Runner],
    rule: Rule,
    announce: Announce | None,
    report: ProgressReport,
    *,
    baseline: str,
    strict: bool,
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
    referee = RoundReferee(
        _baseline_number(ready, baseline), _may_win(ready, strict), rule.precision
    )
    interference = _interference(entries, rule)
    return sample(
        meters,
        rule,
        announce,
        on_progress=report.progress,
        referee=referee,
        interference=interference,
    )


def _may_win(ready: list[Runner], strict: bool) -> list[bool]:
    """Which contestants may win by their verdicts, with those that were not verified."""
    return may_win([runner.verdict or Verdict.MATCH for runner in ready], strict=strict)


def _baseline_number(ready: list[Runner], wanted: str) -> int:
    """The position of the baseline: the contestant that was asked for, else the first."""
    for number, runner in enumerate(ready):
        if runner.answers_to(wanted):
            return number
    return 0


def _memory_speeds(ready: list[Runner]) -> list[float | None]:
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
    samples: Samples | BaseException, speeds: tuple[float, ...], own_load: OwnLoad | None
) -> Samples | BaseException:
    """With how fast the memory was, and what the script's leftovers did."""
    if isinstance(samples, BaseException):
        return samples
    return replace(samples, memory_speeds=speeds, own_load=own_load)


def _interference(entries: list[Entry], rule: Rule) -> Interference:
    """The interference in a race; of machines without readable counters, what the rounds tell."""
    if all(_is_here(entry.meter) for entry in entries):
        return Interference(rule.pause_seconds)
    processors = min(len(entry.costs().site.processors) for entry in entries)
    unknown = Reading(0.0, 0.0)
    return Interference(rule.pause_seconds, processors, read=lambda: unknown)


@dataclass(frozen=True)
class Outcome:
    """What became of a contestant, with what each of its processes measured."""

    evaluation: Evaluation
    folder: Path | None = None
    sittings: tuple[ProcessResult, ...] = ()


def changed_warning(contestant: Contestant) -> str:
    """What to say of a contestant whose file is not the one that was built."""
    return (
        f"{contestant.artifact} is not the file that was built (another SHA-256); "
        "the verdict is on what it computes now. Run its script with --rebuild always to build "
        "it again."
    )


class Runner:
    """A contestant on its way through the processes of a measurement."""

    def __init__(self, contestant: Contestant) -> None:
        self._contestant = contestant
        self._sittings: list[ProcessResult] = []
        self._verification: Verification | None = None
        self._reason: str | None = None
        """Why there is no result, or none of the later processes."""
        self.entry: Entry | None = None
        self._observation: DeviceObservation | None = None
        self._recheck: Recheck | None = None
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

    def recheck(self, samples: Samples | BaseException) -> None:
        """See what it does after its timed runs. Where that fails, the result says so."""
        assert self.entry is not None
        self._recheck = None
        if isinstance(samples, BaseException):
            return
        try:
            self._recheck = self.entry.recheck()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a runtime may raise anything
            self._recheck = Recheck(failure=describe(error))
            with captured(measurement_log(self._contestant.folder)):
                traceback.print_exception(error)
        if self._recheck is not None:
            self._note_verdict(self._recheck.verification)

    def note(
        self, samples: Samples | BaseException, observation: DeviceObservation | None = None
    ) -> None:
        """Keep what a process measured; an end of the process after that costs nothing.

        ``observation`` is what the accelerator said meanwhile, if it was not asked afterwards.
        """
        assert self.entry is not None
        try:
            if isinstance(samples, BaseException):
                raise samples
            seen = observation or self._observation
            self._sittings.append(
                ProcessResult(samples, self.entry.costs(), seen, recheck=self._recheck)
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            self._fail(error)

    def forget(self) -> None:
        """Keep no samples: what follows is another result of the same process."""
        self._sittings = []

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
        yield from about_folding(self._contestant.folded)
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


class ProgressReport:
    """Turns what a measurement knows of itself into words, at a bounded rate."""

    def __init__(
        self, tell: Tell | None, processes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell = tell
        self._processes = processes
        self._clock = clock
        self._process = 1
        self._began = self._told = clock()

    def next_process(self) -> None:
        """The measurement goes on in another process."""
        self._process += 1

    def loading(self, label: str) -> None:
        """A contestant of a race is loaded, which may mean that it is compiled."""
        self._say(f"loading {label}")

    def progress(self, progress: SamplingProgress) -> None:
        """A round is over, or a pause begins; most of them are not worth a word."""
        if self._clock() - self._told < EVERY_SECONDS:
            return
        if progress.doing == PAUSING:
            self._say("waiting for other load to pass")
        elif progress.doing == WARMING:
            self._say("warming up")
        elif progress.contestants > 1:
            self._say(f"{progress.contestants} contestants take turns")
        else:
            self._say("timing runs")

    def _say(self, doing: str) -> None:
        self._told = self._clock()
        if self._processes > 1:
            doing = f"{doing} (process {self._process} of {self._processes})"
        if self._tell:
            self._tell(self._told - self._began, doing)
