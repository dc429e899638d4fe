"""Run tasks on a Slurm cluster, one job per task; jobs and submitter share the cache folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from turnkeyml.errors import TurnkeyError
from turnkeyml.launch.backend import Ending, How, TaskObservation
from turnkeyml.launch.slurm import controller
from turnkeyml.launch.slurm.controller import Controller, Note, interrupts_deferred
from turnkeyml.launch.slurm.job import TERMS, SlurmJob, ending_of
from turnkeyml.launch.slurm.run import Run, SlurmOptions, Submitter, open_run
from turnkeyml.nouns import InputFinished, Reader, Task

SLOWEST_POLL_SECONDS = 5.0
FIRST_ASK_SECONDS = 1.0
"""The time from the end of a job to the query of its final state; most need no query by then."""
LATE_SECONDS = 5.0
"""The time that a shared file system may take to show the last events of a job."""
LINGER_SECONDS = 10.0
"""The time that a process may take to exit after its last event."""
RETRY_SECONDS = 10.0
"""The time until the next submission after Slurm did not answer."""


@contextlib.contextmanager
def open_slurm(
    tasks: Sequence[Task],
    options: SlurmOptions,
    *,
    seconds: float | None,
    resume: bool,
    note: Note,
) -> Iterator[SlurmBackend]:
    """A backend that runs tasks with this time limit as Slurm jobs.

    ``resume`` continues the run of an earlier submitter of the same tasks: it takes its results,
    follows its jobs in the queue, and submits the rest. ``note`` gets a line when Slurm does not
    answer or the record of an earlier run cannot be read.
    """
    controller.require()
    largest_array = controller.largest_array()
    with open_run(tasks, resume, note) as (run, positions):
        placed = dict(zip(positions, tasks, strict=True))
        submitter = Submitter(run, placed, options, seconds, largest_array)
        yield SlurmBackend(run, positions, submitter, Controller(note), options.poll_seconds)


class SlurmBackend:
    """The jobs of one run."""

    remote = True
    poll_seconds = 0.5
    terms = TERMS

    def __init__(
        self,
        run: Run,
        positions: Sequence[int],
        submitter: Submitter,
        slurm: Controller,
        queue_seconds: float,
    ) -> None:
        self._run = run
        self._positions = positions
        self._indices = {position: index for index, position in enumerate(positions)}
        self._submitter = submitter
        self._controller = slurm
        self._queue_seconds = self._pause = queue_seconds
        self._jobs: dict[int, SlurmJob] = {}
        self._found: list[int] = []
        self._has_found_earlier_jobs = False
        self._may_miss_jobs = True
        """Whether the queue may have jobs of this run that we do not know of."""
        self._refusal: controller.SlurmRefused | None = None
        self._poll_at = self._submit_at = 0.0

    def found(self) -> Sequence[int]:
        if not self._has_found_earlier_jobs:
            self._find_earlier_jobs()
            self._has_found_earlier_jobs = True
        found, self._found = self._found, []
        return found

    def room(self) -> int:
        if self._refusal is not None:
            return len(self._positions)
        if self._may_miss_jobs or time.monotonic() < self._submit_at:
            return 0
        return self._submitter.room - self._in_queue()

    def start(self, indices: Sequence[int]) -> Sequence[int]:
        """Submit as many tasks as fit into one array; the accepted ones.

        If Slurm does not answer, the next look at the queue shows which ones were accepted.
        """
        if self._refusal is not None:
            return self._refuse(indices)
        positions = [self._positions[index] for index in indices]
        try:
            with interrupts_deferred():
                jobs = self._submitter.submit(positions, self._in_queue())
                for position, job in jobs.items():
                    self._jobs[self._indices[position]] = SlurmJob(job, position)
        except controller.SlurmSilent as error:
            now = time.monotonic()
            self._may_miss_jobs, self._poll_at, self._submit_at = True, now, now + RETRY_SECONDS
            self._controller.note_silence(error)
            return ()
        except controller.SlurmRefused as error:
            if not self._run.jobs:
                raise TurnkeyError(f"sbatch refused the jobs: {error}.") from None
            self._refusal = error
            return self._refuse(indices)
        return [self._indices[position] for position in jobs]

    def events(self, index: int) -> Path:
        return self._run.folder.events(self._positions[index])

    def wait(self, seconds: float, news: bool) -> None:
        if news:
            self._hurry()
        time.sleep(max(0.02, seconds))
        self._poll()
        for index, job in list(self._jobs.items()):
            self._see_to_end(index, job)

    def observe(self, index: int) -> TaskObservation:
        job, now = self._jobs[index], time.monotonic()
        if job.ending is None and job.gone_since is not None:
            self._ask_for_end(job, now - job.gone_since)
        elif job.is_hopeless(now) and self._controller.ask(partial(controller.cancel, [job.id])):
            job.ending = Ending(How.NEVER_STARTS, words=job.reason)
        return job.observation()

    def memory(self, index: int, limit: int | None) -> None:
        """Unknown; Slurm enforces its own memory limit."""

    def kill(self, index: int) -> bool:
        return bool(self._controller.ask(partial(controller.kill, self._jobs[index].id)))

    def release(self, index: int, ok: bool) -> Path | None:
        job = self._jobs[index]
        job.released_at, job.ok = time.monotonic(), ok
        if ok:
            self._run.forget_log(job.id)
        self._see_to_end(index, job)
        log = self._run.folder.log(job.id)
        return log if not ok and log.exists() else None

    def drain(self) -> None:
        until = time.monotonic() + LINGER_SECONDS
        while self._jobs and time.monotonic() < until:
            self.wait(self.poll_seconds, news=False)

    def close(self) -> None:
        """Cancel the jobs of this run, then remove the files that only they needed."""
        if self._controller.given_up:
            return
        jobs = self._jobs.values()
        known = [job.id for job in jobs if job.in_queue]
        try:
            if self._may_miss_jobs:
                known += [j.id for j in controller.queue() if self._run.position(j) is not None]
            controller.cancel(known)
        except controller.SlurmSilent as error:
            ids = " ".join(dict.fromkeys(known))
            self._controller.note(
                f"Jobs could not be cancelled ({error}); cancel them: scancel {ids}"
            )
            return
        for job in jobs:
            if job.released_at is None:
                self._run.forget_log(job.id)
        self._run.remove()

    def _in_queue(self) -> int:
        return sum(job.in_queue for job in self._jobs.values())

    def _find_earlier_jobs(self) -> None:
        """Find the jobs in the queue and the finished tasks of an earlier submitter."""
        self._poll()
        while self._may_miss_jobs:
            time.sleep(self._queue_seconds)
            self._poll()
        jobs = {position: job for job, position in self._run.jobs.items()}
        for index, position in enumerate(self._positions):
            if index not in self._jobs and _is_complete(self.events(index)):
                gone = SlurmJob(jobs.get(position, ""), position, gone_since=time.monotonic())
                self._jobs[index] = gone
                self._found.append(index)

    def _refuse(self, indices: Sequence[int]) -> Sequence[int]:
        """Fail these tasks, as nothing more can be submitted; submitted jobs continue."""
        ending = Ending(How.REFUSED, words=str(self._refusal))
        for index in indices:
            refused = SlurmJob(
                "", self._positions[index], gone_since=time.monotonic(), ending=ending
            )
            self._jobs[index] = refused
        return indices

    def _poll(self) -> None:
        """Query the queue if it is time: less often the longer nothing happens."""
        now = time.monotonic()
        if now < self._poll_at:
            return
        jobs = self._controller.ask(controller.queue)
        if jobs is None:
            self._poll_at = now + SLOWEST_POLL_SECONDS
            return
        if self._may_miss_jobs:
            self._adopt(jobs)
        queued = {job.id: job for job in jobs}
        news = [job.note_queue(queued.get(job.id), now) for job in self._jobs.values()]
        self._pause = min(self._pause * 1.5, SLOWEST_POLL_SECONDS)
        self._poll_at = now + self._pause
        if any(news):
            self._hurry()

    def _adopt(self, jobs: list[controller.QueuedJob]) -> None:
        """Follow the jobs of this run in the queue that no record names."""
        for job in jobs:
            position = self._run.position(job)
            index = self._indices.get(position) if position is not None else None
            if position is not None and index is not None and index not in self._jobs:
                self._jobs[index] = SlurmJob(job.id, position)
                self._run.jobs[job.id] = position
                self._found.append(index)
        self._may_miss_jobs = False

    def _hurry(self) -> None:
        """Query the queue again soon, as something has happened."""
        self._pause = self._queue_seconds
        self._poll_at = min(self._poll_at, time.monotonic() + self._pause)

    def _ask_for_end(self, job: SlurmJob, seconds: float) -> None:
        """Query the final state of a job that is gone, after waiting for its last events."""
        if job.final is None and seconds >= FIRST_ASK_SECONDS:
            job.final = self._controller.ask(partial(controller.final_state, job.id))
        if job.final is None or seconds < LATE_SECONDS:
            return
        if job.final.goes_on:
            job.final = None
            return
        job.ending = ending_of(job.final, job.id, self._run.folder.log(job.id))

    def _see_to_end(self, index: int, job: SlurmJob) -> None:
        """Forget a job whose result is known once it is gone; kill it if it lingers."""
        if job.released_at is None:
            return
        if not job.in_queue:
            del self._jobs[index]
            if not job.ok:
                self._run.forget_events(job.position)
        elif time.monotonic() - job.released_at > LINGER_SECONDS:
            self._controller.ask(partial(controller.kill, job.id))


def _is_complete(path: Path) -> bool:
    return any(isinstance(e, InputFinished) for e in Reader(str(path)).read())
