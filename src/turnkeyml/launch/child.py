"""The input child: runs one input from its script to its last measurement, and may die."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from turnkeyml import events
from turnkeyml.build.subject import Subject
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.records import Input, InvocationRecord, Plan, ScriptOutcome, from_dict

__all__ = ["Job", "main", "run_job"]


@dataclass(frozen=True)
class Job:
    """One input with what is to be done with it, and where its events go."""

    input: Input
    plan: Plan
    events: str


def main() -> None:
    """Run the job in the file that the first argument names."""
    run_job(from_dict(Job, json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))


def run_job(job: Job) -> None:
    """Discover, build and measure; everything that is learned goes out as events."""
    sink = events.Sink(job.events)
    if job.input.is_onnx:
        outcome, records, subjects = _discover_onnx(job)
    else:
        outcome, records, subjects = _discover_script(job, sink)
    sink.send(events.ScriptFinished(outcome, tuple(records)))
    if not job.plan.analyze_only:
        _evaluate(job, subjects, sink)
    sink.send(events.InputFinished())


def _evaluate(job: Job, subjects: list[Subject], sink: events.Sink) -> None:
    from turnkeyml.launch.evaluate import evaluate

    for subject in subjects:
        if job.input.selects(subject.record):
            sink.send(events.InvocationFinished(evaluate(subject, job.plan, sink)))


def _discover_onnx(job: Job) -> tuple[ScriptOutcome, list[InvocationRecord], list[Subject]]:
    from turnkeyml.discover.onnx_file import read_onnx

    try:
        subject = read_onnx(job.input)
    except (TurnkeyError, OSError) as error:
        return ScriptOutcome(1, describe(error)), [], []
    return ScriptOutcome(), [subject.record], [subject]


def _discover_script(
    job: Job, sink: events.Sink
) -> tuple[ScriptOutcome, list[InvocationRecord], list[Subject]]:
    from turnkeyml.discover.recorder import Recorder
    from turnkeyml.discover.script import run_script

    def found(record: InvocationRecord) -> None:
        sink.send(events.InvocationFound(record))

    recorder = Recorder(job.input.stem, job.plan.max_depth, found)
    sink.send(events.ScriptStarted())
    with recorder.watching():
        outcome = run_script(job.input.path, job.plan.script_args)
    remarks = tuple(
        f"A call of {kind} could not be looked at: {why}" for kind, why in recorder.remarks.items()
    )
    return replace(outcome, remarks=remarks), recorder.records(), recorder.subjects()
