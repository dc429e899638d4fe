"""The results of the tasks of a run, kept in the cache so that ``--resume`` can continue it."""

from __future__ import annotations

from pathlib import Path

from turnkeyml.cache.files import make_way, read_json, remove_leftovers, write_json
from turnkeyml.cache.runs import journal_file, journal_folder
from turnkeyml.nouns import DamagedRecord, InputResult, Task, from_dict, to_dict

__all__ = ["Journal"]


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

    def begin(self, tasks: list[Task]) -> None:
        """Remove the records of tasks that are about to run, and leftovers of a killed run."""
        folder = journal_folder(self._cache_dir)
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        for task in tasks:
            make_way(self._path(task))
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """Store the result of a finished task, successful or failed."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return journal_file(self._cache_dir, task.input.stem, task.identity)
