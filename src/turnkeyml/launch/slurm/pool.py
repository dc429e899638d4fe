"""Evaluating inputs on a Slurm cluster, each as a job of its own; the cache is where they meet."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from functools import partial

from turnkeyml.errors import TurnkeyError
from turnkeyml.evaluate.child import Assignment
from turnkeyml.launch.follow import Watcher
from turnkeyml.launch.slurm import commands
from turnkeyml.launch.slurm.flight import Board, Flight
from turnkeyml.launch.slurm.link import Link, Note, interrupts_deferred
from turnkeyml.launch.slurm.run import open_run
from turnkeyml.launch.slurm.submit import SlurmOptions, Submitter
from turnkeyml.nouns import InputResult, Task, events

__all__ = ["SlurmOptions", "evaluate_on_slurm"]

EVENTS_SECONDS = 0.5
"""How often we look for events; they are files and trouble no controller."""
SLOWEST_POLL_SECONDS = 5.0
LATE_SECONDS = 5.0
"""What the shared file system may take to show us the last events of a job that is gone."""
LINGER_SECONDS = 10.0
"""For which a process may go on after it has said that everything is done."""
RETRY_SECONDS = 10.0


def evaluate_on_slurm(
    tasks: list[Task],
    watcher: Watcher,
    options: SlurmOptions,
    *,
    resume: bool = False,
    note: Note | None = None,
) -> Iterator[InputResult]:
    """What became of every input by its plan, as their jobs finish.

    ``resume`` goes on with what an earlier submitter of the same tasks left: its results, its jobs
    that are still there, and what it did not come to. ``note`` gets a line when Slurm does not
    answer; without it the line goes to standard error.
    """
    if not tasks:
        return
    with contextlib.ExitStack() as stack:
        stack.callback(watcher.close)
        commands.require()
        largest_array = commands.largest_array()
        run, placed = stack.enter_context(open_run(tasks, resume))
        board = Board(run, placed, watcher)
        submitter = Submitter(board, options, largest_array)
        yield from _Pool(board, submitter, Link(note or _tell), options).results()


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class _Pool:
    """The jobs that were submitted, and what becomes of them."""

    def __init__(
        self, board: Board, submitter: Submitter, link: Link, options: SlurmOptions
    ) -> None:
        self._board = board
        self._run = board.run
        self._submitter = submitter
        self._link = link
        self._options = options
        self._flights: list[Flight] = []
        self._waiting = submitter.waiting
        self._doubtful = True
        """Whether there may be jobs of ours in the queue that we do not know."""
        self._poll_at = self._submit_at = 0.0
        self._pause = options.poll_seconds

    def results(self) -> Iterator[InputResult]:
        """Everything, one by one; whatever ends it, no job of ours is left in the queue."""
        try:
            yield from self._take_over()
            while self._waiting or any(f.done_since is None for f in self._flights):
                yield from self._submit()
                time.sleep(self._nap())
                self._poll()
                yield from self._look()
                self._board.watcher.tick()
            self._see_off()
        finally:
            self._leave()

    def _take_over(self) -> Iterator[InputResult]:
        """Results that are there already; jobs that are there already; the rest waits."""
        self._poll()
        while self._doubtful:
            time.sleep(self._options.poll_seconds)
            self._poll()
        followed = {flight.position for flight in self._flights}
        jobs = {position: job for job, position in self._run.jobs.items()}
        for position in self._board.tasks:
            if position in followed:
                continue
            if _is_complete(self._board.assignment(position)):
                flight = self._board.flight(jobs.get(position, ""), position)
                self._board.start(flight)
                flight.read(time.monotonic())
                yield self._board.finish(flight, None)
                self._let_go(flight)
            else:
                self._waiting.append(position)

    def _submit(self) -> Iterator[InputResult]:
        """Submit what there is room for; results only where Slurm will have nothing more."""
        now = time.monotonic()
        if self._doubtful or now < self._submit_at:
            return
        try:
            with interrupts_deferred():
                new = self._submitter.submit(sum(flight.in_queue for flight in self._flights))
                self._flights += new
        except commands.SlurmSilent as error:
            self._doubtful, self._poll_at, self._submit_at = True, now, now + RETRY_SECONDS
            self._link.bear(error)
        except commands.SlurmRefused as error:
            yield from self._fail_the_rest(error)
        else:
            if new:
                self._hurry()

    def _fail_the_rest(self, error: commands.SlurmRefused) -> Iterator[InputResult]:
        """Nothing more can be submitted; those that were go on."""
        if not self._run.jobs:
            raise TurnkeyError(f"sbatch refused the jobs: {error}.")
        while self._waiting:
            flight = self._board.flight("", self._waiting.popleft())
            yield self._board.finish(flight, f"sbatch refused the job: {error}.")

    def _nap(self) -> float:
        """Until there may be something to do."""
        running = [flight for flight in self._flights if flight.done_since is None]
        deadlines = [flight.deadline(self._options.seconds) for flight in running]
        now = time.monotonic()
        left = [deadline - now for deadline in deadlines if deadline is not None]
        return max(0.02, min([EVENTS_SECONDS, *left]))

    def _poll(self) -> None:
        """Look at the queue if it is time to: less often the longer nothing happens."""
        now = time.monotonic()
        if now < self._poll_at:
            return
        jobs = self._link.ask(commands.queue)
        if jobs is None:
            self._poll_at = now + SLOWEST_POLL_SECONDS
            return
        if self._doubtful:
            self._adopt(jobs)
        queued = {job.id: job for job in jobs}
        news = [flight.note_queue(queued.get(flight.id), now) for flight in self._flights]
        self._pause = min(self._pause * 1.5, SLOWEST_POLL_SECONDS)
        self._poll_at = now + self._pause
        if any(news):
            self._hurry()

    def _adopt(self, jobs: list[commands.QueuedJob]) -> None:
        """Follow those in the queue that we, or a submitter before us, do not know of."""
        taken = {flight.position for flight in self._flights}
        for job in jobs:
            position = self._run.position(job)
            if position in self._board.tasks and position not in taken:
                self._flights.append(self._board.flight(job.id, position))
                self._run.jobs[job.id] = position
                with contextlib.suppress(ValueError):  # not one that waits
                    self._waiting.remove(position)
        self._doubtful = False

    def _hurry(self) -> None:
        """Something happens: look again soon."""
        self._pause = self._options.poll_seconds
        self._poll_at = min(self._poll_at, time.monotonic() + self._pause)

    def _look(self) -> Iterator[InputResult]:
        """Deal with every job that has something to tell or has ended."""
        for flight in list(self._flights):
            now = time.monotonic()
            if flight.has_left_the_start:
                self._board.start(flight)
                if flight.read(now):
                    self._hurry()
            if flight.done_since is None:
                over, failure = self._verdict(flight, now)
                if over:
                    self._hurry()
                    yield self._board.finish(flight, failure)
            elif flight.in_queue and now - flight.done_since > LINGER_SECONDS:
                self._link.ask(partial(commands.kill, flight.id))
            if flight.done_since is not None and not flight.in_queue:
                self._let_go(flight)

    def _verdict(self, flight: Flight, now: float) -> tuple[bool, str | None]:
        """Whether it is over, and what is to be said of its end if that was not a good one."""
        if flight.follower.complete:
            return True, None
        if flight.gone_since is not None:
            return self._after_its_end(flight, now)
        deadline = flight.deadline(self._options.seconds)
        if deadline is not None and now >= deadline:
            if not self._link.ask(partial(commands.kill, flight.id)):
                return False, None
            flight.read(now)
            limit = f"timeout after {self._options.seconds:g} s"
            return True, f"{limit} {flight.follower.where}; --timeout gives it longer"
        if flight.is_hopeless(now) and self._link.ask(partial(commands.cancel, [flight.id])):
            why = f"Slurm can never start the job ({flight.reason})"
            return True, f"{why}; --slurm-args says what the jobs ask for."
        return False, None

    def _after_its_end(self, flight: Flight, now: float) -> tuple[bool, str | None]:
        """It is gone without having said that it is done; its last words may still come."""
        if flight.ending is None:
            flight.ending = self._link.ask(partial(commands.ending, flight.id))
        since = flight.gone_since or now
        if flight.ending is None or now - since < LATE_SECONDS:
            return False, None
        if flight.ending.goes_on:
            flight.ending = None
            return False, None
        what = flight.ending.describe(flight.where)
        log = self._run.log(flight.id)
        return True, f"{what} (job {flight.id}); what it printed is in {log}."

    def _let_go(self, flight: Flight) -> None:
        if flight in self._flights:
            self._flights.remove(flight)
        if not flight.succeeded:
            self._run.forget_events(flight.position)

    def _see_off(self) -> None:
        """Everything is known; let the last processes end by themselves."""
        until = time.monotonic() + LINGER_SECONDS
        while self._flights and time.monotonic() < until:
            time.sleep(self._nap())
            self._poll()
            for flight in [f for f in self._flights if not f.in_queue]:
                self._let_go(flight)

    def _leave(self) -> None:
        """Cancel what is ours in the queue, then remove what only the jobs needed."""
        if self._link.given_up:
            return
        known = [flight.id for flight in self._flights if flight.in_queue]
        try:
            if self._doubtful:
                known += [j.id for j in commands.queue() if self._run.position(j) is not None]
            commands.cancel(known)
        except commands.SlurmSilent as error:
            ids = " ".join(dict.fromkeys(known))
            self._link.note(f"Jobs could not be cancelled ({error}); later: scancel {ids}")
            return
        for flight in self._flights:
            if flight.done_since is None:
                self._run.forget_log(flight.id)
        self._run.remove()


def _is_complete(assignment: Assignment) -> bool:
    return any(isinstance(e, events.InputFinished) for e in events.Reader(assignment.events).read())
