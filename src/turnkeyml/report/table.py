"""One row an evaluation, every stat a column."""

from __future__ import annotations

import csv
import json
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from turnkeyml.cache.files import replacing
from turnkeyml.cache.layout import BuildFolder, build_folders
from turnkeyml.cache.stats import evaluations_in, read_stats

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


def write_csv(caches: list[Path], report_dir: Path) -> Path:
    """Write the table of some caches as ``YYYY-MM-DD.csv``.

    The columns are known only when all rows are, so these wait in a file: a cache may be large.
    """
    path = report_dir / f"{time.strftime('%Y-%m-%d')}.csv"
    with tempfile.TemporaryFile("w+", encoding="utf-8") as waiting:
        columns: set[str] = set()
        for cache in caches:
            for row in rows(cache):
                columns.update(row)
                waiting.write(json.dumps(row, default=str) + "\n")
        waiting.seek(0)
        with replacing(path) as temporary:
            _write(temporary, [*FIRST_COLUMNS, *sorted(columns - set(FIRST_COLUMNS))], waiting)
    return path


def _write(path: Path, columns: list[str], lines: Iterable[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for line in lines:
            row = json.loads(line)
            writer.writerow([row.get(column, "") for column in columns])


def _rows_of(folder: BuildFolder) -> Iterator[dict[str, Any]]:
    stats = read_stats(folder)
    where = {"build_name": folder.name, "cache_dir": str(folder.cache_dir)}
    if not stats:
        yield {**where, "status": "unreadable"}
        return
    evaluations = evaluations_in(stats)
    build = _section(stats, "build")
    others = {k: v for k, v in stats.items() if k not in ("build", "evaluations")}
    common = {**_flat(others), **_flat(build, "build_"), **where}
    for evaluation in evaluations:
        performance = _section(evaluation, "performance")
        verification = dict(_section(evaluation, "verification"))
        verdict = verification.pop("verdict", "")
        plain = {k: v for k, v in evaluation.items() if k not in ("performance", "verification")}
        yield {
            **common,
            **_flat(performance),
            **_flat(verification, "verification_"),
            **_flat(plain),
            **where,
            "verdict": verdict,
        }
    if not evaluations:
        verdict = _section(build, "verification").get("verdict", "")
        yield {**common, "status": build.get("status", "not measured"), "verdict": verdict}


def _section(data: dict[str, Any], name: str) -> dict[str, Any]:
    """A part of the stats; empty where it is missing or something else."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested data as columns, joined by underscores; lists of stages by the stage's name."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if key == "labels" and isinstance(value, dict):
            words = (f"{k}::{','.join(map(str, v))}" for k, v in value.items())
            flat[f"{prefix}{key}"] = " ".join(words)
        elif key == "flags" and isinstance(value, list):
            flat[f"{prefix}{key}"] = " ".join(str(flag.get("kind")) for flag in value)
        elif isinstance(value, dict) and key not in ("input_shapes", "input_dtypes"):
            flat.update(_flat(value, f"{prefix}{key}_"))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                rest = {k: v for k, v in item.items() if k != "name"}
                flat.update(_flat(rest, f"{prefix}{item.get('name', key)}_"))
        else:
            flat[f"{prefix}{key}"] = value
    return flat
