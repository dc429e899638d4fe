"""Sending requests: at moments that are fixed beforehand, or when the last one is answered.

In an open loop the schedule does not depend on the server. A request is due when the schedule says
so, however long the earlier ones take, and its latency counts from then: a server that stalls
delays all that were due meanwhile, and each of them shows it. A loop that waits for an answer
before it sends the next request would see the stall once (coordinated omission).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence

import numpy as np

from turnkeyml.measure.load.server import Server
from turnkeyml.measure.load.trace import Answer, Trace, trace_of

LEAD_NANOSECONDS = 2_000_000
"""Before the first request is due."""
DRAIN_SHARE = 0.5
LEAST_DRAIN_SECONDS = 2.0
"""For how long we wait for a backlog after the last request: a share of the time before."""

IsHopeless = Callable[[Sequence[int], Sequence[Answer]], bool]
"""Whether the rest need not be waited for, by when requests were due and the answers by now."""


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
