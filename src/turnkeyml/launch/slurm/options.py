"""The options of Slurm jobs."""

from __future__ import annotations

import math
import os
import re
import shlex
from dataclasses import dataclass

from turnkeyml.errors import UsageError

_OURS = {
    "array": "turnkey makes the arrays",
    "chdir": "jobs run in the working directory of turnkey",
    "clusters": "set SLURM_CLUSTERS instead, which all of Slurm's commands read",
    "error": "turnkey keeps the logs in the cache",
    "no-requeue": "turnkey never requeues jobs",
    "open-mode": "turnkey keeps the logs in the cache",
    "output": "turnkey keeps the logs in the cache",
    "parsable": "turnkey sets it",
    "requeue": "use --resume to repeat an interrupted input",
    "test-only": "it would submit nothing",
    "wait": "turnkey waits for the jobs itself",
    "wrap": "turnkey writes the script",
}
"""The options of sbatch that turnkey sets itself, each with the reason."""


@dataclass(frozen=True)
class SlurmOptions:
    """How jobs are submitted, and how many."""

    arguments: tuple[str, ...] = ()
    """Options of sbatch, as ``parse_arguments`` returns them."""
    max_jobs: int = 50
    """The largest number of pending and running jobs."""
    python: str | None = None
    """The interpreter of the jobs; None for the current one."""
    poll_seconds: float = 1.0
    """The time between two queries of the queue while something happens."""

    def __post_init__(self) -> None:
        if self.max_jobs < 1:
            raise UsageError(f"The number of Slurm jobs must be at least 1, not {self.max_jobs}.")

    def sbatch_words(self, seconds: float | None) -> list[str]:
        """The sbatch options of every submission of tasks with this time limit.

        Slurm's own time limit is a little longer, and acts if turnkey is gone.
        """
        words = ["--job-name=turnkey", *self.arguments]
        if seconds is not None and not any(a.startswith("--time=") for a in self.arguments):
            words.append(f"--time={math.ceil(seconds / 60) + 1}")
        return [*words, "--no-requeue", "--open-mode=append", f"--chdir={os.getcwd()}"]


def parse_arguments(text: str) -> tuple[str, ...]:
    """The sbatch options for a text of ``key=value`` and ``key``."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"Cannot split the Slurm arguments {text!r}: {error}.") from None
    return tuple(_option(word) for word in words)


def _option(word: str) -> str:
    found = re.fullmatch(r"-{0,2}([A-Za-z][A-Za-z-]+)(=.+)?", word, re.DOTALL)
    if found is None:
        raise UsageError(
            f"The Slurm argument {word!r} must be key=value or key, with sbatch's long option "
            'names, as in "partition=gpu gres=gpu:1 time=2:00:00 mem=16G".'
        )
    key, value = found[1], found[2] or ""
    if key in _OURS:
        raise UsageError(f"The Slurm argument {key!r} is not allowed: {_OURS[key]}.")
    return f"--{key}{value}"
