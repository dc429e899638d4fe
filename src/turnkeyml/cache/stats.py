"""What was learned and measured about a build, for people and for the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import turnkeyml
from turnkeyml.cache.damaged import DamagedFile, printable
from turnkeyml.cache.files import load_yaml, set_aside, write_yaml
from turnkeyml.cache.history import add_history, take_from_history
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import (
    ContestantKey,
    DamagedRecord,
    Evaluation,
    InvocationRecord,
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
    "reinstate_evaluations",
    "retire_evaluations",
    "stats_damages",
    "update_invocation",
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


def update_invocation(
    folder: BuildFolder, record: InvocationRecord, labels: dict[str, tuple[str, ...]]
) -> str | None:
    """Record what a build is of, like ``update_stats``."""
    decoder: dict[str, Any] = {}
    if record.phase is not None:
        decoder = {"phase": record.phase, "tokens": record.tokens, "steps": record.steps}
    return update_stats(
        folder,
        turnkey_version=turnkeyml.__version__,
        build_name=record.build_name,
        model_name=record.name,
        model_class=record.class_name,
        model_type=record.model_type,
        model_hash=record.model_hash,
        hash=record.hash,
        file=record.file,
        labels=labels,
        parameters=record.parameters,
        parameter_bytes=record.parameter_bytes,
        input_shapes=record.shapes,
        input_dtypes=record.dtypes,
        **decoder,
    )


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


def retire_evaluations(folder: BuildFolder, *, keep_live: bool = False) -> list[dict[str, Any]]:
    """Move evaluations to the history, because what they measured is built anew; return them.

    ``keep_live``: those of live models stay, as the model is the same.
    """
    every = [e for e in _all_evaluations(read_stats(folder)) if e]
    kept = [e for e in every if keep_live and isinstance(e, dict) and e.get("artifact") is None]
    retired = [e for e in every if e not in kept]
    add_history(folder, retired)
    update_stats(folder, evaluations=kept)
    return retired


def reinstate_evaluations(
    folder: BuildFolder, retired: list[dict[str, Any]], checksums: Iterable[str]
) -> None:
    """Make evaluations current again if the new build has the file that they measured."""
    known = set(checksums)
    same = [e for e in retired if isinstance(e, dict) and e.get("artifact_sha256") in known]
    if same:
        take_from_history(folder, same)
        update_stats(folder, evaluations=[*_all_evaluations(read_stats(folder)), *same])


def _is_same_kind(one: Any, other: dict[str, Any]) -> bool:
    """Whether two evaluations of a build answer the same question."""
    return isinstance(one, dict) and ContestantKey.of(one).stands_for(ContestantKey.of(other))
