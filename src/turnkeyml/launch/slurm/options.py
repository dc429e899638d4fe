"""What the user may say about the jobs."""

from __future__ import annotations

import math
import os
import re
import shlex
from dataclasses import dataclass

from turnkeyml.errors import UsageError

__all__ = ["SlurmOptions", "parse_arguments"]

_OURS = {
    "array": "turnkey makes the arrays",
    "chdir": "jobs run in the folder that turnkey is run in",
    "clusters": "set SLURM_CLUSTERS instead, which all of Slurm's commands follow",
    "error": "the logs lie in the cache",
    "no-requeue": "jobs are never requeued",
    "open-mode": "the logs lie in the cache",
    "output": "the logs lie in the cache",
    "parsable": "turnkey reads the answer",
    "requeue": "an input that was interrupted is done again by --resume",
    "test-only": "nothing would be submitted",
    "wait": "turnkey waits itself",
    "wrap": "turnkey writes the script",
}


@dataclass(frozen=True)
class SlurmOptions:
    """What jobs are submitted with, and how many there may be."""

    arguments: tuple[str, ...] = ()
    """Options of sbatch, as ``parse_arguments`` gives them."""
    max_jobs: int = 50
    """Of ours that are pending or running at the same time."""
    python: str | None = None
    """The interpreter of the jobs; None for this one."""
    poll_seconds: float = 1.0
    """Between two looks at the queue while something happens."""

    def __post_init__(self) -> None:
        if self.max_jobs < 1:
            raise UsageError(f"There must be room for at least one job, not {self.max_jobs}.")

    def sbatch_words(self, seconds: float | None) -> list[str]:
        """What goes with every submission of tasks with this time limit.

        Slurm's own time limit is there in case we are not.
        """
        words = ["--job-name=turnkey", *self.arguments]
        if seconds is not None and not any(a.startswith("--time=") for a in self.arguments):
            words.append(f"--time={math.ceil(seconds / 60) + 1}")
        return [*words, "--no-requeue", "--open-mode=append", f"--chdir={os.getcwd()}"]


def parse_arguments(text: str) -> tuple[str, ...]:
    """The words ``key=value`` or ``key`` as options of sbatch."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"The Slurm arguments {text!r} cannot be split: {error}.") from None
    return tuple(_option(word) for word in words)


def _option(word: str) -> str:
    found = re.fullmatch(r"-{0,2}([A-Za-z][A-Za-z-]+)(=.+)?", word, re.DOTALL)
    if found is None:
        raise UsageError(
            f"The Slurm argument {word!r} is not of the form key=value or key, with sbatch's long "
            'names, as in "partition=gpu gres=gpu:1 time=2:00:00 mem=16G".'
        )
    key, value = found[1], found[2] or ""
    if key in _OURS:
        raise UsageError(f"The Slurm argument {key!r} cannot be given: {_OURS[key]}.")
    return f"--{key}{value}"
