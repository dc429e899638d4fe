"""Follow one task by its events, and derive its result from them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from turnkeyml.cache import BuildFolder
from turnkeyml.frameworks import frameworks
from turnkeyml.measure import generations
from turnkeyml.nouns import (
    WAITING,
    BuildReused,
    BuildStatus,
    Event,
    Input,
    InputFinished,
    InputResult,
    InvocationFinished,
    InvocationFound,
    InvocationRecord,
    InvocationResult,
    InvocationStarted,
    MeasureEstimated,
    MeasureStarted,
    Reader,
    ScriptFinished,
    ScriptOutcome,
    ScriptStarted,
    StageFinished,
    StageStarted,
    Task,
    TurnAwaited,
    TurnReturned,
    TurnTaken,
    WaitEnded,
    Waiting,
)

BEFORE_THE_SCRIPT = "before the script ran"
TURN = "its turn to use the machine"
BUILD_IN_USE = "a build that another process uses"

_PHASES: dict[type, str | None] = {
    ScriptStarted: "script",
    ScriptFinished: "build",
    Waiting: WAITING,
    BuildReused: "build",
    StageStarted: "build",
    MeasureStarted: "measure",
    TurnAwaited: WAITING,
    TurnTaken: "measure",
    TurnReturned: "build",
    InvocationFinished: "build",
    InputFinished: None,
}
"""The phase that an event begins; None for time that counts for no phase."""


class Watcher(Protocol):
    """Gets everything that happens in a run, to display it."""

    def input_started(self, item: Input, position: int, total: int) -> None: ...

    def event(self, item: Input, event: Event) -> None: ...

    def tick(self) -> None: ...

    def input_finished(self, result: InputResult) -> None: ...

    def input_resumed(self, result: InputResult) -> None: ...

    def note(self, line: str) -> None:
        """Show a line about the whole run, such as that the scheduler does not answer."""

    def close(self) -> None: ...


class Follower:
    """Reads the events of one task, wherever it runs, and derives its result.

    Events may be missing or out of order: their writer may be killed, and the file system may lose
    lines. Events about an unknown invocation are ignored.
    """

    def __init__(self, task: Task, path: Path, watcher: Watcher) -> None:
        self.item = task.input
        self.where = BEFORE_THE_SCRIPT
        self.waits = False
        """Whether it waits for other processes: to measure alone, or to use a build."""
        self.awaits_turn = False
        """Whether it waits for other inputs of the same run."""
        self.waits_since = 0.0
        self.measures = False
        """Whether it measures, and nothing else should run on the machine."""
        self.complete = False
        """Whether everything is done, so that it does not matter how the process ends."""
        self.stage = ""
        """The stage of a build that has begun and not ended."""
        self._plan = task.plan
        self._watcher = watcher
        self._reader = Reader(str(path))
        self._found: dict[str, InvocationRecord] = {}
        self._results: dict[str, InvocationResult] = {}
        self._started: dict[str, None] = {}
        self._outcome: ScriptOutcome | None = None
        self._failure: str | None = None
        self._phase: str | None = None
        self._before: tuple[str, str | None] | None = None
        """Where it was, and in which phase, before it began to wait; None if it does not."""
        self._since = time.monotonic()
        self._seconds: dict[str, float] = {}

    def read(self) -> bool:
        """Process new events; whether there were any."""
        new = self._reader.read()
        for event in new:
            if self._is_known(event):
                self._note(event)
                self._watcher.event(self.item, event)
        return bool(new)

    def unfinished(self) -> list[BuildFolder]:
        """The folders of the builds that it has begun to make or measure, without a result so far.

        Its process may have left something open in their records.
        """
        left = [one for one in self._started if one not in self._results and one in self._found]
        names = dict.fromkeys(self._found[one].build_name for one in left)
        return [BuildFolder(Path(self._plan.cache_dir), name) for name in names]

    def result(
        self,
        failure: str | None = None,
        statuses: Mapping[str, BuildStatus] = MappingProxyType({}),
        remarks: Sequence[str] = (),
    ) -> InputResult:
        """The result of the input; ``failure`` says how its process ended, if that matters.

        ``statuses`` are those of builds that were not finished, by their names.
        """
        failure = self._failure if self.complete and failure is None else failure
        rows = [self._row(record, failure) for record in self._found.values()]
        rows = [
            replace(row, build_status=statuses.get(row.invocation.build_name, row.build_status))
            for row in rows
        ]
        outcome = self._outcome or ScriptOutcome()
        outcome = replace(outcome, remarks=(*outcome.remarks, *remarks, *self._reader.damaged))
        complaint = failure or self._complaint(rows)
        self._enter(None)
        return InputResult(
            self.item,
            outcome,
            tuple(rows),
            complaint,
            self._plan.parameters,
            self._seconds,
            generations=tuple(generations(rows)),
        )

    def _is_known(self, event: Event) -> bool:
        """Whether an event is about the whole task or about a known invocation."""
        about = getattr(event, "invocation", None)
        return not isinstance(about, str) or about in self._found

    def _enter(self, phase: str | None) -> None:
        """Begin a phase, and add the elapsed time to the phase that ends."""
        now = time.monotonic()
        if self._phase is not None:
            self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def _note(self, event: Event) -> None:
        """Keep what an event says, as it may be the last one."""
        self._note_wait(event)
        self.measures = isinstance(event, (TurnTaken, MeasureEstimated))
        if type(event) in _PHASES:
            self._enter(_PHASES[type(event)])
        match event:
            case ScriptStarted():
                self.where = "while the script ran"
            case InvocationFound(record):
                self._found[record.hash] = record
            case ScriptFinished(outcome, records):
                self._outcome = outcome
                self._find_all(records)
                self.where = "after the script had run"
            case InvocationStarted(name):
                self._started[name] = None
                self.where = "while the original ran"
            case StageStarted(_, stage):
                self.where, self.stage = f"in {stage}", stage
            case StageFinished():
                self.where, self.stage = "while the build was checked", ""
            case MeasureStarted(_, runtime):
                self.where = f"while measuring with {runtime}"
            case InvocationFinished(result):
                self._results[result.invocation.hash] = result
                self._found.setdefault(result.invocation.hash, result.invocation)
            case InputFinished(failure):
                self.complete = True
                self._failure = failure

    def _note_wait(self, event: Event) -> None:
        """Keep since when and what it waits for, and where it was before."""
        waits = isinstance(event, (Waiting, TurnAwaited))
        if waits and not self.waits:
            self._before, self.waits_since = (self.where, self._phase), time.monotonic()
            self._enter(None)
        elif self._before is not None and not waits:
            self.where = self._before[0]
            if isinstance(event, WaitEnded):
                self._enter(self._before[1])
            self._before = None
        self.waits = waits
        self.awaits_turn = isinstance(event, TurnAwaited)
        match event:
            case Waiting(_, what, within_run):
                self.awaits_turn = within_run
                self.name_holder(what or (TURN if within_run else BUILD_IN_USE))
            case TurnAwaited():
                self.name_holder(TURN)

    def name_holder(self, what: str) -> None:
        """Note what it waits for, and which process has that."""
        self.where = f"while it waited for {what}"

    def _find_all(self, records: tuple[InvocationRecord, ...]) -> None:
        """Replace the known invocations by these, but keep those that have results."""
        done = {r.invocation.hash: r.invocation for r in self._results.values()}
        self._found = {**{record.hash: record for record in records}, **done}

    def _row(self, record: InvocationRecord, failure: str | None) -> InvocationResult:
        if record.hash in self._results:
            return self._results[record.hash]
        folder = BuildFolder(Path(self._plan.cache_dir), record.build_name).path
        # Left by an earlier run. The name comes from an event, and may be none of a folder.
        build_dir = str(folder) if os.path.isdir(folder) else None
        row = InvocationResult(record, self.item.selects(record), build_dir=build_dir)
        if self._plan.analyze_only or not row.selected:
            return row
        if record.obstacle is not None:
            return replace(row, skipped=record.obstacle)
        return replace(row, failure=failure or "it was not reached")

    def _complaint(self, rows: list[InvocationResult]) -> str | None:
        """Why an input failed whose process ended normally; None if it did not fail."""
        if rows and self.item.targets and not any(r.selected for r in rows):
            known = ", ".join(r.invocation.hash for r in rows)
            return f"No model has the hash {','.join(self.item.targets)}; there are: {known}."
        if self._plan.analyze_only or (self._outcome and not self._outcome.ok):
            return None
        if not rows:
            kinds = " or ".join(f.model for f in frameworks() if not f.suffix)
            return f"No model was found: turnkey saw no call to {kinds} that it could record."
        chosen = [r for r in rows if r.selected]
        if all(r.skipped for r in chosen):
            return "None of its models can be built."
        return None
