"""One contestant on its way through the processes of a measurement, and what became of it."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from turnkeyml.cache import measurement_log
from turnkeyml.errors import MeasureError, describe
from turnkeyml.evaluate.entries import Contestant, Entry
from turnkeyml.measure import (
    DeviceObservation,
    ProcessResult,
    Recheck,
    Rule,
    Samples,
    about_folding,
    evaluation_of,
    failed,
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
from turnkeyml.system import captured


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
