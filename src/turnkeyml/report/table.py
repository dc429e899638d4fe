"""The report of caches: one row per evaluation, one column per stat."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from turnkeyml.cache.files import replacing
from turnkeyml.cache.layout import build_folders
from turnkeyml.report import formats as known_formats
from turnkeyml.report.builds import NOT_MEASURED, UNREADABLE, StoredBuild, read_build
from turnkeyml.report.cache_sections import Contents, sections_of
from turnkeyml.report.cells import ordered_columns
from turnkeyml.report.contract import Cell, Report
from turnkeyml.report.spool import Spool

__all__ = ["rows", "write_report"]


def rows(cache_dir: Path) -> Iterator[dict[str, Cell]]:
    """One row per evaluation in a cache, and one per build that has none or is damaged."""
    for folder in build_folders(cache_dir):
        yield from _rows_of(read_build(folder))


def write_report(
    caches: list[Path], report_dir: Path, formats: Sequence[str] = ("csv",)
) -> list[Path]:
    """Write the report of caches as ``YYYY-MM-DD.suffix`` in each format; the paths."""
    wanted = [known_formats.find(name) for name in dict.fromkeys(formats)]
    day = time.strftime("%Y-%m-%d")
    paths = []
    with tempfile.TemporaryFile("w+b") as temporary:
        report = _report(caches, Spool(temporary))
        for form in wanted:
            path = report_dir / f"{day}{form.suffix}"
            with replacing(path) as unfinished, unfinished.open("wb") as file:
                form.write(report, file)
            paths.append(path)
    return paths


def _rows_of(build: StoredBuild) -> Iterator[dict[str, Cell]]:
    for stored in build.evaluations:
        yield {**build.cells, **stored.cells, **_where(build)}
    if build.damage:
        reason = "; ".join(f"{what}: {why}" for what, why in build.damage.items())
        yield {**_where(build), "status": UNREADABLE, "reason": reason}
    elif not build.evaluations:
        verdict = build.verification.verdict.value if build.verification else None
        status = build.status.value if build.status else NOT_MEASURED
        yield {**build.cells, "status": status, "verdict": verdict}


def _where(build: StoredBuild) -> dict[str, Cell]:
    """The cells that locate a build; an evaluation may have been copied from another build."""
    return {name: build.cells[name] for name in ("build_name", "cache_dir")}


def _report(caches: list[Path], spool: Spool) -> Report:
    """The report of caches, which are read only once, into the spool."""
    contents = Contents()
    columns: set[str] = set()
    for cache in caches:
        for row in rows(cache):
            spool.add(row)
            columns.update(row)
            contents.add(row)
    return Report(
        columns=ordered_columns(columns),
        records=spool,
        heading=tuple(("Cache", str(cache)) for cache in caches),
        sections=sections_of(spool, contents),
    )
