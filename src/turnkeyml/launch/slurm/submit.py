"""Submitting tasks as arrays of jobs, never more at a time than there may be."""

from __future__ import annotations

import itertools
import math
import os
from collections import deque
from dataclasses import dataclass

from turnkeyml.errors import UsageError
from turnkeyml.launch.slurm import commands
from turnkeyml.launch.slurm.flight import Board, Flight

__all__ = ["SlurmOptions", "Submitter"]


@dataclass(frozen=True)
class SlurmOptions:
    """What jobs are submitted with, and how many there may be."""

    arguments: tuple[str, ...] = ()
    """Options of sbatch, as ``slurm_commands.parse_arguments`` gives them."""
    max_jobs: int = 50
    """Of ours that are pending or running at the same time."""
    seconds: float | None = None
    """For one input, counted from the start of its job."""
    python: str | None = None
    """The interpreter of the jobs; None for this one."""
    poll_seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.max_jobs < 1:
            raise UsageError(f"There must be room for at least one job, not {self.max_jobs}.")

    def sbatch_words(self) -> list[str]:
        """What goes with every submission. Slurm's time limit is there in case we are not."""
        words = ["--job-name=turnkey", *self.arguments]
        if self.seconds is not None and not any(a.startswith("--time=") for a in self.arguments):
            words.append(f"--time={math.ceil(self.seconds / 60) + 1}")
        return [*words, "--no-requeue", "--open-mode=append", f"--chdir={os.getcwd()}"]


class Submitter:
    """The tasks that wait to be submitted."""

    def __init__(self, board: Board, options: SlurmOptions, largest_array: int) -> None:
        self.waiting: deque[int] = deque()
        self._board = board
        self._run = board.run
        self._options = options
        self._room = options.max_jobs
        self._largest_array = largest_array

    def submit(self, in_queue: int) -> list[Flight]:
        """Fill the room that there is with an array; its jobs, if there was any.

        What Slurm does not take goes on waiting: that it takes fewer at a time makes the room
        smaller, and any other refusal is an error.
        """
        chunk = self._chunk(self._room - in_queue)
        if not chunk:
            return []
        for position in chunk:
            self._run.prepare(position, self._board.assignment(position))
        try:
            array = commands.submit(*self._words(chunk))
        except commands.SlurmRefused as error:
            if error.is_too_many and (in_queue or len(chunk) > 1):
                self._room = max(1, in_queue + len(chunk) // 2)
                return []
            raise
        return self._accept(array, chunk)

    def _chunk(self, free: int) -> list[int]:
        """The next positions that fit into the room and into one array."""
        if not self.waiting or free <= 0:
            return []
        first, count = self.waiting[0], free if self._largest_array else 1
        positions = list(itertools.islice(self.waiting, count))
        return [p for p in positions if p - first < max(1, self._largest_array)]

    def _words(self, chunk: list[int]) -> list[str]:
        words = self._options.sbatch_words()
        pattern = "%j"
        if self._largest_array:
            words.append(f"--array={_ranges([p - chunk[0] for p in chunk])}")
            pattern = "%A_%a"
        folder = str(self._run.folder).replace("%", "%%")
        script = self._run.write_script(chunk[0], self._options.python)
        return [*words, f"--output={folder}/slurm-{pattern}.out", str(script)]

    def _accept(self, array: str, chunk: list[int]) -> list[Flight]:
        flights = []
        for position in chunk:
            name = f"{array}_{position - chunk[0]}" if self._largest_array else array
            flights.append(self._board.flight(name, position))
            self._run.jobs[name] = position
            self.waiting.remove(position)
        self._run.record()
        return flights


def _ranges(numbers: list[int]) -> str:
    """Increasing numbers as Slurm writes them: 0-3,7."""
    runs = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in ends)
