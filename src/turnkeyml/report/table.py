"""One row an evaluation, every stat a column."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from turnkeyml.cache.files import replacing
from turnkeyml.cache.layout import BuildFolder, build_folders
from turnkeyml.cache.stats import read_stats

__all__ = ["rows", "write_csv"]

FIRST_COLUMNS = [
    "build_name",
    "model_name",
    "model_class",
    "model_hash",
    "hash",
    "device",
    "runtime",
    "runtime_version",
    "status",
    "mean_latency",
    "median_latency",
    "throughput",
    "verdict",
]


def rows(cache_dir: Path) -> Iterator[dict[str, Any]]:
    """Every evaluation in a cache; a build without one has a row of its own."""
    for folder in build_folders(cache_dir):
        yield from _rows_of(folder)


def write_csv(cache_dir: Path, report_dir: Path) -> Path:
    """Write the table of a cache as ``YYYY-MM-DD.csv``."""
    table = list(rows(cache_dir))
    others = sorted({column for row in table for column in row} - set(FIRST_COLUMNS))
    path = report_dir / f"{time.strftime('%Y-%m-%d')}.csv"
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*FIRST_COLUMNS, *others], restval="")
        writer.writeheader()
        writer.writerows(table)
    return path


def _rows_of(folder: BuildFolder) -> Iterator[dict[str, Any]]:
    stats = read_stats(folder)
    if not stats:
        yield {"build_name": folder.name, "status": "unreadable"}
        return
    build = dict(stats.pop("build", None) or {})
    evaluations = stats.pop("evaluations", None) or []
    common = {**_flat(stats), **_flat(build, "build_"), "build_name": folder.name}
    for evaluation in evaluations:
        performance = dict(evaluation.pop("performance", None) or {})
        verification = performance.pop("verification", None) or {}
        yield {
            **common,
            **_flat(performance),
            **_flat(verification, "verification_"),
            **_flat(evaluation),
            "build_name": folder.name,
            "verdict": verification.get("verdict", ""),
        }
    if not evaluations:
        verdict = (build.get("verification") or {}).get("verdict", "")
        yield {**common, "status": build.get("status", "not measured"), "verdict": verdict}


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested data as columns, joined by underscores; lists of stages by the stage's name."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and key not in ("input_shapes", "input_dtypes"):
            flat.update(_flat(value, f"{prefix}{key}_"))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                rest = {k: v for k, v in item.items() if k != "name"}
                flat.update(_flat(rest, f"{prefix}{item.get('name', key)}_"))
        else:
            flat[f"{prefix}{key}"] = value
    return flat
