"""Send requests, at times fixed beforehand or when the last one is answered, and answer them.

In an open loop the schedule does not depend on the server. A request is due when the schedule says
so, however long the earlier ones take, and its latency counts from then: a server that stalls
delays all that were due meanwhile, and each of them shows it. A loop that waits for an answer
before it sends the next request would see the stall once (coordinated omission).

A server is a queue with one thread per instance that takes requests from it.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from turnkeyml.errors import MeasureError
from turnkeyml.measure.load.trace import Answer, Trace, trace_of
from turnkeyml.runtimes import Session

SEED = 20
"""Of the first schedule. The same seed gives the same gaps at every rate, only closer together, so
that two rates differ in nothing else."""

LEAD_NANOSECONDS = 2_000_000
"""Before the first request is due."""
DRAIN_SHARE = 0.5
LEAST_DRAIN_SECONDS = 2.0
"""For how long we wait for a backlog after the last request: a share of the time before."""

POLL_SECONDS = 0.002
"""How often we look whether all is answered, after the last request was sent."""
STUCK_SECONDS = 600.0
"""For how long a single inference may take when we wait for the last ones."""

IsHopeless = Callable[[Sequence[int], Sequence[Answer]], bool]
"""Whether the rest need not be waited for, by when requests were due and the answers by now."""


def poisson_arrivals(rate: float, count: int, seed: int = SEED) -> np.ndarray:
    """Nanoseconds from the beginning to each of so many arrivals of a Poisson process."""
    gaps = np.random.default_rng(seed).exponential(1.0, count)
    return np.asarray(np.cumsum(gaps) / rate * 1e9, dtype=np.int64)


def open_loop(server: Server, arrivals: np.ndarray, is_hopeless: IsHopeless | None = None) -> Trace:
    """Send a request at each moment of a schedule; what became of them.

    A backlog that takes longer than a share of the schedule is given up.
    """
    answers: list[Answer] = []
    sent: dict[int, int] = {}
    server.on_answer(answers.append)
    now, sleep_until, submit = server.now, server.sleep_until, server.submit
    origin = now() + LEAD_NANOSECONDS
    due = (origin + arrivals).tolist()
    began = time.thread_time()
    for number, moment in enumerate(due):
        sleep_until(moment)
        sent[number] = now()
        submit(number)
        if is_hopeless is not None and is_hopeless(due, answers):
            del due[number + 1 :]
            break
    used = time.thread_time() - began
    _wait(server, due, answers, is_hopeless)
    return trace_of(
        due, sent, answers, lanes=server.lanes, end=server.now(), generator_seconds=used
    )


def _wait(
    server: Server, due: Sequence[int], answers: Sequence[Answer], is_hopeless: IsHopeless | None
) -> None:
    """For the answers, within limits."""

    def is_over() -> bool:
        return len(answers) == len(due) or (is_hopeless is not None and is_hopeless(due, answers))

    patience = max(DRAIN_SHARE * (due[-1] - due[0]), LEAST_DRAIN_SECONDS * 1e9)
    server.wait(is_over, due[-1] + int(patience))
    server.abandon()


def closed_loop(server: Server, clients: int, goes_on: Callable[[int, int], bool]) -> Trace:
    """So many clients, each of which sends a request when its last one is answered.

    ``goes_on`` says, of how many were sent and how many nanoseconds have passed, whether a client
    sends another one.
    """
    answers: list[Answer] = []
    due: dict[int, int] = {}
    numbers = itertools.count()
    now, submit = server.now, server.submit
    origin = now()

    def send() -> None:
        number = next(numbers)
        due[number] = now()
        submit(number)

    def answered(answer: Answer) -> None:
        if goes_on(len(due), answer[2] - origin):
            send()
        answers.append(answer)  # after it was decided: that all are answered means that all ended

    server.on_answer(answered)
    for _ in range(clients):
        send()
    server.wait(lambda: len(answers) == len(due))
    moments = [due[number] for number in range(len(due))]
    return trace_of(moments, due, answers, lanes=server.lanes, end=server.now(), is_closed=True)


class Server(Protocol):
    """Answers requests, and owns the clock: a test simulates both."""

    lanes: int
    """How many requests it executes at the same time."""

    def now(self) -> int:
        """Nanoseconds."""

    def sleep_until(self, moment: int) -> None:
        """Let time pass; return at once if that moment is over."""

    def on_answer(self, tell: Callable[[Answer], None]) -> None:
        """Call this function with each answer from now on, in any thread."""

    def submit(self, number: int) -> None:
        """Put a request into the queue."""

    def wait(self, is_over: Callable[[], bool], until: int | None = None) -> None:
        """Let time pass until something is over, or until a moment."""

    def abandon(self) -> None:
        """Empty the queue, and wait for the requests that are being executed."""


class LaneServer:
    """Sessions that can run at the same time, each in a thread of its own, behind one queue."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self.lanes = len(sessions)
        self._queue: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._tell: Callable[[Answer], None] = _ignore
        self._failures: list[BaseException] = []
        self._busy = [False] * len(sessions)
        self._threads = [
            threading.Thread(target=self._serve, args=(place, session), daemon=True)
            for place, session in enumerate(sessions)
        ]
        for thread in self._threads:
            thread.start()

    def now(self) -> int:
        return time.perf_counter_ns()

    def sleep_until(self, moment: int) -> None:
        seconds = (moment - time.perf_counter_ns()) / 1e9
        if seconds > 0:
            time.sleep(seconds)

    def on_answer(self, tell: Callable[[Answer], None]) -> None:
        self._tell = tell

    def submit(self, number: int) -> None:
        self._queue.put(number)

    def wait(self, is_over: Callable[[], bool], until: int | None = None) -> None:
        while not is_over() and not self._failures:
            if until is not None and self.now() >= until:
                break
            time.sleep(POLL_SECONDS)
        self._raise_failure()

    def abandon(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._queue.get_nowait()
        limit = self.now() + int(STUCK_SECONDS * 1e9)
        self.wait(lambda: not any(self._busy), limit)
        if any(self._busy):
            raise MeasureError(f"A request was not answered within {STUCK_SECONDS:g} s.")

    def close(self) -> None:
        """End the threads, after what they are doing."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(STUCK_SECONDS)

    def _raise_failure(self) -> None:
        if self._failures:
            raise self._failures[0]

    def _serve(self, place: int, session: Session) -> None:
        take, now, busy = self._queue.get, time.perf_counter_ns, self._busy
        prepare, run, synchronize = session.prepare, session.run, session.synchronize
        prepares, waits = session.changes_inputs, session.asynchronous
        attach = getattr(session, "attach", None)
        try:
            if attach is not None:
                attach()
            while (number := take()) is not None:
                busy[place] = True
                if prepares:
                    prepare()
                started = now()
                run()
                if waits:
                    synchronize()
                self._tell((number, started, now()))
                busy[place] = False
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whoever waits raises it
            self._failures.append(error)
            busy[place] = False


def _ignore(answer: Answer) -> None:
    """Nobody listens."""
