"""What was learned and measured about a build, for people and for the report."""

from __future__ import annotations

from typing import Any

from turnkeyml.cache.files import read_yaml, write_yaml
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.records import Evaluation, to_dict

__all__ = ["add_evaluation", "read_stats", "update_stats"]


def read_stats(folder: BuildFolder) -> dict[str, Any]:
    """The stats of a build; empty where there are none that can be read."""
    data = read_yaml(folder.stats)
    return data if isinstance(data, dict) else {}


def update_stats(folder: BuildFolder, **sections: Any) -> None:
    """Replace some sections of the stats and keep the others. Needs the build's lock."""
    stats = read_stats(folder)
    stats.update(to_dict(sections))
    write_yaml(folder.stats, stats)


def add_evaluation(folder: BuildFolder, evaluation: Evaluation) -> None:
    """Record an evaluation in the place of an older one of the same device and runtime."""
    kept = [
        e
        for e in read_stats(folder).get("evaluations", [])
        if (e.get("device_type"), e.get("runtime")) != (evaluation.device_type, evaluation.runtime)
    ]
    update_stats(folder, evaluations=[*kept, to_dict(evaluation)])
