"""What was learned and measured about a build, for people and for the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml.cache.damaged import DamagedFile, printable
from turnkeyml.cache.files import load_yaml, set_aside, write_yaml
from turnkeyml.cache.history import add_history
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import (
    DamagedRecord,
    Evaluation,
    Phase,
    StageRecord,
    Steps,
    Verification,
    from_dict,
    to_dict,
)

__all__ = [
    "add_evaluation",
    "evaluations_in",
    "load_labels",
    "read_stats",
    "retire_evaluations",
    "stats_damages",
    "update_stats",
]


@dataclass(frozen=True)
class BuildSection:
    """What is known of the build itself, besides the facts that its stages note."""

    status: str = ""
    sequence: tuple[str, ...] = ()
    stages: tuple[StageRecord, ...] = ()
    seconds: float = 0.0
    verification: Verification | None = None
    failure: str | None = None


@dataclass(frozen=True)
class _Labels:
    labels: dict[str, list[str]] | None = None


@dataclass(frozen=True)
class Sections:
    """The sections that whoever reads stats relies on, all of which may be missing."""

    turnkey_version: str = ""
    build_name: str = ""
    model_name: str = ""
    model_class: str = ""
    model_type: str = ""
    model_hash: str = ""
    hash: str = ""
    file: str = ""
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: int = 0
    parameter_bytes: int = 0
    input_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    input_dtypes: dict[str, str] = field(default_factory=dict)
    phase: Phase | None = None
    tokens: int = 0
    steps: Steps | None = None
    build: BuildSection | None = None
    evaluations: tuple[Any, ...] = ()


def read_stats(folder: BuildFolder) -> dict[str, Any]:
    """The stats of a build; empty where there are none that can be read."""
    try:
        return _load(folder)
    except DamagedFile:
        return {}


def _load(folder: BuildFolder) -> dict[str, Any]:
    """The stats as they are; a ``DamagedFile`` where they have no sections at all."""
    try:
        data = load_yaml(folder.stats)
    except FileNotFoundError:
        return {}
    if not isinstance(data, dict):
        raise DamagedFile(folder.stats, "it has no sections")
    return data


def stats_damages(folder: BuildFolder) -> list[str]:
    """What in the stats of a build cannot be used, in sentences."""
    try:
        stats = _load(folder)
        from_dict(Sections, stats)
    except DamagedFile as error:
        return [f"The stats of build {folder.name} cannot be read: {error.why}."]
    except DamagedRecord as error:
        why = printable(str(error).removeprefix("Sections."))
        return [f"The stats of build {folder.name} are damaged: {why}."]
    reasons = dict.fromkeys(_why_damaged(e) for e in _all_evaluations(stats))
    return [
        f"An evaluation of build {folder.name} cannot be read: {printable(reason)}."
        for reason in reasons
        if reason
    ]


def load_labels(cache_dir: str | Path, build_name: str) -> dict[str, list[str]]:
    """The labels of the script that a build came from; empty where it had none."""
    folder = BuildFolder(Path(cache_dir).expanduser(), build_name)
    if not folder.stats.exists():
        raise TurnkeyError(f"There is no build {build_name!r} in the cache {folder.cache_dir}.")
    try:
        return from_dict(_Labels, _load(folder)).labels or {}
    except DamagedRecord as error:
        raise DamagedFile(folder.stats, str(error)) from None


def update_stats(folder: BuildFolder, **sections: Any) -> str | None:
    """Replace some sections of the stats and keep the others. Needs the build's lock.

    Stats that cannot be read are set aside, not overwritten; a sentence then says so.
    """
    told = None
    try:
        stats = _load(folder)
    except DamagedFile as error:
        aside = set_aside(folder.stats)
        stats = {}
        told = f"The earlier stats could not be read ({error.why}); they are in {aside.name}."
    stats.update(to_dict(sections))
    write_yaml(folder.stats, stats)
    return told


def evaluations_in(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """The evaluations among some stats; what does not read as one is left out."""
    return [e for e in _all_evaluations(stats) if _why_damaged(e) is None]


def _all_evaluations(stats: dict[str, Any]) -> list[Any]:
    found = stats.get("evaluations")
    return found if isinstance(found, list) else []


def _why_damaged(data: Any) -> str | None:
    """Why something is no evaluation; None for one that is."""
    try:
        from_dict(Evaluation, data)
    except DamagedRecord as error:
        return str(error)
    return None


def add_evaluation(folder: BuildFolder, evaluation: Evaluation) -> None:
    """Record an evaluation; an older one of the same kind moves to the history of the build."""
    new = to_dict(evaluation)
    before = _all_evaluations(read_stats(folder))
    add_history(folder, [e for e in before if _is_same_kind(e, new)])
    kept = [e for e in before if not _is_same_kind(e, new)]
    update_stats(folder, evaluations=[*kept, new])


def retire_evaluations(folder: BuildFolder) -> None:
    """Move every evaluation to the history, because what it measured is built anew."""
    add_history(folder, filter(None, _all_evaluations(read_stats(folder))))
    update_stats(folder, evaluations=[])


def _is_same_kind(one: Any, other: dict[str, Any]) -> bool:
    """Whether two evaluations of a build answer the same question.

    One that failed early does not know its precision; it stands for any.
    """
    if not isinstance(one, dict):
        return False
    told = [(one.get(key), other.get(key)) for key in ("device_type", "runtime")]
    told += [(one.get(key) or "", other.get(key) or "") for key in ("python", "host")]
    told.append((one.get("parameters") or {}, other.get("parameters") or {}))
    told.append((_load_of(one), _load_of(other)))
    precisions = [one.get("precision"), other.get("precision")]
    alike = precisions[0] == precisions[1] or not all(precisions)
    return alike and all(mine == theirs for mine, theirs in told)


def _load_of(evaluation: dict[str, Any]) -> str:
    """The load that it was measured under; empty for one run at a time."""
    found = evaluation.get("under_load")
    return str(found.get("pattern") or "") if isinstance(found, dict) else ""
