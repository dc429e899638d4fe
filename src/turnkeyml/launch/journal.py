"""The results of the tasks of a run, kept in the cache so that ``--resume`` can continue it."""

from __future__ import annotations

import json
from pathlib import Path

from turnkeyml.cache.files import remove_leftovers, write_json
from turnkeyml.cache.layout import journal_file, journal_folder
from turnkeyml.nouns import InputResult, Task, from_dict, to_dict

__all__ = ["Journal"]

_DAMAGE = (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""What reading raises if a file is missing, damaged or of another version."""


class Journal:
    """One file per task, written only when the task is finished."""

    def __init__(self, cache_dir: str) -> None:
        self._cache_dir = Path(cache_dir)

    def finished(self, task: Task) -> InputResult | None:
        """The result of a task in an earlier run of the same command; None if it has none.

        A record that cannot be read counts as none, so that the task runs again.
        """
        try:
            data = json.loads(self._path(task).read_text(encoding="utf-8"))
            return from_dict(InputResult, data)
        except _DAMAGE:
            return None

    def begin(self, tasks: list[Task]) -> None:
        """Remove the records of tasks that are about to run, and leftovers of a killed run."""
        folder = journal_folder(self._cache_dir)
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        for task in tasks:
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """Store the result of a finished task, successful or failed."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return journal_file(self._cache_dir, task.input.stem, task.identity)
