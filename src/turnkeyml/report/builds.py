"""What a cache holds of one build, as typed records; what is damaged is named, not raised."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.stats import read_stats
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
from turnkeyml.report.tables import printable

__all__ = [
    "LONGEST",
    "NOT_MEASURED",
    "UNREADABLE",
    "StoredBuild",
    "StoredEvaluation",
    "check_latency",
    "read_build",
]

UNREADABLE = "unreadable"
"""The status of a build whose stats are damaged."""
NOT_MEASURED = "not measured"
"""The status of a build that nobody has measured, where its own is not known."""

SHORTEST, LONGEST = 1e-9, 1e12
"""Milliseconds between which a latency makes sense: from a femtosecond to thirty years."""


@dataclass(frozen=True)
class StoredEvaluation:
    """A measurement or failure of a build, and the same as cells of a report."""

    evaluation: Evaluation
    cells: dict[str, Cell]


@dataclass(frozen=True)
class _BuildSection:
    """What is known of every build, whatever its sequence recorded besides."""

    status: BuildStatus | None = None
    failure: str | None = None
    stages: tuple[StageRecord, ...] = ()
    verification: Verification | None = None


@dataclass(frozen=True)
class _Labels:
    labels: dict[str, list[str]] | None = None


@dataclass
class StoredBuild:
    """The stats of a build, as far as they can be read."""

    folder: BuildFolder
    cells: dict[str, Cell] = field(default_factory=dict)
    """What is known of the model and of how it was built."""
    evaluations: list[StoredEvaluation] = field(default_factory=list)
    status: BuildStatus | None = None
    failure: str | None = None
    """Why it could not be built, if it could not."""
    verification: Verification | None = None
    damage: dict[str, str] = field(default_factory=dict)
    """What cannot be read, and why."""

    @property
    def remark(self) -> str | None:
        """A sentence about what cannot be read; None where all can."""
        if not self.damage:
            return None
        words = " and ".join(self.damage)
        return f"{words[0].upper()}{words[1:]} of build {self.folder.name} cannot be read."

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Keep what is wrong with a part of the stats, so that the others are still read."""
        try:
            yield
        except DamagedRecord as error:
            self.damage[what] = printable(str(error))


def read_build(folder: BuildFolder) -> StoredBuild:
    """Everything that the stats of a build hold and that makes sense."""
    build = StoredBuild(folder)
    stats = read_stats(folder)
    if not stats:
        build.damage["the stats"] = "there are no stats that can be read"
    for name, value in stats.items():
        reader = _READERS.get(name, _read_other)
        with build.reading(_in_words(name)):
            reader(build, name, value)
    where: dict[str, Cell] = {"build_name": folder.name, "cache_dir": str(folder.cache_dir)}
    build.cells.update(where)
    return build


def check_latency(value: Any) -> float:
    """A latency in milliseconds; a ``DamagedRecord`` where nothing could have taken so long."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not SHORTEST < number < LONGEST:
        raise DamagedRecord(f"{str(value)[:40]} is no latency")
    return number


def _read_other(build: StoredBuild, name: Any, value: Any) -> None:
    build.cells.update(flat({name: value}))


def _read_labels(build: StoredBuild, name: str, value: Any) -> None:
    labels = from_dict(_Labels, {name: value}).labels or {}
    build.cells[name] = " ".join(f"{label}::{','.join(words)}" for label, words in labels.items())


def _read_section(build: StoredBuild, name: str, value: Any) -> None:
    """The section about how it was built; its stages become columns with their names."""
    if value is None:
        return
    known = from_dict(_BuildSection, value)
    facts = {k: v for k, v in value.items() if k not in ("stages", "verification")}
    cells = flat(facts, f"{name}_")
    for stage in known.stages:
        own = record_cells(stage, f"{name}_{stage.name}_")
        own.pop(f"{name}_{stage.name}_name")
        cells.update(own)
    if known.verification is not None:
        cells.update(record_cells(known.verification, f"{name}_verification_"))
    build.cells.update(cells)
    build.status, build.failure = known.status, known.failure
    build.verification = known.verification


def _read_evaluations(build: StoredBuild, name: str, value: Any) -> None:
    if value is not None and not isinstance(value, list):
        raise DamagedRecord("they are no list")
    for data in value or []:
        with build.reading("an evaluation"):
            evaluation = from_dict(Evaluation, data)
            if evaluation.status is EvaluationStatus.SUCCESSFUL:
                performance = evaluation.performance
                check_latency(performance.median_latency if performance else None)
            build.evaluations.append(StoredEvaluation(evaluation, evaluation_cells(evaluation)))


def _in_words(name: Any) -> str:
    """What a sentence calls a part of the stats, whatever its name is."""
    if not isinstance(name, str):
        return "an entry"
    return "the build section" if name == "build" else f"the {printable(name)[:40]}"


_READERS = {"labels": _read_labels, "build": _read_section, "evaluations": _read_evaluations}
