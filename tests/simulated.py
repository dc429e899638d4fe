"""Servers of known service times in virtual time, and what queueing theory says of them."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable

import numpy as np

from turnkeyml.measure import Answer

MILLISECOND = 1_000_000
"""In nanoseconds."""


class SimulatedServer:
    """Answers requests after known service times; time passes as fast as we can compute."""

    def __init__(self, service: Callable[[int], float], lanes: int = 1) -> None:
        """``service`` gives the nanoseconds that the request of a number takes."""
        self.lanes = lanes
        self._service = service
        self._now = 0
        self._idle = lanes
        self._queue: deque[int] = deque()
        self._running: list[tuple[int, int, int]] = []
        """When each ends, its number, and when it started."""
        self._tell: Callable[[Answer], None] = lambda answer: None

    def now(self) -> int:
        return self._now

    def sleep_until(self, moment: int) -> None:
        while self._running and self._running[0][0] <= moment:
            self._finish_one()
        self._now = max(self._now, moment)

    def on_answer(self, tell: Callable[[Answer], None]) -> None:
        self._tell = tell

    def submit(self, number: int) -> None:
        self._queue.append(number)
        self._start()

    def wait(self, is_over: Callable[[], bool], until: int | None = None) -> None:
        while self._running and not is_over():
            if until is not None and self._running[0][0] > until:
                self._now = max(self._now, until)
                return
            self._finish_one()

    def abandon(self) -> None:
        self._queue.clear()
        while self._running:
            self._finish_one()

    def _start(self) -> None:
        while self._idle and self._queue:
            self._idle -= 1
            number = self._queue.popleft()
            end = self._now + round(self._service(number))
            heapq.heappush(self._running, (end, number, self._now))

    def _finish_one(self) -> None:
        end, number, started = heapq.heappop(self._running)
        self._now = end
        self._idle += 1
        self._tell((number, started, end))
        self._start()


def deterministic(milliseconds: float) -> Callable[[int], float]:
    """Service times that are all the same."""
    return lambda number: milliseconds * MILLISECOND


def exponential(milliseconds: float, seed: int) -> Callable[[int], float]:
    """Service times of an exponential distribution with this mean."""
    draw = np.random.default_rng(seed).exponential
    return lambda number: draw(milliseconds) * MILLISECOND


class MM1:
    """Theory: Poisson arrivals, exponential service times, one server. Times in milliseconds."""

    def __init__(self, rate: float, service: float) -> None:
        self._free = 1 / service - rate / 1e3
        self.mean_queueing = rate / 1e3 * service / self._free
        self.mean_latency = 1 / self._free

    def percentile(self, percent: float) -> float:
        """Of the latency, which is exponential."""
        return -math.log(1 - percent / 100) / self._free


class MD1:
    """Theory: Poisson arrivals, one service time, one server. Times in milliseconds."""

    def __init__(self, rate: float, service: float) -> None:
        self._rate, self._service = rate / 1e3, service
        self._busy = self._rate * service
        self.mean_queueing = self._busy * service / (2 * (1 - self._busy))
        self.mean_latency = self.mean_queueing + service

    def percentile(self, percent: float) -> float:
        """Of the latency, by bisection of its distribution."""
        low, high = 0.0, 60 * self._service
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if 100 * self._waited_less(middle) < percent else (low, middle)
            )
        return self._service + high

    def _waited_less(self, time: float) -> float:
        """The share of requests that wait at most so long (Erlang's formula)."""
        terms = []
        for k in range(int(time / self._service) + 1):
            x = self._rate * (k * self._service - time)
            terms.append(x**k / math.factorial(k) * math.exp(-x))
        return (1 - self._busy) * math.fsum(terms)
