"""What became of each input of a run, kept in the cache, so that a run can go on where it ended."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnkeyml.cache.files import remove_leftovers, write_json
from turnkeyml.nouns import Input, InputResult, Plan, from_dict, to_dict

__all__ = ["LOGS", "Journal"]

FOLDER = ".runs"
LOGS = f"{FOLDER}/logs"
"""What failed inputs printed, where that is not shown."""

Task = tuple[Input, Plan]


class Journal:
    """One file an input, written when the input is finished and not before.

    An input is the same if its file, what is asked of it and its arguments are.
    """

    def __init__(self, cache_dir: str) -> None:
        self._folder = Path(cache_dir) / FOLDER

    def finished(self, task: Task) -> InputResult | None:
        """What became of an input in an earlier run of the same command, if it was finished."""
        try:
            data = json.loads(self._path(task).read_text(encoding="utf-8"))
            return from_dict(InputResult, data)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # not there, or not what this version writes: the input is done again

    def begin(self, tasks: list[Task]) -> None:
        """Forget what is about to be done, and what a killed run left half written."""
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self._folder)
        for task in tasks:
            self._path(task).unlink(missing_ok=True)

    def keep(self, task: Task, result: InputResult) -> None:
        """The input is finished, well or not."""
        write_json(self._path(task), to_dict(result))

    def _path(self, task: Task) -> Path:
        return self._folder / f"{_name(task)}.json"


def _name(task: Task) -> str:
    item, plan = task
    where = replace(plan, cache_dir="")
    words = [os.path.abspath(item.path), *item.targets, _content(item), _text(to_dict(where))]
    digest = hashlib.sha256("\0".join(words).encode(errors="replace")).hexdigest()[:16]
    return f"{item.stem[:60]}-{digest}"


def _content(item: Input) -> str:
    """Changes when the file does; large files are not read for that."""
    try:
        if item.is_onnx:
            facts = os.stat(item.path)
            return f"{facts.st_size} {facts.st_mtime_ns}"
        return hashlib.sha256(Path(item.path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _text(data: Any) -> str:
    return json.dumps(data, sort_keys=True)
