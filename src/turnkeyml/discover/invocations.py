"""Find the invocations in an input: run the script and record its calls, or read the file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess

from turnkeyml.build import CapturedModel
from turnkeyml.discover.script import run_script
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.frameworks import frameworks, reader_of
from turnkeyml.nouns import Input, InvocationRecord, ScriptOutcome

PROCESSES = (
    "The script starts other processes (multiprocessing, mp.spawn), and turnkey records only the "
    "calls in the script's own process: call the function of the worker there, without a process."
)


@dataclass(frozen=True)
class FoundInvocations:
    """The invocations in an input, and the outcome of its script."""

    outcome: ScriptOutcome
    records: tuple[InvocationRecord, ...] = ()
    subjects: tuple[CapturedModel, ...] = ()
    """The invocations that can be built."""


def find_invocations(
    item: Input,
    script_args: tuple[str, ...] = (),
    max_depth: int = 0,
    *,
    on_found: Callable[[InvocationRecord], None] | None = None,
    threads: int | None = None,
    input_shape: Mapping[str, tuple[int, ...]] | None = None,
    inputs: str | None = None,
) -> FoundInvocations:
    """Every invocation in an input. ``on_found`` gets each one before its first call runs.

    ``input_shape`` and ``inputs`` are for model files; see ``Plan``.
    """
    reader = reader_of(item.path)
    if reader is None:
        return _run(item, script_args, max_depth, on_found, threads)
    try:
        subject = reader.read(item, input_shape or {}, inputs)
    except (TurnkeyError, OSError) as error:
        return FoundInvocations(ScriptOutcome(1, describe(error)))
    return FoundInvocations(ScriptOutcome(), (subject.record,), (subject,))


def _run(
    item: Input,
    script_args: tuple[str, ...],
    max_depth: int,
    on_found: Callable[[InvocationRecord], None] | None,
    threads: int | None,
) -> FoundInvocations:
    from turnkeyml.frameworks import Register

    register = Register(item.stem, on_found)
    with contextlib.ExitStack() as stack:
        remarks: list[dict[str, str]] = []
        for framework in frameworks():
            if threads is not None:
                framework.use_threads(threads)
            remarks.append(stack.enter_context(framework.watching(register, max_depth)))
        processes = stack.enter_context(counting_processes())
        outcome = run_script(item.path, script_args, item.module)
    unseen = tuple(
        f"A call to {kind} could not be recorded: {why}"
        for found in remarks
        for kind, why in found.items()
    )
    subjects, records = register.subjects(), tuple(register.records())
    if not records:
        unseen += (*register.overlooked, *([PROCESSES] if processes else []))
    for subject in subjects:
        subject.script = item.spelling
    return FoundInvocations(replace(outcome, remarks=unseen), records, tuple(subjects))


@contextlib.contextmanager
def counting_processes() -> Iterator[list[str]]:
    """Within the block, the list gets the name of every process that ``multiprocessing`` starts."""
    started: list[str] = []
    original = BaseProcess.start

    def start(process: BaseProcess) -> None:
        original(process)
        started.append(process.name)

    BaseProcess.start = start  # type: ignore[method-assign,assignment]
    try:
        yield started
    finally:
        BaseProcess.start = original  # type: ignore[method-assign]
