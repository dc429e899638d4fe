"""Run tasks on a Slurm cluster, one job per task; jobs and submitter share the cache folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from turnkeyml.errors import TurnkeyError
from turnkeyml.launch.backend import Ending, How, Observation
from turnkeyml.launch.slurm import controller
from turnkeyml.launch.slurm.controller import Link, Note, interrupts_deferred
from turnkeyml.launch.slurm.job import TERMS, Flight, ending_of
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
        yield SlurmBackend(run, positions, submitter, Link(note), options.poll_seconds)


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
        link: Link,
        queue_seconds: float,
    ) -> None:
        self._run = run
        self._positions = positions
        self._indices = {position: index for index, position in enumerate(positions)}
        self._submitter = submitter
        self._link = link
        self._queue_seconds = self._pause = queue_seconds
        self._flights: dict[int, Flight] = {}
        self._found: list[int] = []
        self._taken_over = False
        self._doubtful = True
        """Whether the queue may have jobs of this run that we do not know of."""
        self._refusal: controller.SlurmRefused | None = None
        self._poll_at = self._submit_at = 0.0

    def found(self) -> Sequence[int]:
        if not self._taken_over:
            self._take_over()
            self._taken_over = True
        found, self._found = self._found, []
        return found

    def room(self) -> int:
        if self._refusal is not None:
            return len(self._positions)
        if self._doubtful or time.monotonic() < self._submit_at:
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
                    self._flights[self._indices[position]] = Flight(job, position)
        except controller.SlurmSilent as error:
            now = time.monotonic()
            self._doubtful, self._poll_at, self._submit_at = True, now, now + RETRY_SECONDS
            self._link.bear(error)
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
        for index, flight in list(self._flights.items()):
            self._see_to_end(index, flight)

    def observe(self, index: int) -> Observation:
        flight, now = self._flights[index], time.monotonic()
        if flight.ending is None and flight.gone_since is not None:
            self._ask_for_end(flight, now - flight.gone_since)
        elif flight.is_hopeless(now) and self._link.ask(partial(controller.cancel, [flight.id])):
            flight.ending = Ending(How.NEVER_STARTS, words=flight.reason)
        return flight.observation()

    def memory(self, index: int, limit: int | None) -> None:
        """Unknown; Slurm enforces its own memory limit."""

    def kill(self, index: int) -> bool:
        return bool(self._link.ask(partial(controller.kill, self._flights[index].id)))

    def release(self, index: int, ok: bool) -> Path | None:
        flight = self._flights[index]
        flight.released_at, flight.ok = time.monotonic(), ok
        if ok:
            self._run.forget_log(flight.id)
        self._see_to_end(index, flight)
        log = self._run.folder.log(flight.id)
        return log if not ok and log.exists() else None

    def drain(self) -> None:
        until = time.monotonic() + LINGER_SECONDS
        while self._flights and time.monotonic() < until:
            self.wait(self.poll_seconds, news=False)

    def close(self) -> None:
        """Cancel the jobs of this run, then remove the files that only they needed."""
        if self._link.given_up:
            return
        flights = self._flights.values()
        known = [flight.id for flight in flights if flight.in_queue]
        try:
            if self._doubtful:
                known += [j.id for j in controller.queue() if self._run.position(j) is not None]
            controller.cancel(known)
        except controller.SlurmSilent as error:
            ids = " ".join(dict.fromkeys(known))
            self._link.note(f"Jobs could not be cancelled ({error}); cancel them: scancel {ids}")
            return
        for flight in flights:
            if flight.released_at is None:
                self._run.forget_log(flight.id)
        self._run.remove()

    def _in_queue(self) -> int:
        return sum(flight.in_queue for flight in self._flights.values())

    def _take_over(self) -> None:
        """Find the jobs in the queue and the finished tasks of an earlier submitter."""
        self._poll()
        while self._doubtful:
            time.sleep(self._queue_seconds)
            self._poll()
        jobs = {position: job for job, position in self._run.jobs.items()}
        for index, position in enumerate(self._positions):
            if index not in self._flights and _is_complete(self.events(index)):
                gone = Flight(jobs.get(position, ""), position, gone_since=time.monotonic())
                self._flights[index] = gone
                self._found.append(index)

    def _refuse(self, indices: Sequence[int]) -> Sequence[int]:
        """Fail these tasks, as nothing more can be submitted; submitted jobs continue."""
        ending = Ending(How.REFUSED, words=str(self._refusal))
        for index in indices:
            refused = Flight("", self._positions[index], gone_since=time.monotonic(), ending=ending)
            self._flights[index] = refused
        return indices

    def _poll(self) -> None:
        """Query the queue if it is time: less often the longer nothing happens."""
        now = time.monotonic()
        if now < self._poll_at:
            return
        jobs = self._link.ask(controller.queue)
        if jobs is None:
            self._poll_at = now + SLOWEST_POLL_SECONDS
            return
        if self._doubtful:
            self._adopt(jobs)
        queued = {job.id: job for job in jobs}
        news = [f.note_queue(queued.get(f.id), now) for f in self._flights.values()]
        self._pause = min(self._pause * 1.5, SLOWEST_POLL_SECONDS)
        self._poll_at = now + self._pause
        if any(news):
            self._hurry()

    def _adopt(self, jobs: list[controller.QueuedJob]) -> None:
        """Follow the jobs of this run in the queue that no record names."""
        for job in jobs:
            position = self._run.position(job)
            index = self._indices.get(position) if position is not None else None
            if position is not None and index is not None and index not in self._flights:
                self._flights[index] = Flight(job.id, position)
                self._run.jobs[job.id] = position
                self._found.append(index)
        self._doubtful = False

    def _hurry(self) -> None:
        """Query the queue again soon, as something has happened."""
        self._pause = self._queue_seconds
        self._poll_at = min(self._poll_at, time.monotonic() + self._pause)

    def _ask_for_end(self, flight: Flight, seconds: float) -> None:
        """Query the final state of a job that is gone, after waiting for its last events."""
        if flight.final is None and seconds >= FIRST_ASK_SECONDS:
            flight.final = self._link.ask(partial(controller.final_state, flight.id))
        if flight.final is None or seconds < LATE_SECONDS:
            return
        if flight.final.goes_on:
            flight.final = None
            return
        flight.ending = ending_of(flight.final, flight.id, self._run.folder.log(flight.id))

    def _see_to_end(self, index: int, flight: Flight) -> None:
        """Forget a job whose result is known once it is gone; kill it if it lingers."""
        if flight.released_at is None:
            return
        if not flight.in_queue:
            del self._flights[index]
            if not flight.ok:
                self._run.forget_events(flight.position)
        elif time.monotonic() - flight.released_at > LINGER_SECONDS:
            self._link.ask(partial(controller.kill, flight.id))


def _is_complete(path: Path) -> bool:
    return any(isinstance(e, InputFinished) for e in Reader(str(path)).read())
