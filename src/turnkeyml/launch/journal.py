"""The results of the tasks of a run, kept in the cache so that ``--resume`` can continue it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from turnkeyml.cache import (
    journal_file,
    journal_folder,
    make_way,
    read_json,
    remove_leftovers,
    write_json,
)
from turnkeyml.nouns import DamagedRecord, InputResult, Task, from_dict, to_dict


@dataclass(frozen=True)
class Earlier:
    """The last result of an input in an earlier run."""

    result: InputResult
    finished_at: str
    same_options: bool
    """Whether the file and the options were the same."""


class Journal:
    """One file per task, written only when the task is finished."""

    def __init__(self, cache_dir: str) -> None:
        self._cache_dir = Path(cache_dir)

    def finished(self, task: Task) -> InputResult | None:
        """The result of a task in an earlier run of the same command; None if it has none.

        A record that cannot be read counts as none, so that the task runs again.
        """
        try:
            return from_dict(InputResult, read_json(self._path(task)))
        except DamagedRecord:
            return None

    def last(self, task: Task) -> Earlier | None:
        """The last result of a task, or of its input with other options; None if there is none."""
        path = self._path(task)
        exact = self.finished(task)
        if exact is not None:
            return Earlier(exact, _moment(path), same_options=True)
        others = sorted(self._of_stem.get(_stem(path), []), key=_changed, reverse=True)
        for other in others:
            try:
                result = from_dict(InputResult, read_json(other))
            except DamagedRecord:
                continue
            alike = result.parameters == task.plan.parameters
            if alike and os.path.basename(result.input.path) == os.path.basename(task.input.path):
                return Earlier(result, _moment(other), same_options=False)
        return None

    @cached_property
    def _of_stem(self) -> dict[str, list[Path]]:
        """All records by the beginning of their names, listed once for very many tasks."""
        found: dict[str, list[Path]] = {}
        folder = journal_folder(self._cache_dir)
        for path in folder.glob("*.json") if folder.is_dir() else ():
            found.setdefault(_stem(path), []).append(path)
        return found

    def begin(self, tasks: list[Task]) -> None:
        """Remove the records of tasks that are about to run, and leftovers of a killed run."""
        folder = journal_folder(self._cache_dir)
        folder.mkdir(parents=True, exist_ok=True)
        for written in (folder, self._cache_dir):
            remove_leftovers(written)
        for task in tasks:
            make_way(self._path(task))
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """Store the result of a finished task, successful or failed."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return journal_file(self._cache_dir, task.input.stem, task.identity)


def _stem(path: Path) -> str:
    """The name of a record without the identity of its task."""
    return path.stem.rpartition("-")[0]


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed meanwhile
        return 0.0


def _moment(path: Path) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(_changed(path)))
