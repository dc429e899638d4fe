"""The builds in a cache and the models that come with turnkey, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from turnkeyml.cache import to_yaml
from turnkeyml.report import text_table

SHOWN_LABELS = ("task", "author", "license", "params", "test_group")


def names_lines(cache_dir: Path, names: Iterable[str]) -> list[str]:
    """A header and the names of the builds in a cache."""
    return [f"Info: Builds available in cache {cache_dir}:", *names]


def stats_lines(
    cache_dir: Path, name: str, state: Mapping[str, Any] | None, stats: Mapping[str, Any]
) -> list[str]:
    """The state and the stats of a build."""
    return [
        f"Info: The state of build {name} in cache {cache_dir} is:",
        *(["There is no state that can be read."] if state is None else to_yaml(state).split("\n")),
        f"Info: The stats of build {name} are:",
        *to_yaml(stats).split("\n"),
    ]


def model_lines(models: Mapping[str, Mapping[str, Iterable[str]]]) -> list[str]:
    """A table of models with their labels, and their number."""
    rows = [
        [name, *(",".join(labels.get(key, ())) for key in SHOWN_LABELS)]
        for name, labels in models.items()
    ]
    count = f"{len(rows)} {'model' if len(rows) == 1 else 'models'}"
    return [*text_table(("model", *SHOWN_LABELS), rows), "", count]
