"""The report of caches: one row per evaluation, one column per stat, and sections for people.

The columns are known only after the last row, so the rows wait in a temporary file.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from turnkeyml.cache import build_folders, journal_folder, read_json, replacing
from turnkeyml.errors import UsageError, named
from turnkeyml.nouns import BuildStatus, EvaluationStatus, Verdict, in_words
from turnkeyml.report import formats as known_formats
from turnkeyml.report.builds import (
    NOT_MEASURED,
    UNREADABLE,
    Count,
    StoredBuild,
    counted,
    read_build,
    verification_cells,
)
from turnkeyml.report.columns import ordered_columns
from turnkeyml.report.compared_rows import (
    FAILED_BUILDS,
    item_in_words,
    item_of,
    kind_of,
    reason_in_words,
    text_of,
)
from turnkeyml.report.contract import (
    Cell,
    Format,
    Record,
    Repeatable,
    Report,
    Section,
    Table,
    significant,
)
from turnkeyml.report.details import detail_of

_FAILED = (EvaluationStatus.FAILED, *FAILED_BUILDS)
_UNMEASURED = (NOT_MEASURED, BuildStatus.SUCCESSFUL, BuildStatus.RUNNING)
_HEADER = (
    "build",
    "device",
    "runtime",
    "parameters",
    "median (ms)",
    "mean (ms)",
    "throughput (IPS)",
    "verdict",
    "grade",
    "cautions",
)


@dataclass(frozen=True)
class SavedReport:
    """A report file that was written."""

    path: Path
    replaced: datetime | None = None
    """When the file was written that it replaced; None if there was none."""


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


class Spool:
    """Any number of records, in a file to save memory.

    The columns of a report are known only after its last record, and a cache may have ten thousand.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0

    def add(self, record: Record) -> None:
        """Append a record."""
        self._file.seek(self._end)
        self._file.write(json.dumps(dict(record)).encode() + b"\n")
        self._end = self._file.tell()

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """Every record, in order. Several loops may run at the same time."""
        position = 0
        while position < self._end:
            self._file.seek(position)
            line = self._file.readline()
            position += len(line)
            yield json.loads(line)


@dataclass
class Contents:
    """Which columns, statuses and devices occur in the records that were added."""

    columns: set[str] = field(default_factory=set)
    """The columns that are not empty in every record."""
    statuses: Counter[str] = field(default_factory=Counter)
    device_types: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        self.columns.update(name for name, cell in record.items() if cell not in (None, ""))
        self.statuses[text_of(record, "status")] += 1
        self.device_types.add(text_of(record, "device_type"))


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


def sections_of(records: Iterable[Record], contents: Contents) -> tuple[Section, ...]:
    """The sections of a report, without empty ones."""
    sections = []
    if contents.statuses[EvaluationStatus.SUCCESSFUL]:
        sections.append(Section(table=_table(records, contents)))
    for title, statuses, sentence in _TOLD:
        if any(contents.statuses[status] for status in statuses):
            sentences = _sentences(records, statuses, sentence)
            sections.append(Section(title, sentences=sentences))
    return (*sections, Section(sentences=(_summary(contents),)))


def _table(records: Iterable[Record], contents: Contents) -> Table:
    """The table of the measurements, without columns that carry no information."""
    needed = {
        "device": len(contents.device_types - {""}) > 1,
        "parameters": any(
            name.startswith("parameters_") or name == "under_load_pattern"
            for name in contents.columns
        ),
        "grade": "grade" in contents.columns,
        "cautions": "flags" in contents.columns,
    }
    shown = [i for i, title in enumerate(_HEADER) if needed.get(title, True)]

    def rows() -> Iterator[list[str]]:
        for record in records:
            if text_of(record, "status") == EvaluationStatus.SUCCESSFUL:
                cells = _cells(record)
                yield [cells[i] for i in shown]

    return Table(tuple(_HEADER[i] for i in shown), Repeatable(rows))


def _cells(record: Record) -> list[str]:
    item = item_of(record)
    return [
        item.build_name,
        item.device_type,
        item.label,
        item.point,
        _figure(record, "median_latency"),
        _figure(record, "mean_latency"),
        _figure(record, "throughput"),
        _verdict(record),
        text_of(record, "grade"),
        text_of(record, "flags"),
    ]


def _verdict(record: Record) -> str:
    """The verdict, with the mark that its cause gives it; other words as they are."""
    known = next((v for v in Verdict if v == text_of(record, "verdict")), None)
    told = in_words(known, text_of(record, "verification_cause")) if known else None
    return told or text_of(record, "verdict")


def _figure(record: Record, name: str) -> str:
    cell = record.get(name)
    return significant(cell) if isinstance(cell, (int, float)) else ""


def _sentences(
    records: Iterable[Record], statuses: Sequence[str], sentence: Callable[[Record], str]
) -> Repeatable[str]:
    return Repeatable(lambda: (sentence(r) for r in records if text_of(r, "status") in statuses))


def _failure(record: Record) -> str:
    return f"{item_in_words(item_of(record))}: {reason_in_words(record.get('reason'))}"


def _unmeasured(record: Record) -> str:
    return f"{text_of(record, 'build_name')}: {text_of(record, 'status')}"


def _damage(record: Record) -> str:
    return f"{text_of(record, 'build_name')}: {text_of(record, 'reason')}"


def _summary(contents: Contents) -> str:
    counts = [f"{number} {status}" for status, number in contents.statuses.items()]
    return f"Status: {', '.join(counts)}." if counts else "The cache contains no builds."


_TOLD = (
    ("Failed", _FAILED, _failure),
    ("Not measured", _UNMEASURED, _unmeasured),
    ("Unreadable", (UNREADABLE,), _damage),
)


def read_inputs(cache_dir: Path) -> list[dict[str, Any]]:
    """The inputs of the runs in a cache, as plain data; without those that cannot be read."""
    folder = journal_folder(cache_dir)
    return [found for path in sorted(folder.glob("*.json")) for found in _read_input(path)]


def _read_input(path: Path) -> Iterator[dict[str, Any]]:
    data = read_json(path)
    if not isinstance(data, dict):
        return
    file, script = _part(data, "input").get("path"), _part(data, "script")
    seconds = _part(data, "seconds")
    if not isinstance(file, str):
        return
    failure = data.get("failure") or script.get("error")
    if not failure and script.get("exit_code"):
        failure = f"The script exited with code {script['exit_code']}."
    yield {
        "file": file,
        "script_seconds": seconds["script"] if _is_number(seconds.get("script")) else None,
        "failure": reason_in_words(failure) if failure else None,
        "kind": kind_of(reason_in_words(failure)) if failure else None,
    }


def _part(data: dict[str, Any], name: str) -> dict[str, Any]:
    part = data.get(name)
    return part if isinstance(part, dict) else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
