"""What became of each task of a run, kept in the cache, so that a run can go on where it ended."""

from __future__ import annotations

from pathlib import Path

from turnkeyml.cache.files import make_way, read_json, remove_leftovers, write_json
from turnkeyml.cache.layout import journal_file, journal_folder
from turnkeyml.nouns import DamagedRecord, InputResult, Task, from_dict, to_dict

__all__ = ["Journal"]


class Journal:
    """One file per task, written when the task is finished and not before."""

    def __init__(self, cache_dir: str) -> None:
        self._cache_dir = Path(cache_dir)

    def finished(self, task: Task) -> InputResult | None:
        """What became of a task in an earlier run of the same command, if it was finished.

        A record that cannot be read counts as none: the task is done again.
        """
        try:
            return from_dict(InputResult, read_json(self._path(task)))
        except DamagedRecord:
            return None

    def begin(self, tasks: list[Task]) -> None:
        """Forget what is about to be done, and what a killed run left half written."""
        folder = journal_folder(self._cache_dir)
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        for task in tasks:
            make_way(self._path(task))
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """The task is finished, well or not."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return journal_file(self._cache_dir, task.input.stem, task.identity)
