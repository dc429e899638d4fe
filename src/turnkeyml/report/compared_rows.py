"""Rows for comparisons: one measurement or failure each, made from the cells of a report.

The name of an item and the kind of a failure in words are the same in every report.
"""

from __future__ import annotations

import math
import re
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from turnkeyml.nouns import (
    BuildStatus,
    Cause,
    ContestantKey,
    DamagedRecord,
    Disturbance,
    Evaluation,
    EvaluationStatus,
    Flag,
    FlagKind,
    Grade,
    Verdict,
    Word,
    label_of,
    margins,
    point_of,
)
from turnkeyml.report.builds import LONGEST, check_latency, evaluation_cells
from turnkeyml.report.contract import Record

W = TypeVar("W", bound=Word)
FAILED_BUILDS = frozenset(status.value for status in BuildStatus if status.failed)
MOST_CHARACTERS = 200
"""Characters of a reason that tell its kind."""


@dataclass(frozen=True)
class Item:
    """What was measured: a model with its inputs, on a device with a runtime."""

    build_name: str
    model_name: str
    model_hash: str
    hash: str
    device_type: str = ""
    runtime: str = ""
    python: str = ""
    """The name of the interpreter; empty for turnkey's own."""
    host: str = ""
    """The name of the machine; empty for that of turnkey."""
    precision: str = ""
    under_load_pattern: str = ""
    """The load, such as ``rate=20``; empty for one run at a time."""
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The name of its script."""
        return self.build_name.removesuffix(f"_{self.hash}")

    @property
    def kind(self) -> ContestantKey:
        """What distinguishes it from the other measurements of its model and inputs."""
        return ContestantKey(
            self.device_type,
            self.runtime,
            self.python,
            self.host,
            self.precision,
            self.under_load_pattern,
            point_of(self.parameters),
        )

    @property
    def label(self) -> str:
        """The runtime, its place and the precision, for people."""
        return label_of(self.runtime, self.python, self.precision, self.host)

    @property
    def point(self) -> str:
        """The point of a sweep and the load, for people; empty without either."""
        words = [f"{name}={value}" for name, value in self.parameters.items()]
        return " ".join([*words, *filter(None, [self.under_load_pattern])])


@dataclass(frozen=True)
class Row:
    """One measurement or failure of a side; latencies are in milliseconds."""

    item: Item
    median: float = 0.0
    low: float | None = None
    high: float | None = None
    failure: str | None = None
    """Why there is no median; None if there is one."""
    measured_at: str = ""
    verification: Verdict = Verdict.NOT_CHECKED
    cause: Cause | None = None
    """What decided the verdict; None if that is not known."""
    grade: Grade | None = None
    flags: tuple[Flag, ...] = ()
    conditions: dict[str, str] = field(default_factory=dict)
    """The conditions of the measurement, by name."""
    samples: Path | None = None
    sample_count: int = 0
    disturbance: float = 0.0
    """The relative error of the median that disturbances may have caused."""
    distance: float | None = None
    """How far apart the processors were; None if nobody knows."""
    memory_speed: float | None = None
    """Gigabytes per second; None if nobody knows."""
    memory_share: float = 0.0
    """The time that its memory takes to be read once, relative to the latency."""
    processes: int = 1

    @property
    def is_credible(self) -> bool:
        """Whether nothing says that the latency is not that of the model."""
        return not any(flag.kind.discredits for flag in self.flags)

    def is_like(self, other: Row) -> bool:
        """Whether both are the same kind of measurement of one model.

        An early failure does not know its precision or runtime, so it matches all of them.
        """
        return all(
            mine == theirs or (self.failure and not mine) or (other.failure and not theirs)
            for mine, theirs in zip(astuple(self.item.kind), astuple(other.item.kind), strict=True)
        )

    def is_newer_than(self, other: Row) -> bool:
        """Whether it was measured later; False if a time is unknown."""
        mine, theirs = _time(self.measured_at), _time(other.measured_at)
        return mine is not None and theirs is not None and mine > theirs


def item_of(cells: Record) -> Item:
    """The item that a record of a report is about."""
    names = [field.name for field in fields(Item) if field.name != "parameters"]
    texts = {name: text_of(cells, name) for name in names}
    return Item(**texts, parameters=_named(cells, "parameters_"))


def row_of_evaluation(
    model: Item, evaluation: Evaluation, folder: Path | None = None, cells: Record | None = None
) -> Row:
    """The row of an evaluation; the path of its samples is relative to ``folder``.

    It is made from the cells of a report, so that a report and its cache compare the same;
    ``cells`` are those of the evaluation, if they are known.
    """
    item = {field.name: getattr(model, field.name) for field in fields(Item)}
    known = {name: value for name, value in item.items() if isinstance(value, str) and value}
    cells = {**(evaluation_cells(evaluation) if cells is None else cells), **known}
    if evaluation.performance is None:
        return _failed_row(cells, "reason")
    samples = _samples_path(folder, evaluation.samples_file)
    return replace(_measured_row(cells), flags=evaluation.performance.flags, samples=samples)


def row_of_cells(cells: Record) -> Row | None:
    """The row of a measurement or failure; None for a build that was not measured.

    A ``DamagedRecord`` says which value is invalid.
    """
    status = text_of(cells, "status")
    if status == EvaluationStatus.SUCCESSFUL:
        return _measured_row(cells)
    if status == EvaluationStatus.FAILED:
        return _failed_row(cells, "reason")
    if status in FAILED_BUILDS:  # reports of older versions had the reason elsewhere
        return _failed_row(cells, "reason" if text_of(cells, "reason") else "build_failure")
    return None


def text_of(cells: Record, name: str) -> str:
    """A cell as text; empty if it is unknown."""
    cell = cells.get(name)
    return "" if cell is None else str(cell)


def item_in_words(item: Item) -> str:
    """The name of an item in a sentence."""
    details = ", ".join(filter(None, (item.label, item.point)))
    return f"{item.build_name} ({details})" if details else item.build_name


def reason_in_words(reason: Any) -> str:
    """The reason of a failure without line breaks, which messages of libraries may have."""
    return " ".join(str(reason or "").split()) or "no reason is known"


def kind_of(reason: str) -> str:
    """A reason with placeholders for names and numbers, to group similar failures.

    Exit codes, signals and error numbers stay: they tell causes apart.
    """
    text = re.sub(r"(/[^\s/:,;)]+)+", "PATH", reason)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "NAME", text)
    text = re.sub(r"\b[0-9a-f]{8,}\b", "HASH", text)
    text = re.sub(r"(\b(?:code|signal|status|Errno) -?\d+)|\d+(\.\d+)?", _number_or_code, text)
    return re.sub(r"\bN(?:[, x]+N)+\b", "N", text)[:MOST_CHARACTERS]


def _number_or_code(found: re.Match[str]) -> str:
    return found[1] or "N"


def _failed_row(cells: Record, reason: str) -> Row:
    measured_at = text_of(cells, "measured_at")
    return Row(item_of(cells), failure=reason_in_words(cells.get(reason)), measured_at=measured_at)


def _measured_row(cells: Record) -> Row:
    kinds = text_of(cells, "flags").split()
    return Row(
        item_of(cells),
        median=check_latency(cells.get("median_latency")),
        low=_interval_end(cells, "median_low"),
        high=_interval_end(cells, "median_high"),
        measured_at=text_of(cells, "measured_at"),
        verification=_word(Verdict, text_of(cells, "verdict") or Verdict.NOT_CHECKED),
        cause=next((c for c in Cause if c == text_of(cells, "verification_cause")), None),
        grade=_word(Grade, text_of(cells, "grade")) if text_of(cells, "grade") else None,
        flags=tuple(Flag(kind, "") for kind in FlagKind if kind in kinds),
        conditions=_conditions(cells),
        sample_count=int(_number(cells, "samples")),
        disturbance=_disturbance(set(kinds), cells),
        distance=_positive(cells, "conditions_processor_distance"),
        memory_speed=_positive(cells, "conditions_memory_speed"),
        memory_share=_memory_share(cells),
        processes=max(1, int(_number(cells, "processes"))),
    )


def _memory_share(cells: Record) -> float:
    speed, latency = (_number(cells, n) for n in ("conditions_memory_speed", "median_latency"))
    used = _number(cells, "peak_memory_bytes") - _number(cells, "memory_before_bytes")
    return max(0.0, used) / (speed * 1e9) / (latency / 1e3) if speed and latency else 0.0


def _disturbance(kinds: set[str], cells: Record) -> float:
    """The relative error of a median that what else went on may have caused."""
    processors = text_of(cells, "conditions_processors").count(",") + 1
    if _number(cells, "conditions_overheated"):
        kinds = {*kinds, FlagKind.HEAT}
    found = Disturbance(
        kinds,
        others=_number(cells, "conditions_other_cores") / processors,
        own=_number(cells, "conditions_own_cores") / processors,
        stolen=_number(cells, "conditions_stolen_share"),
        throttled=_number(cells, "conditions_throttled_seconds")
        / (_number(cells, "wall_seconds") or 1.0),
    )
    return min(max(margins(found, in_compare=True).values()), 1.0)


def _conditions(cells: Record) -> dict[str, str]:
    """The conditions of a measurement as text: a report stores nothing else."""
    facts = {name: text_of(cells, name) for name in ("runtime_version", "artifact_sha256")}
    threads = text_of(cells, "conditions_threads")
    facts["threads"] = "" if threads == "0" else threads
    iterations = text_of(cells, "conditions_rule_iterations")
    name = text_of(cells, "conditions_rule_name")
    facts["rule"] = f"{iterations} iterations" if iterations else name
    for fact in ("cpu", "governor", "turnkey_version"):
        facts[fact] = text_of(cells, f"conditions_{fact}")
    for word, prefix in (("library", "libraries"), ("setting", "settings")):
        named = _named(cells, f"conditions_{prefix}_")
        facts.update({f"{word} {name}": value for name, value in named.items()})
    return {name: value for name, value in facts.items() if value}


def _named(cells: Record, prefix: str) -> dict[str, str]:
    """The entries of a dict that was flattened to columns with this prefix."""
    names = [name for name in cells if name.startswith(prefix) and text_of(cells, name)]
    return {name.removeprefix(prefix): text_of(cells, name) for name in names}


def _number(cells: Record, name: str) -> float:
    """A cell as a number; 0 if it is unknown or not finite."""
    try:
        number = float(cells.get(name) or 0.0)
    except (ValueError, OverflowError):
        raise DamagedRecord(f"{name} is not a number") from None
    return number if math.isfinite(number) else 0.0


def _positive(cells: Record, name: str) -> float | None:
    number = _number(cells, name)
    return number if number > 0 else None


def _interval_end(cells: Record, name: str) -> float | None:
    """An end of the interval of the median, which may be negative; None if it is unknown."""
    number = _number(cells, name)
    return number if 0 < abs(number) < LONGEST else None


def _word(kind: type[W], text: str) -> W:
    try:
        return kind(text)
    except ValueError:
        raise DamagedRecord(f"{text[:40]} is not a {kind.__name__}") from None


def _samples_path(folder: Path | None, name: str | None) -> Path | None:
    """The path of the samples of a build; None if it would be outside the build folder."""
    if folder is None or not name or Path(name).is_absolute() or ".." in Path(name).parts:
        return None
    return folder / name


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return None
