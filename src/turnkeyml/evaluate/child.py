"""The input child: runs one input from its script to its last measurement, and may die."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml.build.subject import Subject
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.evaluate.turns import Turns
from turnkeyml.nouns import Input, InvocationRecord, Plan, ScriptOutcome, events, from_dict

if TYPE_CHECKING:
    from turnkeyml.build.stage import Sequence

__all__ = ["Job", "SequenceSource", "main", "run_job"]


@dataclass(frozen=True)
class SequenceSource:
    """A build sequence on its way to another process: a file, or a pickled instance."""

    file: str | None = None
    pickled: str | None = None
    main: str | None = None
    """The script in which the classes of the instance are defined, if it is one."""


@dataclass(frozen=True)
class Job:
    """One input with what is to be done with it, and where its events go."""

    input: Input
    plan: Plan
    events: str
    sequence: SequenceSource | None = None
    turns: str | None = None
    """The file by which inputs that run at the same time agree on who measures."""
    output: str | None = None
    """Where everything goes that the input prints; None for where we print."""
    threads: int | None = None
    """How many PyTorch may use where nothing is measured; None for as many as it likes."""


def main() -> None:
    """Run the job in the file that the first argument names."""
    job = from_dict(Job, json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if job.output is not None:
        _print_to(job.output)
    run_job(job)


def _print_to(path: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def run_job(job: Job) -> None:
    """Discover, build and measure; everything that is learned goes out as events."""
    sink = events.Sink(job.events)
    turns = Turns(job.turns, sink)
    turns.work()
    try:
        sequence = _load_sequence(job.sequence)
    except TurnkeyError as error:
        sink.send(events.InputFinished(str(error)))
        return
    if job.input.is_onnx:
        outcome, records, subjects = _discover_onnx(job)
    else:
        outcome, records, subjects = _discover_script(job, sink)
    sink.send(events.ScriptFinished(outcome, tuple(records)))
    if not job.plan.analyze_only:
        from turnkeyml.evaluate.invocation import evaluate

        for subject in subjects:
            if job.input.selects(subject.record):
                subject.script = None if subject.is_onnx else job.input.path
                result = evaluate(
                    subject, job.plan, sink, sequence, labels=job.input.labels, turns=turns
                )
                sink.send(events.InvocationFinished(result))
    sink.send(events.InputFinished())


def _load_sequence(source: SequenceSource | None) -> Sequence | None:
    if source is None:
        return None
    from turnkeyml.build import sequences

    if source.file is not None:
        return sequences.load_file(source.file)
    assert source.pickled is not None
    return sequences.unpickle(source.pickled, source.main)


def _discover_onnx(job: Job) -> tuple[ScriptOutcome, list[InvocationRecord], list[Subject]]:
    from turnkeyml.frameworks.onnx.file import read_onnx

    try:
        subject = read_onnx(job.input)
    except (TurnkeyError, OSError) as error:
        return ScriptOutcome(1, describe(error)), [], []
    return ScriptOutcome(), [subject.record], [subject]


def _discover_script(
    job: Job, sink: events.Sink
) -> tuple[ScriptOutcome, list[InvocationRecord], list[Subject]]:
    from turnkeyml.discover.script import run_script
    from turnkeyml.frameworks.torch.recorder import Recorder
    from turnkeyml.frameworks.torch.register import Register

    def found(record: InvocationRecord) -> None:
        sink.send(events.InvocationFound(record))

    if job.threads is not None:
        import torch

        torch.set_num_threads(job.threads)
    register = Register(job.input.stem, found)
    recorder = Recorder(register, job.plan.max_depth)
    sink.send(events.ScriptStarted())
    with recorder.watching():
        outcome = run_script(job.input.path, job.plan.script_args)
    remarks = tuple(
        f"A call of {kind} could not be looked at: {why}" for kind, why in recorder.remarks.items()
    )
    return replace(outcome, remarks=remarks), register.records(), register.subjects()
