"""A stage is one step of a build; a sequence is an ordered list of them.

A stage states what it needs and what it yields. The sequence checks both, times the stage, keeps
what it prints in a log of its own, and turns a failure into one sentence that names the stage and
what ran before it.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from turnkeyml.build.check import check_onnx
from turnkeyml.build.subject import Subject
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.errors import BuildError, describe
from turnkeyml.nouns import StageRecord, Verdict, Verification
from turnkeyml.system import machine
from turnkeyml.system.capture import captured
from turnkeyml.verify.reference import Reference

__all__ = ["MODEL", "ONNX", "ONNX_FILE", "ONNX_FP32", "Sequence", "Stage", "Workbench"]

MODEL = "model"
"""A live model with its arguments."""
ONNX_FILE = "onnx_file"
"""An ONNX file somewhere outside of the cache."""
ONNX = "onnx"
"""An ONNX file of this build."""
ONNX_FP32 = "onnx_fp32"
"""The same before it was converted to float16."""


@dataclass
class Workbench:
    """What the stages of one build work on."""

    folder: BuildFolder
    work: Path
    opset: int
    opset_was_chosen: bool
    reference: Reference
    subject: Subject
    artifacts: dict[str, Path] = field(default_factory=dict)
    """The files so far, by kind: a stage that makes a better one replaces the path."""
    facts: dict[str, Any] = field(default_factory=dict)
    verdicts: dict[str, Verification] = field(default_factory=dict)
    """What the stages that checked their own files found, by the name of the file."""
    made_by: dict[str, str] = field(default_factory=dict)
    """The stage that made each file, by the name of the file."""
    threads: int = field(default_factory=machine.usable_cores)

    @property
    def available(self) -> set[str]:
        """What a stage may need."""
        return {*self.artifacts, *([MODEL] if self.model is not None else [])}

    @property
    def model(self) -> Any:
        """The live model; None where the original is a file."""
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
        """The older name of ``artifacts``."""
        return self.artifacts

    def onnx_name(self, *suffixes: str) -> str:
        """A file name for an ONNX file of this build."""
        return "-".join([self.folder.name, f"op{self.opset}", *suffixes]) + ".onnx"

    @property
    def received(self) -> Verification | None:
        """The verdict on the first file that was checked, which the others are made from."""
        return next(iter(self.verdicts.values()), None)

    def check(self, path: Path, precision: str) -> Verification:
        """The verdict on an ONNX file that was made from the one that was received.

        Where that is specialised already, so is what is made from it.
        """
        found = check_onnx(
            str(path), self.reference, precision, self.threads, may_specialise=self.is_specialised
        )
        return self.with_frozen(found)

    @property
    def is_specialised(self) -> bool:
        """Whether the file that was received holds for the recorded inputs only."""
        return self.received is not None and self.received.verdict is Verdict.SPECIALISED

    def with_frozen(self, found: Verification) -> Verification:
        """A verdict with where the decision was frozen, if it is specialised."""
        if self.received is None or found.verdict is not Verdict.SPECIALISED:
            return found
        return replace(found, frozen=self.received.frozen)

    def keep(self, stage: str) -> None:
        """Move what a stage made to its final place, the graphs after the data they refer to."""
        self.folder.onnx.mkdir(parents=True, exist_ok=True)
        made = sorted(self.work.iterdir(), key=lambda p: p.suffix == ".onnx")
        for path in made:
            path.replace(self.folder.onnx / path.name)
            self.made_by[path.name] = stage
        for kind, path in self.artifacts.items():
            if path.parent == self.work:
                self.artifacts[kind] = self.folder.onnx / path.name


class Stage(ABC):
    """One step of a build. Subclasses name it, say what it needs and yields, and do it."""

    name: ClassVar[str]
    message: ClassVar[str] = ""
    needs: ClassVar[frozenset[str]] = frozenset()
    yields: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def fire(self, bench: Workbench) -> None:
        """Do the step: files go to ``bench.work`` and are entered in ``bench.artifacts``."""


@dataclass(frozen=True)
class Progress:
    """Who hears when stages begin and end."""

    started: Callable[[str, str, int, int], None]
    finished: Callable[[StageRecord], None]


class Sequence:
    """Stages, and sequences of stages, in the order in which they run."""

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

    def run(self, bench: Workbench, progress: Progress) -> tuple[StageRecord, ...]:
        """Run every stage; what they cost, in order."""
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


def _fire(stage: Stage, bench: Workbench) -> tuple[StageRecord, BaseException | None]:
    """Run one stage; the error it ended with, if any, is the caller's to explain."""
    error: BaseException | None = None
    machine.reset_peak_memory()
    begin = time.perf_counter()
    with captured(bench.folder.log(stage.name)):
        try:
            _require(stage, bench, stage.needs, "needs")
            stage.fire(bench)
            _require(stage, bench, stage.yields, "should have made")
            bench.keep(stage.name)
        except (Exception, SystemExit) as failure:  # noqa: BLE001 - the stage's, and reported
            import traceback

            traceback.print_exc()
            error = failure
    seconds = time.perf_counter() - begin
    return StageRecord(stage.name, seconds, machine.peak_memory_bytes(), error is None), error


def _require(stage: Stage, bench: Workbench, kinds: frozenset[str], verb: str) -> None:
    missing = sorted(kinds - bench.available)
    if missing:
        raise BuildError(f"it {verb} {' and '.join(missing)}, but there is none")
    for kind in kinds & set(bench.artifacts):
        if not os.path.exists(bench.artifacts[kind]):
            raise BuildError(f"it {verb} {bench.artifacts[kind]}, which does not exist")


def _explain(
    stage: Stage, error: BaseException, before: list[StageRecord], bench: Workbench
) -> BuildError:
    ran = f"after {', '.join(r.name for r in before)}" if before else "the first stage"
    log = bench.folder.log(stage.name)
    message = f"{stage.name} ({ran}) failed: {describe(error)} (see {log})"
    return BuildError(message, stage.name, str(log))
