"""Evaluating inputs on this machine, one after the other, each in a child process."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from turnkeyml import events, interpreter
from turnkeyml.cache.files import write_json
from turnkeyml.launch.child import Job, SequenceSource
from turnkeyml.launch.processes import Child, Launcher, kill_tree, make_launcher
from turnkeyml.records import (
    Input,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Plan,
    ScriptOutcome,
    to_dict,
)

__all__ = ["Watcher", "evaluate_inputs"]

POLL_SECONDS = 0.05
POLL_SECONDS_WHILE_MEASURING = 1.0
"""The end of a child wakes us at once; nothing else is worth a disturbance."""


class Watcher(Protocol):
    """Whoever wants to see what goes on."""

    def input_started(self, item: Input, position: int, total: int) -> None: ...

    def event(self, event: events.Event) -> None: ...

    def tick(self) -> None: ...

    def input_finished(self, result: InputResult) -> None: ...

    def close(self) -> None: ...


def evaluate_inputs(
    tasks: list[tuple[Input, Plan]],
    watcher: Watcher,
    sequence: SequenceSource | None = None,
    timeout: float | None = None,
) -> list[InputResult]:
    """Evaluate every input by its plan, whatever becomes of the others."""
    results = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="turnkey-"))
        launcher = make_launcher(_modules_to_import(tasks))
        stack.callback(launcher.close)
        stack.callback(watcher.close)
        for position, (item, plan) in enumerate(tasks, start=1):
            watcher.input_started(item, position, len(tasks))
            events_path = str(Path(folder) / f"{position}.jsonl")
            run = _Run(Job(item, plan, events_path, sequence), watcher)
            result = run.run(launcher, timeout)
            watcher.input_finished(result)
            results.append(result)
    return results


def _modules_to_import(tasks: list[tuple[Input, Plan]]) -> list[str]:
    """What every child will need, imported once; nothing that none of them will."""
    scripts = any(not item.is_onnx for item, _ in tasks)
    modules = ["turnkeyml.launch.child"]
    if scripts:
        modules += ["turnkeyml.discover.recorder", "turnkeyml.discover.script"]
    if not all(plan.analyze_only for _, plan in tasks):
        modules.append("turnkeyml.launch.evaluate")
        if len(tasks) > 1:  # one alone may find its build in the cache and need none of these
            modules += ["turnkeyml.build.onnx_stages", "turnkeyml.runtimes.ort"]
            modules += ["turnkeyml.build.export"] if scripts else []
    return modules


class _Run:
    """One input's way through a child, seen from outside."""

    def __init__(self, job: Job, watcher: Watcher) -> None:
        self._item = job.input
        self._plan = job.plan
        self._watcher = watcher
        self._job = Path(job.events).with_suffix(".json")
        self._reader = events.Reader(job.events)
        write_json(self._job, to_dict(job))
        self._found: dict[str, InvocationRecord] = {}
        self._results: dict[str, InvocationResult] = {}
        self._outcome: ScriptOutcome | None = None
        self._where = "before the script ran"
        self._measuring = False
        self._complete = False
        self._failure: str | None = None

    def run(self, launcher: Launcher, timeout: float | None) -> InputResult:
        child = launcher.start(str(self._job))
        try:
            code = self._follow(child, timeout)
        except BaseException:
            kill_tree(child.pid)
            raise
        if code is None:
            words = f"timeout after {timeout:g} s {self._where}; --timeout gives it longer"
            return self._result(words)
        if self._complete:
            return self._result(self._failure)
        return self._result(f"The process {interpreter.describe_exit(code)} {self._where}.")

    def _follow(self, child: Child, timeout: float | None) -> int | None:
        """Wait for the end of a child; None if it had to be ended."""
        deadline = time.monotonic() + timeout if timeout else None
        while True:
            pause = POLL_SECONDS_WHILE_MEASURING if self._measuring else POLL_SECONDS
            code = child.wait(pause)
            for event in self._reader.read():
                self._note(event)
                self._watcher.event(event)
            if code is not None:
                return code
            if deadline is not None and time.monotonic() > deadline:
                kill_tree(child.pid)
                return None
            self._watcher.tick()

    def _note(self, event: events.Event) -> None:
        """Keep what an event says, in case it is the last."""
        self._measuring = isinstance(event, (events.MeasureStarted, events.MeasureEstimated))
        match event:
            case events.ScriptStarted():
                self._where = "while the script ran"
            case events.InvocationFound(record):
                self._found[record.hash] = record
            case events.ScriptFinished(outcome, records):
                self._outcome = outcome
                self._found = {r.hash: r for r in records}
                self._where = "after the script had run"
            case events.StageStarted(_, stage):
                self._where = f"in {stage}"
            case events.MeasureStarted(_, runtime):
                self._where = f"while measuring with {runtime}"
            case events.InvocationFinished(result):
                self._results[result.invocation.hash] = result
            case events.InputFinished(failure):
                self._complete = True
                self._failure = failure

    def _result(self, failure: str | None) -> InputResult:
        rows = [self._row(record, failure) for record in self._found.values()]
        outcome = self._outcome or ScriptOutcome()
        complaint = failure or self._complaint(rows)
        return InputResult(self._item, outcome, tuple(rows), complaint, self._plan.parameters)

    def _row(self, record: InvocationRecord, failure: str | None) -> InvocationResult:
        if record.hash in self._results:
            return self._results[record.hash]
        build_dir = os.path.join(self._plan.cache_dir, record.build_name)
        row = InvocationResult(record, self._item.selects(record), build_dir=build_dir)
        if self._plan.analyze_only or not row.selected:
            return row
        if record.obstacle is not None:
            return replace(row, skipped=record.obstacle)
        return replace(row, failure=failure or "it was not reached")

    def _complaint(self, rows: list[InvocationResult]) -> str | None:
        """What is wrong with an input whose process ended well."""
        if rows and self._item.targets and not any(r.selected for r in rows):
            there = ", ".join(r.invocation.hash for r in rows)
            return f"No model has the hash {','.join(self._item.targets)}; there are: {there}."
        if self._plan.analyze_only or (self._outcome and not self._outcome.ok):
            return None
        if not rows:
            return "No model was found: the script calls no torch.nn.Module that has parameters."
        chosen = [r for r in rows if r.selected]
        if all(r.skipped for r in chosen):
            return "None of its models can be built."
        return None
