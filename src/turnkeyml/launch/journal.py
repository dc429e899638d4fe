"""What became of each input of a run, kept in the cache, so that a run can go on where it ended."""

from __future__ import annotations

from pathlib import Path

from turnkeyml.cache.files import make_way, read_json, remove_leftovers, write_json
from turnkeyml.cache.layout import safe_name
from turnkeyml.nouns import DamagedRecord, InputResult, Task, from_dict, to_dict

__all__ = ["LOGS", "Journal"]

FOLDER = ".runs"
LOGS = f"{FOLDER}/logs"
"""What failed inputs printed, where that is not shown."""


class Journal:
    """One file per task, written when the task is finished and not before."""

    def __init__(self, cache_dir: str) -> None:
        self._folder = Path(cache_dir) / FOLDER

    def finished(self, task: Task) -> InputResult | None:
        """What became of an input in an earlier run of the same command, if it was finished."""
        try:
            return from_dict(InputResult, read_json(self._path(task)))
        except DamagedRecord:
            return None  # not there, or not what this version writes: the input is done again

    def begin(self, tasks: list[Task]) -> None:
        """Forget what is about to be done, and what a killed run left half written."""
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self._folder)
        for task in tasks:
            make_way(self._path(task))
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """The input is finished, well or not."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return self._folder / f"{safe_name(task.input.stem)[:60]}-{task.identity}.json"
