"""What a list shows of every build, kept in one file so that only changed builds are read again.

Reading the stats of 10,000 builds takes many seconds. The file holds one summary per build, and
each is used only as long as the stats and the folder of the build are those that it was made from.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from turnkeyml.cache.files import read_json, write_json
from turnkeyml.cache.layout import BuildFolder, summaries_file
from turnkeyml.cache.stats import WORKING, read_stats
from turnkeyml.nouns import (
    BuildStatus,
    DamagedRecord,
    EvaluationStatus,
    Grade,
    Verdict,
    from_dict,
    is_recorded_only,
    label_of,
    to_dict,
)

FORMAT = 2
"""Summaries that another version wrote in another form are made again."""
Progress = Callable[[int, int], None]
"""Gets the number of builds that were read and that of all which must be."""


@dataclass(frozen=True)
class EvaluationSummary:
    """One evaluation of a build, as one line of a list."""

    device_type: str
    label: str
    """The runtime, its place and the precision."""
    status: EvaluationStatus
    median: float | None = None
    """The median latency in milliseconds; None for a failure."""
    half_width: float | None = None
    """Half the width of its 95% interval, relative to it."""
    grade: Grade | None = None
    verdict: Verdict | None = None
    recorded_only: bool = False
    """Whether no other than the recorded inputs could be compared."""
    point: str = ""
    """The point of a sweep."""
    measured_at: float = 0.0
    """Seconds since 1970; 0 if unknown."""

    @property
    def ok(self) -> bool:
        return self.status is EvaluationStatus.SUCCESSFUL


@dataclass(frozen=True)
class BuildSummary:
    """What a list shows of one build."""

    name: str
    stamp: str
    """Changes when the build does; empty while a process works on it."""
    model: str = ""
    status: BuildStatus | None = None
    verdict: Verdict | None = None
    """Of the build; each evaluation has its own."""
    recorded_only: bool = False
    readable: bool = True
    changed_at: float = 0.0
    """When its stats were written, in seconds since 1970."""
    size: int = 0
    """The bytes of all its files."""
    evaluations: tuple[EvaluationSummary, ...] = ()

    @property
    def used_at(self) -> float:
        """When it was last measured, or else when it was built, in seconds since 1970."""
        return max((e.measured_at for e in self.evaluations), default=0.0) or self.changed_at

    @property
    def failed(self) -> bool:
        """Whether it was not built, or measured without any success."""
        if self.evaluations:
            return not any(e.ok for e in self.evaluations)
        return self.status is not None and self.status.failed


def summaries(
    folders: Sequence[BuildFolder], cache_dir: Path, progress: Progress | None = None
) -> list[BuildSummary]:
    """The summaries of builds in one cache, in the same order."""
    known = _load(cache_dir)
    found = {folder.name: known.get(folder.name) for folder in folders}
    stamps = {folder.name: _stamp(folder) for folder in folders}
    stale = [f for f in folders if getattr(found[f.name], "stamp", None) != stamps[f.name]]
    try:
        for number, folder in enumerate(stale):
            if progress is not None:
                progress(number, len(stale))
            found[folder.name] = known[folder.name] = read_summary(folder)
    finally:
        if stale:  # also if somebody did not want to wait
            _save(cache_dir, known)
    return [summary for summary in found.values() if summary is not None]


def read_summary(folder: BuildFolder) -> BuildSummary:
    """The summary of a build, from its files."""
    stamp = _stamp(folder)  # before the stats are read: a change in between makes it stale
    stats = read_stats(folder)
    try:
        told = from_dict(_Stats, {**stats, "evaluations": None})
    except DamagedRecord:
        told, stats = _Stats(), {}
    section = told.build or _Build()
    if WORKING in stats or section.status is BuildStatus.RUNNING:
        stamp = ""  # no file changes if its process is killed
    return BuildSummary(
        name=folder.name,
        stamp=stamp,
        model=told.model_class or told.model_name,
        status=section.status,
        verdict=section.verification.verdict if section.verification else None,
        recorded_only=bool(section.verification and section.verification.recorded_only),
        readable=bool(stats),
        changed_at=_changed_at(folder),
        size=disk_bytes([folder]),
        evaluations=tuple(_evaluations(stats)),
    )


def disk_bytes(folders: Sequence[BuildFolder]) -> int:
    """The bytes of the files of builds; a file that several builds share counts once."""
    seen: set[tuple[int, int]] = set()
    return sum(_folder_bytes(str(folder.path), seen) for folder in folders)


@dataclass(frozen=True)
class _Judged:
    verdict: Verdict | None = None
    cause: str | None = None

    @property
    def recorded_only(self) -> bool:
        return self.verdict is not None and is_recorded_only(self.verdict, self.cause)


@dataclass(frozen=True)
class _Build:
    status: BuildStatus | None = None
    verification: _Judged | None = None


@dataclass(frozen=True)
class _Stats:
    model_name: str = ""
    model_class: str = ""
    build: _Build | None = None


@dataclass(frozen=True)
class _Performance:
    median_latency: float
    median_low: float | None = None
    median_high: float | None = None

    def half_width(self) -> float | None:
        if self.median_low is None or self.median_high is None or not self.median_latency:
            return None
        return (self.median_high - self.median_low) / 2 / self.median_latency


@dataclass(frozen=True)
class _Evaluation:
    device_type: str
    runtime: str
    python: str = ""
    host: str = ""
    precision: str = ""
    status: EvaluationStatus = EvaluationStatus.SUCCESSFUL
    measured_at: str = ""
    verification: _Judged | None = None
    grade: Grade | None = None
    performance: _Performance | None = None
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _File:
    format: int = 0
    builds: tuple[BuildSummary, ...] = ()


def _evaluations(stats: dict[str, Any]) -> list[EvaluationSummary]:
    """The evaluations that can be read; the checks of the cache name the others."""
    found = []
    listed = stats.get("evaluations")
    for data in listed if isinstance(listed, list) else []:
        with contextlib.suppress(DamagedRecord):
            found.append(_evaluation(from_dict(_Evaluation, data)))
    return found


def _evaluation(told: _Evaluation) -> EvaluationSummary:
    performance = told.performance
    return EvaluationSummary(
        device_type=told.device_type,
        label=label_of(told.runtime, told.python, told.precision, told.host),
        status=told.status,
        median=performance.median_latency if performance else None,
        half_width=performance.half_width() if performance else None,
        grade=told.grade,
        verdict=told.verification.verdict if told.verification else None,
        recorded_only=bool(told.verification and told.verification.recorded_only),
        point=" ".join(f"{name}={value}" for name, value in told.parameters.items()),
        measured_at=_seconds(told.measured_at),
    )


def _seconds(text: str) -> float:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _stamp(folder: BuildFolder) -> str:
    """A text that changes when the stats are written or files are added to or removed from it."""
    words = []
    for path in (folder.stats, folder.path):
        try:
            found = os.stat(path)
        except OSError:
            words.append("-")
        else:
            words.append(f"{found.st_mtime_ns}.{found.st_size}")
    return " ".join(words)


def _changed_at(folder: BuildFolder) -> float:
    for path in (folder.stats, folder.path):
        with contextlib.suppress(OSError):
            return os.stat(path).st_mtime
    return 0.0


def _folder_bytes(path: str, seen: set[tuple[int, int]]) -> int:
    """The bytes of the files below a folder, without following links."""
    total = 0
    try:
        entries = list(os.scandir(path))
    except OSError:  # deleted meanwhile
        return 0
    for entry in entries:
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                total += _folder_bytes(entry.path, seen)
                continue
            found = entry.stat(follow_symlinks=False)
            key = (found.st_dev, found.st_ino)
            if key not in seen:
                seen.add(key)
                total += found.st_size
    return total


def _load(cache_dir: Path) -> dict[str, BuildSummary]:
    """The summaries that were kept; none if they cannot be read."""
    try:
        kept = from_dict(_File, read_json(summaries_file(cache_dir)))
    except DamagedRecord:
        return {}
    return {s.name: s for s in kept.builds} if kept.format == FORMAT else {}


def _save(cache_dir: Path, known: dict[str, BuildSummary]) -> None:
    """Keep summaries, without those of builds that are gone."""
    there = [s for name, s in known.items() if (cache_dir / name).is_dir()]
    with contextlib.suppress(OSError):  # a cache that cannot be written to can still be listed
        write_json(summaries_file(cache_dir), to_dict(_File(FORMAT, tuple(there))))
