"""The report of caches: one row per evaluation, one column per stat."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from turnkeyml.cache import build_folders, replacing
from turnkeyml.errors import UsageError, named
from turnkeyml.report import formats as known_formats
from turnkeyml.report.builds import (
    NOT_MEASURED,
    UNREADABLE,
    Count,
    StoredBuild,
    counted,
    read_build,
)
from turnkeyml.report.cache_sections import Contents, sections_of
from turnkeyml.report.cells import verification_cells
from turnkeyml.report.columns import ordered_columns
from turnkeyml.report.contract import Cell, Format, Report
from turnkeyml.report.details import detail_of
from turnkeyml.report.inputs import read_inputs
from turnkeyml.report.spool import Spool


@dataclass(frozen=True)
class SavedReport:
    """A report file that was written."""

    path: Path
    replaced: datetime | None = None
    """When the file was written that it replaced; None if there was none."""


@dataclass
class _Reading:
    """Builds on their way into a report."""

    records: Spool
    details: Spool | None
    columns: set[str] = field(default_factory=set)
    contents: Contents = field(default_factory=Contents)
    inputs: list[dict[str, Any]] = field(default_factory=list)

    def add(self, build: StoredBuild, every: bool) -> None:
        for row in rows_of(build, every):
            self.records.add(row)
            self.columns.update(row)
            self.contents.add(row)
        if self.details is not None:
            self.details.add(detail_of(build))

    def report(self, caches: Sequence[Path], every: bool) -> Report:
        return Report(
            columns=ordered_columns(self.columns),
            records=self.records,
            heading=tuple(("Cache", str(cache)) for cache in caches),
            sections=sections_of(self.records, self.contents),
            details=self.details or (),
            facts={"inputs": self.inputs, "every": every},
        )


def rows(cache_dir: Path, every: bool = False) -> Iterator[dict[str, Cell]]:
    """One row per evaluation in a cache, and one per build that has none or is damaged.

    With ``every``, also those that later evaluations replaced.
    """
    for folder in build_folders(cache_dir):
        yield from rows_of(read_build(folder, with_history=every), every)


def rows_of(build: StoredBuild, every: bool = False) -> Iterator[dict[str, Cell]]:
    """The rows of one build, the oldest evaluation first."""
    for stored in (*(build.history if every else ()), *build.evaluations):
        yield {**build.cells, **stored.cells, **_where(build)}
    if build.damage:
        reason = "; ".join(f"{what}: {why}" for what, why in build.damage.items())
        yield {**_where(build), "status": UNREADABLE, "reason": reason}
    elif not build.evaluations:
        status = build.status.value if build.status else NOT_MEASURED
        known = verification_cells(build.verification) if build.verification else {}
        yield {**build.cells, **known, "status": status, "reason": build.failure}


def write_report(
    caches: list[Path], report_dir: Path, formats: Sequence[str] = ("csv",)
) -> list[Path]:
    """Write the report of caches as ``YYYY-MM-DD.suffix`` in each format; the paths."""
    return [saved.path for saved in save_reports(caches, report_dir, formats)]


def save_reports(
    caches: Sequence[Path],
    report_dir: Path,
    formats: Sequence[str] = (),
    files: Sequence[Path] = (),
    every: bool = False,
    *,
    progress: Count | None = None,
) -> list[SavedReport]:
    """Write the report of caches in each format, to these files or named after the date.

    A file that already exists is replaced in one step, and the result says so. ``progress`` is
    told how many builds of a cache were read, and of how many.
    """
    targets = _targets(report_dir, formats, files)
    for form, _ in targets:
        form.check_installed()
    with _naming_temporary_files(), ExitStack() as stack:
        spools = [Spool(stack.enter_context(tempfile.TemporaryFile("w+b"))) for _ in range(2)]
        wants_details = any(form.wants_details for form, _ in targets)
        reading = _Reading(spools[0], spools[1] if wants_details else None)
        report = report_of_builds(caches, reading, every, progress)
        return [_save(form, path, report) for form, path in targets]


@contextmanager
def _naming_temporary_files() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        named(error, tempfile.gettempdir())
        raise


def report_of_builds(
    caches: Sequence[Path], reading: _Reading, every: bool = False, progress: Count | None = None
) -> Report:
    """The report of caches, which are read only once."""
    with_history = every or reading.details is not None
    for cache in caches:
        for folder in counted(build_folders(cache), progress):
            reading.add(read_build(folder, with_history), every)
        if reading.details is not None:
            reading.inputs += read_inputs(cache)
    return reading.report(caches, every)


def _targets(
    report_dir: Path, formats: Sequence[str], files: Sequence[Path]
) -> list[tuple[Format, Path]]:
    """The formats with the files to write; the suffix of a file names its format."""
    chosen = [known_formats.find_format(name) for name in dict.fromkeys(formats)]
    if not files:
        day = time.strftime("%Y-%m-%d")
        default = chosen or [known_formats.find_format("csv")]
        return [(form, report_dir / f"{day}{form.suffix}") for form in default]
    if not chosen:
        chosen = [known_formats.by_suffix(path) for path in files]
    if len(chosen) != len(files):
        raise UsageError(
            f"There are {len(chosen)} formats and {len(files)} output files; "
            "name one file per format, or leave out --format: the suffix of a file tells it."
        )
    return list(zip(chosen, files, strict=True))


def _save(form: Format, path: Path, report: Report) -> SavedReport:
    before = datetime.fromtimestamp(path.stat().st_mtime) if path.exists() else None
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        form.write(report, file)
    return SavedReport(path, before)


def _where(build: StoredBuild) -> dict[str, Cell]:
    """The cells that locate a build; an evaluation may have been copied from another build."""
    return {name: build.cells[name] for name in ("build_name", "cache_dir")}
