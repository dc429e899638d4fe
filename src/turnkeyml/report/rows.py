"""One measurement or failure as a row that can be compared, from a record or a line of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from turnkeyml.nouns import Evaluation, Flag, FlagKind, Verdict

__all__ = ["Item", "Row", "one_line", "row_of_evaluation", "rows_of_cells"]

DISTURBANCES = {"drift": 0.03, "unsteady": 0.03, "heat": 0.05}
"""By how much what a flag speaks of may move a median, where it cannot be read off."""


@dataclass(frozen=True)
class Item:
    """What was measured: a model with its inputs, on a device with a runtime."""

    build_name: str
    model_name: str
    model_hash: str
    hash: str
    device_type: str = ""
    runtime: str = ""
    precision: str = ""
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The name of the script that it came from."""
        return self.build_name.removesuffix(f"_{self.hash}")

    @property
    def kind(self) -> tuple[Any, ...]:
        """What tells it from the other measurements of its model and inputs."""
        parameters = tuple(sorted(self.parameters.items()))
        return (self.device_type, self.runtime, self.precision, parameters)

    @property
    def label(self) -> str:
        """The runtime and the precision, as they are shown."""
        return f"{self.runtime} {self.precision}".strip()


@dataclass(frozen=True)
class Row:
    """One measurement or failure, as a side knows it; latencies are in milliseconds."""

    item: Item
    median: float = 0.0
    low: float | None = None
    high: float | None = None
    failure: str | None = None
    """Why there is no median, if there is none."""
    measured_at: str = ""
    verification: Verdict = Verdict.NOT_CHECKED
    flags: tuple[Flag, ...] = ()
    conditions: dict[str, str] = field(default_factory=dict)
    """What is known of how it was measured, by name."""
    samples: Path | None = None
    sample_count: int = 0
    disturbance: float = 0.0
    """By how much, relative to the median, what went on meanwhile may have moved it."""

    def is_like(self, other: Row) -> bool:
        """Whether both are the same kind of measurement of one model.

        What failed early does not know in which precision, or not even with which runtime, it
        would have been measured: it stands for all of them.
        """
        return all(
            mine == theirs or (self.failure and not mine) or (other.failure and not theirs)
            for mine, theirs in zip(self.item.kind, other.item.kind, strict=True)
        )

    def is_newer_than(self, other: Row) -> bool:
        """Whether it was measured later; False where the times do not say."""
        mine, theirs = _time(self.measured_at), _time(other.measured_at)
        return mine is not None and theirs is not None and mine > theirs


def row_of_evaluation(model: Item, evaluation: Evaluation, folder: Path | None = None) -> Row:
    """A record as a row; the folder is the one that the path of the samples starts from."""
    item = replace(
        model,
        device_type=evaluation.device_type,
        runtime=evaluation.runtime,
        precision=evaluation.precision,
        parameters={name: str(value) for name, value in evaluation.parameters.items()},
    )
    performance = evaluation.performance
    if performance is None:
        reason = one_line(evaluation.reason)
        return Row(item, failure=reason, measured_at=evaluation.measured_at)
    return Row(
        item,
        median=_positive(performance.median_latency),
        low=performance.median_low,
        high=performance.median_high,
        measured_at=evaluation.measured_at,
        verification=evaluation.verdict,
        flags=performance.flags,
        conditions=_conditions_of(evaluation),
        samples=folder / evaluation.samples_file if folder and evaluation.samples_file else None,
        sample_count=performance.samples,
        disturbance=_disturbance_of(evaluation),
    )


def _disturbance_of(evaluation: Evaluation) -> float:
    performance, conditions = evaluation.performance, evaluation.conditions
    if performance is None or conditions is None:
        return 0.0
    return _disturbance(
        {flag.kind for flag in performance.flags},
        load=(conditions.other_cores or 0.0) / (conditions.processors.count(",") + 1),
        steal=conditions.stolen_share or 0.0,
        quota=(conditions.throttled_seconds or 0.0) / (performance.wall_seconds or 1.0),
    )


def _disturbance(flags: set[str], **shares: float) -> float:
    """A program that takes a share of the machine may cost us that share of the time."""
    return max((shares.get(kind, DISTURBANCES.get(kind, 0.0)) for kind in flags), default=0.0)


def _conditions_of(evaluation: Evaluation) -> dict[str, str]:
    conditions = evaluation.conditions
    facts: dict[str, Any] = {"runtime_version": evaluation.runtime_version}
    facts["artifact_sha256"] = evaluation.artifact_sha256
    if conditions is not None:
        facts["threads"] = conditions.threads or None
        facts["rule"] = _rule(conditions.rule.get("name", ""), conditions.rule.get("iterations"))
        facts["cpu"] = conditions.cpu
        facts["governor"] = conditions.governor
        facts["turnkey_version"] = conditions.turnkey_version
        facts.update({f"library {name}": value for name, value in conditions.libraries.items()})
        facts.update({f"setting {name}": value for name, value in conditions.settings.items()})
    return _known(facts)


def _rule(name: str, iterations: Any) -> str:
    return f"{iterations} iterations" if iterations else name


def _known(facts: dict[str, Any]) -> dict[str, str]:
    """As text, which is all that a report holds; without what was not found out."""
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}


def rows_of_cells(cells: dict[str, str]) -> Iterator[Row]:
    """One row for a measurement or a failure, none for a build that was only built."""
    status = cells.get("status")
    prefix = "parameters_"
    item = Item(
        build_name=cells.get("build_name", ""),
        model_name=cells.get("model_name", ""),
        model_hash=cells.get("model_hash", ""),
        hash=cells.get("hash", ""),
        device_type=cells.get("device_type", ""),
        runtime=cells.get("runtime", ""),
        precision=cells.get("precision", ""),
        parameters={n.removeprefix(prefix): v for n, v in cells.items() if n.startswith(prefix)},
    )
    measured_at = cells.get("measured_at", "")
    if status == "successful":
        yield Row(
            item,
            median=_positive(cells.get("median_latency")),
            low=_number(cells.get("median_low")),
            high=_number(cells.get("median_high")),
            measured_at=measured_at,
            verification=Verdict(cells.get("verdict", Verdict.NOT_CHECKED)),
            flags=_flags_of_cells(cells),
            conditions=_conditions_of_cells(cells),
            disturbance=_disturbance_of_cells(cells),
        )
    elif status == "failed":
        yield Row(item, failure=one_line(cells.get("reason")), measured_at=measured_at)
    elif "build_failure" in cells:
        yield Row(item, failure=one_line(cells["build_failure"]))


def _flags_of_cells(cells: dict[str, str]) -> tuple[Flag, ...]:
    """A report names them only."""
    words = cells.get("flags", "").split()
    return tuple(Flag(kind, "") for kind in FlagKind if kind in words)


def _disturbance_of_cells(cells: dict[str, str]) -> float:
    def number(name: str, otherwise: float = 0.0) -> float:
        return _number(cells.get(name)) or otherwise

    return _disturbance(
        set(cells.get("flags", "").split()),
        load=number("conditions_other_cores")
        / (cells.get("conditions_processors", "").count(",") + 1),
        steal=number("conditions_stolen_share"),
        quota=number("conditions_throttled_seconds") / number("wall_seconds", 1.0),
    )


def _conditions_of_cells(cells: dict[str, str]) -> dict[str, str]:
    facts: dict[str, Any] = {
        name: cells.get(name) for name in ("runtime_version", "artifact_sha256")
    }
    rule = cells.get("conditions_rule_name", "")
    facts["rule"] = _rule(rule, cells.get("conditions_rule_iterations"))
    for name in ("threads", "cpu", "governor", "turnkey_version"):
        facts[name] = cells.get(f"conditions_{name}")
    for word, prefix in (
        ("library", "conditions_libraries_"),
        ("setting", "conditions_settings_"),
    ):
        for name, value in cells.items():
            if name.startswith(prefix):
                facts[f"{word} {name.removeprefix(prefix)}"] = value
    return _known(facts)


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _positive(value: Any) -> float:
    number = float(value or 0)
    if not 0 < number < float("inf"):
        raise ValueError("no latency")
    return number


def one_line(reason: Any) -> str:
    """Why something failed, without the line breaks that some libraries' messages have."""
    return " ".join(str(reason or "no reason is known").split())


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return None
