"""What was tried so far, in a file of the build, so that a tuning that was interrupted goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from turnkeyml.cache import BuildFolder, read_json, write_json
from turnkeyml.nouns import Trial, from_dict, to_dict


@dataclass(frozen=True)
class _Content:
    key: str
    seconds: float
    is_complete: bool
    trials: tuple[Trial, ...]


class Journal:
    """The trials of a tuning that is not complete."""

    def __init__(self, folder: BuildFolder, facts: Any) -> None:
        """``facts`` is all that the trials depend on; others of them make another journal."""
        self._path = folder.tuning / "journal.json"
        text = json.dumps(to_dict(facts), sort_keys=True, default=repr)
        self._key = hashlib.sha256(text.encode()).hexdigest()[:16]

    def read(self) -> tuple[list[Trial], float]:
        """What was tried and how long it took; nothing if it was completed, or is another's."""
        try:
            found = from_dict(_Content, read_json(self._path))
        except ValueError:
            return [], 0.0
        if found.key != self._key or found.is_complete:
            return [], 0.0
        return list(found.trials), found.seconds

    def write(self, trials: Sequence[Trial], seconds: float, *, is_complete: bool = False) -> None:
        """Keep what was tried."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, to_dict(_Content(self._key, seconds, is_complete, tuple(trials))))
