"""The input child: a process that runs one Task, from its script to its last measurement."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml.cache import limit_waits, name_process
from turnkeyml.discover import find_invocations, finish_like_python
from turnkeyml.errors import TurnkeyError
from turnkeyml.evaluate.assignment import Assignment, MachineTurns
from turnkeyml.nouns import (
    Input,
    InputFinished,
    InvocationFinished,
    InvocationFound,
    InvocationRecord,
    InvocationStarted,
    ScriptFinished,
    ScriptStarted,
    SequenceSource,
    Sink,
    from_dict,
)
from turnkeyml.system import note_leftovers

if TYPE_CHECKING:
    from turnkeyml.build import CapturedModel, Sequence


def main() -> None:
    """Run the assignment in the file that the first argument names."""
    assignment = from_dict(Assignment, json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    if assignment.output is not None:
        _print_to(assignment.output)
    try:
        perform(assignment)
    except OSError as error:
        if error.filename != assignment.events:
            raise
        # Nothing can be reported without events. The exit code says it.
        finish_like_python(os.EX_IOERR)


def _print_to(path: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def perform(assignment: Assignment) -> None:
    """Discover, build and measure; report all results as events."""
    task, sink = assignment.task, Sink(assignment.events)
    name_process(f"turnkey {task.input.spelling}")
    if assignment.wait_seconds is not None:
        limit_waits(assignment.wait_seconds)
    turns = MachineTurns(assignment.turns, sink)
    turns.work()
    try:
        sequence = _load_sequence(task.sequence)
    except TurnkeyError as error:
        sink.send(InputFinished(str(error)))
        return

    def announce(record: InvocationRecord) -> None:
        with contextlib.suppress(OSError):  # it is told again when the script has ended
            sink.send(InvocationFound(record))

    if task.input.is_script:
        sink.send(ScriptStarted())
    plan = task.plan
    found = find_invocations(
        task.input,
        plan.script_args,
        plan.max_depth,
        on_found=announce,
        threads=assignment.threads,
        input_shape=plan.input_shape,
        inputs=plan.inputs,
    )
    if task.input.is_script:
        note_leftovers()
    sink.send(ScriptFinished(found.outcome, found.records))
    if not plan.analyze_only:
        from turnkeyml.evaluate.invocation import evaluate

        chosen = _chosen(task.input, found.subjects)
        for position, subject in enumerate(chosen, start=1):
            record = subject.record
            sink.send(InvocationStarted(record.hash, _what(record), position, len(chosen)))
            labels = task.input.labels
            result = evaluate(subject, plan, sink, sequence, labels=labels, turns=turns)
            sink.send(InvocationFinished(result))
    sink.send(InputFinished())


def _chosen(item: Input, subjects: tuple[CapturedModel, ...]) -> list[CapturedModel]:
    """The subjects that an input selects; the others are nobody's siblings."""
    chosen = [subject for subject in subjects if item.selects(subject.record)]
    for subject in chosen:
        subject.siblings = tuple(s for s in subject.siblings if s in chosen)
    return chosen


def _what(record: InvocationRecord) -> str:
    """What an invocation is, in a few words."""
    words = [record.name]
    if record.phase is not None:
        words.append(str(record.phase))
    if record.steps is not None:
        words.append(f"at cache length {record.steps.length}")
    return " ".join(words)


def _load_sequence(source: SequenceSource | None) -> Sequence | None:
    if source is None:
        return None
    from turnkeyml.build import load_sequence_file, unpickle_sequence

    if source.file is not None:
        return load_sequence_file(source.file)
    assert source.pickled is not None
    return unpickle_sequence(source.pickled, source.main)
