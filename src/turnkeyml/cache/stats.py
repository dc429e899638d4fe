"""What was learned and measured about a build, for people and for the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from turnkeyml.cache.files import read_yaml, write_yaml
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import Evaluation, to_dict

__all__ = ["add_evaluation", "evaluations_in", "load_labels", "read_stats", "update_stats"]


def read_stats(folder: BuildFolder) -> dict[str, Any]:
    """The stats of a build; empty where there are none that can be read."""
    data = read_yaml(folder.stats)
    return data if isinstance(data, dict) else {}


def load_labels(cache_dir: str | Path, build_name: str) -> dict[str, list[str]]:
    """The labels of the script that a build came from; empty where it had none."""
    folder = BuildFolder(Path(cache_dir).expanduser(), build_name)
    if not folder.stats.exists():
        raise TurnkeyError(f"There is no build {build_name!r} in the cache {folder.cache_dir}.")
    return dict(read_stats(folder).get("labels") or {})


def update_stats(folder: BuildFolder, **sections: Any) -> None:
    """Replace some sections of the stats and keep the others. Needs the build's lock."""
    stats = read_stats(folder)
    stats.update(to_dict(sections))
    write_yaml(folder.stats, stats)


def evaluations_in(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """The evaluations among some stats; what does not look like one is left out."""
    found = stats.get("evaluations")
    return [e for e in found if isinstance(e, dict)] if isinstance(found, list) else []


def add_evaluation(folder: BuildFolder, evaluation: Evaluation) -> None:
    """Record an evaluation in the place of an older one of the same kind."""
    new = to_dict(evaluation)
    kept = [e for e in evaluations_in(read_stats(folder)) if not _is_same_kind(e, new)]
    update_stats(folder, evaluations=[*kept, new])


def _is_same_kind(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two evaluations of a build answer the same question.

    One that failed early does not know its precision; it stands for any.
    """
    told = [(one.get(key), other.get(key)) for key in ("device_type", "runtime")]
    told.append((one.get("parameters") or {}, other.get("parameters") or {}))
    precisions = {one.get("precision"), other.get("precision")}
    alike = len(precisions) == 1 or not all(precisions)
    return alike and all(mine == theirs for mine, theirs in told)
