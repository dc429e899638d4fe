"""Read the stats of a build as typed records and as cells; name damaged parts instead of raising.

The columns of an evaluation follow from the fields of its record: those of ``Performance`` have
the same names, those of ``Verification`` and ``Conditions`` have a prefix, and each entry of a dict
is a column of its own. The verdict is in ``verdict`` alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from turnkeyml.cache import WORKING, BuildFolder, read_history, read_stats
from turnkeyml.escaping import one_line
from turnkeyml.nouns import (
    BuildStatus,
    DamagedRecord,
    Evaluation,
    EvaluationStatus,
    Performance,
    StageRecord,
    Verification,
    from_dict,
)
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
DEPTH = 12
"""The deepest nesting of dicts and lists in our records. Deeper nesting is damage."""
LARGEST = 2**63
"""Integers from this magnitude on are damage: programs that read tables use 64 bits."""
WHOLE = ("input_shapes", "input_dtypes", "operators")
"""Dicts that would add columns without limit: one JSON cell each."""


@dataclass(frozen=True)
class StoredEvaluation:
    """An evaluation of a build, and its cells in a report."""

    evaluation: Evaluation
    cells: dict[str, Cell]


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


def _in_words(name: Any) -> str:
    """A part of the stats, as a message calls it."""
    if not isinstance(name, str):
        return "an entry"
    return "the build section" if name == "build" else f"the {one_line(name, 40)}"


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


_READERS = {"labels": _read_labels, "build": _read_section, "evaluations": _read_evaluations}


def evaluation_cells(evaluation: Evaluation) -> dict[str, Cell]:
    """The cells of an evaluation; a ``DamagedRecord`` if a value does not fit into a cell."""
    cells = record_cells(evaluation)
    cells.pop("status_stats")
    if evaluation.verification is not None:
        cells["verdict"] = cells.pop("verification_verdict")
    return cells


def verification_cells(verification: Verification) -> dict[str, Cell]:
    """The cells of a verdict; the verdict itself is in ``verdict`` alone."""
    cells = record_cells(verification, "verification_")
    return {"verdict": cells.pop("verification_verdict"), **cells}


def record_cells(record: Any, prefix: str = "") -> dict[str, Cell]:
    """The cells of a record and of the records in it."""
    cells: dict[str, Cell] = {}
    for own_name, has_record in _fields(record.__class__):
        name, value = f"{prefix}{own_name}", getattr(record, own_name)
        if value is None and has_record:
            continue
        if value is None or type(value) in (str, float):
            cells[name] = value
        elif own_name == "flags":
            cells[name] = " ".join(flag.kind for flag in value)
        elif isinstance(value, Performance):
            cells.update(record_cells(value, prefix))
        elif dataclasses.is_dataclass(value):
            cells.update(record_cells(value, f"{name}_"))
        elif isinstance(value, dict):
            cells.update(flat(value, f"{name}_"))
        else:
            cells[name] = _cell(value)
    return cells


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, bool], ...]:
    """The names of the fields of a record, and whether the value of each is a record."""
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    return tuple((name, _record_in(hints[name]) is not None) for name in names)


def flat(data: Mapping[Any, Any], prefix: str = "", depth: int = DEPTH) -> dict[str, Cell]:
    """The cells of nested dicts, with keys joined by underscores; lists become JSON."""
    cells: dict[str, Cell] = {}
    for key, value in data.items():
        name = f"{prefix}{_cell(key)}"
        if isinstance(value, dict) and key not in WHOLE:
            if depth <= 1:
                raise DamagedRecord(f"{name[:40]}: it is nested too deeply")
            cells.update(flat(value, f"{name}_", depth - 1))
        else:
            cells[name] = _cell(value)
    return cells


def _cell(value: Any) -> Cell:
    if value is None or type(value) in (str, float):
        return typing.cast("Cell", value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(_plain(value, DEPTH), ensure_ascii=False)
    return _scalar(value)


def _plain(value: Any, depth: int) -> Any:
    """Data that JSON can represent; a ``DamagedRecord`` if it is nested too deeply."""
    if depth <= 0:
        raise DamagedRecord("it is nested too deeply")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, dict):
        return {str(_scalar(k)): _plain(v, depth - 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, depth - 1) for v in value]
    return _scalar(value)


def _scalar(value: Any) -> Cell:
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise DamagedRecord("a number is too large")
    if value is None or isinstance(value, (str, int, float)):
        return value
    return str(value)


def _record_in(hint: Any) -> Any:
    """The record type in the type of a field; None if there is none."""
    if typing.get_origin(hint) is tuple:
        return None
    return next((h for h in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(h)), None)
