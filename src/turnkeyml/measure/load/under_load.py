"""Measuring a loaded model under load: warm up, check the answers, then every load of the plan."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from turnkeyml.errors import MeasureError, describe
from turnkeyml.measure.accelerator import LoadWatch, Observation
from turnkeyml.measure.load.generator import (
    SEED,
    LaneServer,
    closed_loop,
    open_loop,
    poisson_arrivals,
)
from turnkeyml.measure.load.search import CONFIRMING_SEED, Extent, extent_of, find_rate
from turnkeyml.measure.load.trace import Trace, percentile_interval, samples_of, summary_of
from turnkeyml.measure.meter import Samples
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import (
    LoadPlan,
    Objective,
    UnderLoad,
    Verification,
    concurrency_pattern,
    rate_pattern,
    slo_pattern,
)
from turnkeyml.runtimes import Monitor, Session
from turnkeyml.system import Activity, punctual, read_activity
from turnkeyml.verify import Outputs, Reference, compare

WARMUP_SECONDS = 0.1
WARMUP_REQUESTS = 3
"""Per instance, in each of the rounds of the warm-up."""
WARMUP_ROUNDS = 5
"""After each of which the last answer of every instance is checked."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class LoadPoint:
    """What was measured under one load."""

    samples: Samples
    load: UnderLoad
    queueing: tuple[int, ...] = ()
    """Nanoseconds that each request waited, one for each of the samples."""
    wrong: Verification | None = None
    """The verdict on an answer under load that differs from that to a single request."""
    observation: Observation | None = None
    """What the accelerator said of the load."""
    median_ends: tuple[float | None, float | None] = (None, None)
    """Those of the 95% interval of the median latency, in milliseconds."""


def measure_under_load(
    session: Session,
    plan: LoadPlan,
    rule: Rule,
    precision: str,
    tell: Tell = lambda doing: None,
    *,
    monitor: Monitor | None = None,
) -> Iterator[LoadPoint]:
    """What was measured under each load of a plan, one after the other.

    The session was opened for several instances, fed, and has run once. ``monitor`` watches its
    accelerator.
    """
    load = _Loading(session, rule, precision, tell, monitor)
    with punctual(), contextlib.closing(load.server):
        load.warm_up()
        for rate in plan.rates:
            yield load.at_rate(rate)
        for clients in plan.concurrencies:
            yield load.with_clients(clients)
        if plan.objective is not None:
            yield load.within(plan.objective)


@dataclass(frozen=True)
class _Seen:
    """What went on besides while a load was kept up."""

    activity: Activity
    observation: Observation | None


class _Loading:
    """The lanes of a session behind a queue, and what a single request is answered."""

    def __init__(
        self, session: Session, rule: Rule, precision: str, tell: Tell, monitor: Monitor | None
    ) -> None:
        self._precision, self._tell = precision, tell
        self._session, self._monitor = session, monitor
        self._extent: Extent = extent_of(rule)
        settings = session.settings()
        self._lanes: list[Session] = cast("Any", session).lanes()
        self._threads = int(settings.get("threads_per_instance") or 1)
        self._expected, self._repeats = _answers_alone(self._lanes)
        self._checked, self._wrong = 0, cast("Verification | None", None)
        self.server = LaneServer(self._lanes)

    def warm_up(self) -> None:
        """Keep every instance busy for a moment, and check what they answer."""
        self._tell("warming up")
        most = WARMUP_REQUESTS * len(self._lanes)
        for _ in range(WARMUP_ROUNDS):
            closed_loop(
                self.server,
                len(self._lanes),
                lambda sent, passed: sent < most or passed < WARMUP_SECONDS * 1e9,
            )
            self._check()

    def at_rate(self, rate: float) -> LoadPoint:
        """Requests that arrive at random times, so many per second."""
        arrivals = poisson_arrivals(rate, self._extent.count_at(rate))
        self._tell(f"{len(arrivals):,} requests, {rate:g} a second")
        trace, seen = self._watched(lambda: open_loop(self.server, arrivals))
        return self._point(trace, seen, rate_pattern(rate), rate=rate, seed=SEED)

    def with_clients(self, clients: int) -> LoadPoint:
        """Clients that wait for their answers."""
        self._tell(f"{clients} request{'s' if clients > 1 else ''} at a time")
        trace, seen = self._watched(lambda: closed_loop(self.server, clients, self._extent.goes_on))
        return self._point(trace, seen, concurrency_pattern(clients), concurrency=clients)

    def within(self, objective: Objective) -> LoadPoint:
        """The largest rate that keeps an objective."""
        found, seen = self._watched(
            lambda: find_rate(self.server, objective, self._extent, self._tell)
        )
        alone = found.rate is None
        return self._point(
            found.trace,
            seen,
            slo_pattern(objective),
            rate=found.rate,
            seed=None if alone else CONFIRMING_SEED,
            concurrency=1 if alone else None,
            capacity=found.capacity,
            objective_rate=found.rate,
            objective_exceeded_at=found.exceeded_at,
            objective_resolution=found.resolution,
            probes=found.probes,
        )

    def _watched(self, run: Callable[[], Any]) -> tuple[Any, _Seen]:
        """What a load gives, and what was seen meanwhile."""
        watch = LoadWatch(self._session, self._monitor)
        before, collecting = read_activity(), gc.isenabled()
        gc.disable()
        try:
            found = run()
        finally:
            if collecting:
                gc.enable()
        after = read_activity()
        answers = int(found.answered.sum()) if isinstance(found, Trace) else None
        return found, _Seen(before.until(after), watch.end(answers))

    def _point(self, trace: Trace, seen: _Seen, pattern: str, **facts: Any) -> LoadPoint:
        self._check()
        facts["answers_checked"] = self._checked
        load = summary_of(trace, pattern, self._threads, **facts)
        samples = replace(samples_of(trace), activities=(seen.activity,))
        queueing = tuple(trace.queueing.tolist())
        median = percentile_interval(trace, 50)
        return LoadPoint(samples, load, queueing, self._wrong, seen.observation, median)

    def _check(self) -> None:
        """Compare the last answer of every instance, which it gave while the others were busy."""
        if not self._repeats:
            return
        for lane in self._lanes:
            found = compare(lane.outputs(), Reference({}, self._expected), self._precision)
            self._checked += 1
            if not found.trusted:
                self._wrong = found


def _answers_alone(lanes: Sequence[Session]) -> tuple[Outputs, bool]:
    """The answer to a single request, and whether a second one is answered the same."""
    first = _answer(lanes[0])
    again = _answer(lanes[0])
    for lane in lanes[1:]:
        try:
            _answer(lane)  # the first run of a session takes longer
        except Exception as error:
            raise MeasureError(
                f"A session that lanes() returned could not run ({describe(error)}): turnkey feeds "
                "only the first one, and lanes() the others."
            ) from error
    return first, first.keys() == again.keys() and all(_same(first[n], again[n]) for n in first)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def _answer(lane: Session) -> Outputs:
    lane.prepare()
    lane.run()
    lane.synchronize()
    return {name: np.array(value, copy=True) for name, value in lane.outputs().items()}
