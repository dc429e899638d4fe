"""Who answers requests: a queue, and one thread per instance that takes from it."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from turnkeyml.errors import MeasureError
from turnkeyml.measure.load.trace import Answer
from turnkeyml.runtimes import Session

POLL_SECONDS = 0.002
"""How often we look whether all is answered, after the last request was sent."""
STUCK_SECONDS = 600.0
"""For how long a single inference may take when we wait for the last ones."""


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
