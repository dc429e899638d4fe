"""Submit tasks as job arrays, within the limit of jobs in the queue."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from turnkeyml.evaluate import WAIT_MARGIN_SECONDS
from turnkeyml.launch.slurm import commands
from turnkeyml.launch.slurm.options import SlurmOptions
from turnkeyml.launch.slurm.run import Run
from turnkeyml.nouns import Task


class Submitter:
    """Submits the tasks of a run as jobs."""

    def __init__(
        self,
        run: Run,
        tasks: Mapping[int, Task],
        options: SlurmOptions,
        seconds: float | None,
        largest_array: int,
    ) -> None:
        self.room = options.max_jobs
        """The largest number of jobs in the queue: the user's, or Slurm's if that is smaller."""
        self._run = run
        self._tasks = tasks
        self._python = options.python
        self._wait_seconds = None if seconds is None else seconds + WAIT_MARGIN_SECONDS
        self._options = options.sbatch_words(seconds)
        self._largest_array = largest_array

    def submit(self, positions: Sequence[int], in_queue: int) -> dict[int, str]:
        """Submit the first of these tasks as one array; the job ids by position.

        If Slurm accepts fewer jobs, ``room`` shrinks; any other refusal is an error.
        """
        chunk = self._chunk(positions)
        for position in chunk:
            self._run.prepare(position, self._tasks[position], self._wait_seconds)
        try:
            array = commands.submit(*self._words(chunk))
        except commands.SlurmRefused as error:
            if error.is_too_many and (in_queue or len(chunk) > 1):
                self.room = max(1, in_queue + len(chunk) // 2)
                return {}
            raise
        return self._accept(array, chunk)

    def _chunk(self, positions: Sequence[int]) -> list[int]:
        """The positions that fit into one array, in order; one if the cluster has no arrays."""
        if not self._largest_array:
            return list(positions[:1])
        return [p for p in sorted(positions) if p - min(positions) < self._largest_array]

    def _words(self, chunk: list[int]) -> list[str]:
        words = list(self._options)
        pattern = "%j"
        if self._largest_array:
            words.append(f"--array={_ranges([p - chunk[0] for p in chunk])}")
            pattern = "%A_%a"
        words.append(f"--output={self._run.folder.log_pattern(pattern)}")
        return [*words, str(self._run.write_script(chunk[0], self._python))]

    def _accept(self, array: str, chunk: list[int]) -> dict[int, str]:
        jobs = {p: f"{array}_{p - chunk[0]}" if self._largest_array else array for p in chunk}
        self._run.jobs |= {job: position for position, job in jobs.items()}
        self._run.record()
        return jobs


def _ranges(numbers: list[int]) -> str:
    """Increasing numbers in Slurm's notation: 0-3,7."""
    runs = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in ends)
