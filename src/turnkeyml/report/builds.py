"""Read the stats of a build as typed records; damaged parts are named, not raised."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from turnkeyml.cache import WORKING, BuildFolder, read_history, read_stats
from turnkeyml.escaping import one_line
from turnkeyml.nouns import (
    BuildStatus,
    DamagedRecord,
    Evaluation,
    EvaluationStatus,
    StageRecord,
    Verification,
    from_dict,
)
from turnkeyml.report.cells import evaluation_cells, flat, record_cells
from turnkeyml.report.contract import Cell

T = TypeVar("T")
Count = Callable[[int, int], None]
"""Is told how many builds were read, and of how many."""

UNREADABLE = "unreadable"
"""The status of a build whose stats are damaged."""
NOT_MEASURED = "not measured"
"""The status of a build without evaluations, if its own status is unknown."""

ELSEWHERE = ("stages", "verification", "status", "failure", "sha256")
"""What of the build section is in columns of its own: no value is in a report twice."""

SHORTEST, LONGEST = 1e-9, 1e12
"""The range of plausible latencies in milliseconds: from a picosecond to thirty years."""


@dataclass(frozen=True)
class StoredEvaluation:
    """An evaluation of a build, and its cells in a report."""

    evaluation: Evaluation
    cells: dict[str, Cell]


@dataclass(frozen=True)
class _BuildSection:
    """The fields that the stats of every build have; sequences may add others."""

    status: BuildStatus | None = None
    failure: str | None = None
    failed_stage: str | None = None
    stages: tuple[StageRecord, ...] = ()
    verification: Verification | None = None


@dataclass(frozen=True)
class _Labels:
    labels: dict[str, list[str]] | None = None


@dataclass(frozen=True)
class _Operators:
    operators: dict[str, int] | None = None


@dataclass
class StoredBuild:
    """The stats of a build, as far as they can be read."""

    folder: BuildFolder
    cells: dict[str, Cell] = field(default_factory=dict)
    """Facts about the model and the build, by column."""
    evaluations: list[StoredEvaluation] = field(default_factory=list)
    """The last one of each kind."""
    history: list[StoredEvaluation] = field(default_factory=list)
    """Those that later ones replaced, the oldest first; empty unless it was asked for."""
    stages: tuple[StageRecord, ...] = ()
    operators: dict[str, int] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    status: BuildStatus | None = None
    failure: str | None = None
    """Why the build failed; None if it did not."""
    verification: Verification | None = None
    damage: dict[str, str] = field(default_factory=dict)
    """The reason why each unreadable part cannot be read."""

    @property
    def remark(self) -> str | None:
        """A sentence that names the unreadable parts; None if there are none."""
        if not self.damage:
            return None
        parts = " and ".join(self.damage)
        return f"{parts[0].upper()}{parts[1:]} of build {self.folder.name} cannot be read."

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Record the damage of one part of the stats, so that the other parts are still read."""
        try:
            yield
        except DamagedRecord as error:
            self.damage[what] = one_line(str(error), 160)


def read_build(folder: BuildFolder, with_history: bool = False) -> StoredBuild:
    """The stats of a build, without the parts that are damaged."""
    build = StoredBuild(folder)
    stats = read_stats(folder)
    if not stats:
        build.damage["the stats"] = "there are no stats that can be read"
    for name, value in stats.items():
        if name == WORKING:  # what a process has begun and not ended is no result
            continue
        reader = _READERS.get(name, _read_other)
        with build.reading(_in_words(name)):
            reader(build, name, value)
    where: dict[str, Cell] = {"build_name": folder.name, "cache_dir": str(folder.cache_dir)}
    build.cells.update(where)
    if with_history:
        _read_history(build)
    return build


def counted(found: Sequence[T], progress: Count | None) -> Iterator[T]:
    """The same items; ``progress`` is told of each."""
    for number, item in enumerate(found):
        if progress is not None:
            progress(number, len(found))
        yield item


def check_latency(value: Any) -> float:
    """A latency in milliseconds; a ``DamagedRecord`` if it is not plausible."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not SHORTEST < number < LONGEST:
        raise DamagedRecord(f"{str(value)[:40]} is not a latency")
    return number


def _read_other(build: StoredBuild, name: Any, value: Any) -> None:
    build.cells.update(flat({name: value}))


def _read_labels(build: StoredBuild, name: str, value: Any) -> None:
    build.labels = from_dict(_Labels, {name: value}).labels or {}
    texts = (f"{label}::{','.join(words)}" for label, words in build.labels.items())
    build.cells[name] = " ".join(texts)


def _read_section(build: StoredBuild, name: str, value: Any) -> None:
    """Read the section about the build; each stage becomes columns with its name."""
    if value is None:
        return
    known = from_dict(_BuildSection, value)
    facts = {k: v for k, v in value.items() if k not in ELSEWHERE}
    cells = flat(facts, f"{name}_")
    for stage in known.stages:
        own = record_cells(stage, f"{name}_{stage.name}_")
        own.pop(f"{name}_{stage.name}_name")
        cells.update(own)
    build.cells.update(cells)
    build.status, build.failure = known.status, known.failure
    build.verification, build.stages = known.verification, known.stages
    build.operators = from_dict(_Operators, value).operators or {}


def _read_evaluations(build: StoredBuild, name: str, value: Any) -> None:
    if value is not None and not isinstance(value, list):
        raise DamagedRecord("they are not a list")
    for data in value or []:
        with build.reading("an evaluation"):
            build.evaluations.append(_stored(data))


def _read_history(build: StoredBuild) -> None:
    """Read the earlier evaluations; one that a crash left in both places counts once."""
    present = {_moment(stored.evaluation) for stored in build.evaluations}
    for data in read_history(build.folder):
        with build.reading("an earlier evaluation"):
            stored = _stored(data)
            if _moment(stored.evaluation) not in present:
                build.history.append(stored)


def _stored(data: Any) -> StoredEvaluation:
    evaluation = from_dict(Evaluation, data)
    if evaluation.status is EvaluationStatus.SUCCESSFUL:
        performance = evaluation.performance
        check_latency(performance.median_latency if performance else None)
    return StoredEvaluation(evaluation, evaluation_cells(evaluation))


def _moment(evaluation: Evaluation) -> tuple[str, ...]:
    """What tells an evaluation from the others of its build."""
    point = sorted(evaluation.parameters.items())
    return evaluation.measured_at, evaluation.device_type, evaluation.label, repr(point)


def _in_words(name: Any) -> str:
    """A part of the stats, as a message calls it."""
    if not isinstance(name, str):
        return "an entry"
    return "the build section" if name == "build" else f"the {one_line(name, 40)}"


_READERS = {"labels": _read_labels, "build": _read_section, "evaluations": _read_evaluations}
