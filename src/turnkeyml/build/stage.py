"""Stages and sequences: a stage is one step of a build, a sequence is an ordered list of them.

A stage declares which artifacts it needs and which it yields. The sequence checks both, times the
stage, writes its output to a log file per stage, and reports a failure in one sentence that names
the stage and the stages before it.
"""

from __future__ import annotations

import errno
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from turnkeyml.build.captured_model import CapturedModel
from turnkeyml.build.check import check_onnx
from turnkeyml.cache import BuildFolder
from turnkeyml.errors import BuildError, describe, named
from turnkeyml.nouns import StageRecord, Verdict, Verification
from turnkeyml.system import captured, peak_memory_bytes, reset_peak_memory, usable_cores
from turnkeyml.verify import Reference, with_frozen, with_stable_weights

__all__ = [
    "CONVERTED_TO",
    "MODEL",
    "ONNX",
    "ONNX_FP32",
    "WIDENED_FROM",
    "Sequence",
    "Stage",
    "BuildContext",
    "Workbench",
]

MODEL = "model"
"""A live model with its arguments."""
ONNX = "onnx"
"""The latest ONNX file of this build."""
ONNX_FP32 = "onnx_fp32"
"""The ONNX file before its conversion to float16 or int8."""
LEAST_FREE_BYTES = 1 << 16
"""A disk with less room than this is full."""
WIDENED_FROM = "widened_from"
"""The fact of a build that says from which precision it was widened to fp32."""
CONVERTED_TO = "converted_to"
"""The fact of a build that says which precision it was converted to, although some of it may have
stayed in another; fp16 if there is no such fact."""


@dataclass
class BuildContext:
    """What the stages of one build work on."""

    folder: BuildFolder
    work: Path
    opset: int
    opset_was_chosen: bool
    reference: Reference
    subject: CapturedModel
    artifacts: dict[str, Path] = field(default_factory=dict)
    """The files so far, by kind; a stage replaces the path of a kind that it improves."""
    facts: dict[str, Any] = field(default_factory=dict)
    verdicts: dict[str, Verification] = field(default_factory=dict)
    """The verdicts of the stages that verify their own files, by file name."""
    made_by: dict[str, str] = field(default_factory=dict)
    """The stage that made each file, by file name."""
    threads: int = field(default_factory=usable_cores)
    widens: bool = False
    """Whether the model is to be widened to float32, as its runtime does not run its precision."""

    @property
    def available(self) -> set[str]:
        """The kinds of artifacts that a stage can use now."""
        return {*self.artifacts, *([MODEL] if self.model is not None else [])}

    @property
    def model(self) -> Any:
        """The live model; None if the original is a file."""
        return getattr(self.subject, "model", None)

    @property
    def args(self) -> tuple[Any, ...]:
        """The recorded positional arguments of the live model."""
        return getattr(self.subject, "args", ())

    @property
    def kwargs(self) -> dict[str, Any]:
        """The recorded keyword arguments of the live model."""
        return getattr(self.subject, "kwargs", {})

    @property
    def things(self) -> dict[str, Path]:
        """The older name of ``artifacts``, which existing stages use."""
        return self.artifacts

    def onnx_name(self, *suffixes: str) -> str:
        """A file name for an ONNX file of this build."""
        return "-".join([self.folder.name, f"op{self.opset}", *suffixes]) + ".onnx"

    @property
    def received(self) -> Verification | None:
        """The verdict on the first verified file, from which later stages make the others."""
        return next(iter(self.verdicts.values()), None)

    def check(self, path: Path, precision: str) -> Verification:
        """The verdict on an ONNX file; it may be specialised if the first verified file is."""
        found = check_onnx(
            str(path), self.reference, precision, self.threads, may_specialise=self.is_specialised
        )
        return self.with_frozen(found)

    @property
    def is_specialised(self) -> bool:
        """Whether the first verified file is valid for the recorded inputs only."""
        return self.received is not None and self.received.verdict is Verdict.SPECIALISED

    def with_frozen(self, found: Verification) -> Verification:
        """The verdict on a file made from the first verified one, with what the export froze."""
        if self.received is None:
            return found
        found = with_stable_weights(found, self.received)
        return with_frozen(found, self.received.frozen, specialised=self.is_specialised)

    def verify_by(self, path: Path) -> None:
        """Let later files match what a verified file computes, as the outputs of the original say
        nothing."""
        from turnkeyml.runtimes import run_once

        self.reference.verified = run_once(str(path), self.reference.inputs, self.threads)

    def keep(self, stage: str) -> None:
        """Move the files of a stage into the build: external data first, then the graphs."""
        self.folder.onnx.mkdir(parents=True, exist_ok=True)
        made = sorted(self.work.iterdir(), key=lambda p: p.suffix == ".onnx")
        for path in made:
            path.replace(self.folder.onnx / path.name)
            self.made_by[path.name] = stage
        for kind, path in self.artifacts.items():
            if path.parent == self.work:
                self.artifacts[kind] = self.folder.onnx / path.name


Workbench = BuildContext
"""The older name, which existing stages use."""


class Stage(ABC):
    """One step of a build. A subclass sets its name, what it needs and yields, and ``fire``."""

    name: ClassVar[str]
    message: ClassVar[str] = ""
    needs: ClassVar[frozenset[str]] = frozenset()
    yields: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def fire(self, bench: BuildContext) -> None:
        """Run the step: write files to ``bench.work`` and enter them in ``bench.artifacts``."""


@dataclass(frozen=True)
class StageCallbacks:
    """Callbacks for the start and the end of each stage."""

    started: Callable[[str, str, int, int], None]
    finished: Callable[[StageRecord], None]


class Sequence:
    """An ordered list of stages and nested sequences."""

    def __init__(self, name: str, steps: Iterable[Stage | Sequence]) -> None:
        self.name = name
        self.steps = list(steps)

    def __iter__(self) -> Iterator[Stage]:
        for step in self.steps:
            if isinstance(step, Sequence):
                yield from step
            else:
                yield step

    @property
    def stage_names(self) -> list[str]:
        return [stage.name for stage in self]

    def run(self, bench: BuildContext, progress: StageCallbacks) -> tuple[StageRecord, ...]:
        """Run every stage; return their durations and peak memory, in order."""
        records: list[StageRecord] = []
        stages = list(self)
        for position, stage in enumerate(stages, start=1):
            progress.started(stage.name, stage.message or stage.name, position, len(stages))
            record, error = _fire(stage, bench)
            progress.finished(record)
            if error is not None:
                raise _explain(stage, error, records, bench) from error
            records.append(record)
        return tuple(records)


def _fire(stage: Stage, bench: BuildContext) -> tuple[StageRecord, BaseException | None]:
    """Run one stage; return its record and, if it failed, its error."""
    error: BaseException | None = None
    reset_peak_memory()
    begin = time.perf_counter()
    with captured(bench.folder.log(stage.name)):
        try:
            _require(bench, stage.needs, "it needs {}, but no earlier stage made it")
            stage.fire(bench)
            _require(bench, stage.yields, "it did not make {}")
            bench.keep(stage.name)
        except (Exception, SystemExit) as failure:  # noqa: BLE001 - the caller reports it
            import traceback

            traceback.print_exc()
            error = _full_disk(bench.work, failure) or named(failure, bench.work)
    seconds = time.perf_counter() - begin
    return StageRecord(stage.name, seconds, peak_memory_bytes(), error is None), error


def _full_disk(work: Path, failure: BaseException) -> OSError | None:
    """The error of a stage that has filled the disk, with the file that it wrote last; else None.

    Exporters and runtimes have errors of their own for it, which do not say so.
    """
    disk = os.statvfs(work)
    if disk.f_bavail * disk.f_frsize > LEAST_FREE_BYTES:
        return None
    files = [path for path in work.rglob("*") if path.is_file()]
    last = max(files, key=lambda path: path.stat().st_mtime, default=work)
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(last))
    error.__cause__ = failure
    return error


def _require(bench: BuildContext, kinds: frozenset[str], message: str) -> None:
    """Raise an error if an artifact is missing or its file does not exist."""
    missing = sorted(kinds - bench.available)
    if missing:
        raise BuildError(message.format(" and ".join(missing)))
    for kind in sorted(kinds & set(bench.artifacts)):
        path = bench.artifacts[kind]
        if not os.path.exists(path):
            raise BuildError(f"{message.format(kind)} (file not found: {path})")


def _explain(
    stage: Stage, error: BaseException, before: list[StageRecord], bench: BuildContext
) -> BuildError:
    ran = f"after {', '.join(r.name for r in before)}" if before else "the first stage"
    log = bench.folder.log(stage.name)
    message = f"{stage.name} ({ran}) failed: {describe(error)} (see {log})"
    return BuildError(message, stage.name, str(log))
