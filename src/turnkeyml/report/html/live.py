"""The report of caches that change: only builds that have changed are read again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnkeyml.cache import BuildFolder, build_folders, journal_folder, thread_lock
from turnkeyml.escaping import PAGE_KEEPS, spelled
from turnkeyml.report.builds import read_build
from turnkeyml.report.columns import ordered_columns
from turnkeyml.report.contract import Cell, Report
from turnkeyml.report.details import brief_of, detail_of
from turnkeyml.report.html.data import BuildFacts, page_data
from turnkeyml.report.inputs import read_inputs
from turnkeyml.report.table import rows_of

Mark = tuple[int, ...]
"""What changes when a file is replaced: its inode, time and size."""


@dataclass(frozen=True)
class _Known:
    """A build as it was when it was last read."""

    marks: tuple[Mark, ...]
    folder: BuildFolder
    rows: list[dict[str, Cell]]
    brief: dict[str, Any]


class LiveReport:
    """The present report of caches. Several threads may ask for it."""

    def __init__(self, caches: Sequence[Path], every: bool = False) -> None:
        self._caches = list(caches)
        self._every = every
        self._known: dict[tuple[str, str], _Known] = {}
        self._version = ""
        self._data: dict[str, Any] = {}
        self._lock = thread_lock()

    def current(self) -> tuple[str, dict[str, Any]]:
        """A version, which changes when the report does, and the data of the page."""
        with self._lock:
            inputs = [_mark(journal_folder(cache)) for cache in self._caches]
            self._known = dict(self._builds())
            marks = [(key, known.marks) for key, known in self._known.items()]
            version = hashlib.sha256(repr((marks, inputs)).encode()).hexdigest()[:32]
            if version != self._version:
                self._version, self._data = version, self._page()
            return self._version, self._data

    def detail(self, cache: str, name: str) -> dict[str, Any] | None:
        """The details of a build of the report; None if it has no such build.

        The words of a request only choose among the builds that were found: they are no paths.
        """
        with self._lock:
            known = self._known.get((cache, name))
        return None if known is None else detail_of(read_build(known.folder, with_history=True))

    def _builds(self) -> Iterator[tuple[tuple[str, str], _Known]]:
        for cache in self._caches:
            for folder in build_folders(cache):
                key = (spelled(str(cache), PAGE_KEEPS), folder.name)  # as the page has it
                marks = (_mark(folder.stats), _mark(folder.history))
                known = self._known.get(key)
                same = known is not None and known.marks == marks
                yield key, known if known is not None and same else self._read(folder, marks)

    def _read(self, folder: BuildFolder, marks: tuple[Mark, ...]) -> _Known:
        build = read_build(folder, with_history=self._every)
        return _Known(marks, folder, list(rows_of(build, self._every)), brief_of(build))

    def _page(self) -> dict[str, Any]:
        builds = BuildFacts()
        for known in self._known.values():
            builds.add(known.brief)
        records = [row for known in self._known.values() for row in known.rows]
        columns = {name for record in records for name in record}
        inputs = [found for cache in self._caches for found in read_inputs(cache)]
        report = Report(
            columns=ordered_columns(columns),
            records=records,
            heading=tuple(("Cache", str(cache)) for cache in self._caches),
            facts={"inputs": inputs, "every": self._every},
        )
        return page_data(report, builds)


def _mark(path: Path) -> Mark:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size
