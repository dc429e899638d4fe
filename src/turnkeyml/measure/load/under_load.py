"""Measure a session under load: at rates, with clients, or at the largest rate that is fast enough.

It is warmed up, its answers are checked, and each load is kept up for an ``Extent``. The largest
rate that keeps a service level objective is found by bisection.
"""

from __future__ import annotations

import contextlib
import gc
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from turnkeyml.errors import MeasureError, describe
from turnkeyml.measure.accelerator import DeviceObservation, LoadWatch
from turnkeyml.measure.load.generator import (
    SEED,
    LaneServer,
    Server,
    closed_loop,
    open_loop,
    poisson_arrivals,
)
from turnkeyml.measure.load.trace import (
    MILLISECOND,
    Answer,
    Trace,
    is_overloaded,
    percentile_interval,
    samples_of,
    summary_of,
)
from turnkeyml.measure.meter import Samples
from turnkeyml.measure.statistics import SAMPLES_NEEDED, percentile
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import (
    LoadPlan,
    Objective,
    Probe,
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

CONFIRMING_SEED = SEED + 1
"""Another schedule than that of the search, which was chosen because it went well."""

CONFIRMING_TRIES = 2
"""Rates that a search tries after it has come close."""
CAPACITY_SHARE = 0.2
"""Of the time of a probe, for seeing how many requests are answered if all instances are busy."""
LEAST_CAPACITY_SECONDS = 1.0
ALONE_SECONDS = 1.0
MOST_FAILURES = 40
"""After so many rates that broke the objective we do not look for a lower one."""

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
    observation: DeviceObservation | None = None
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
    observation: DeviceObservation | None


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


@dataclass(frozen=True)
class Extent:
    """How many requests and how many seconds a load is kept up for."""

    requests: int
    """At least, unless ``most_seconds`` come first."""
    seconds: float
    """At least."""
    most_seconds: float
    resolution: float
    """How close the search for a rate comes to the boundary, relative to the rate."""
    exactly: int | None = None
    """Exactly so many requests, whatever that takes."""
    is_budget: bool = False
    """Whether the seconds are for all that a search tries, and not for each load."""
    search_seconds: float = math.inf
    """After which a search that has found a rate comes no closer to the boundary."""

    def count_at(self, rate: float) -> int:
        """How many requests to schedule at a rate."""
        if self.exactly is not None:
            return self.exactly
        seconds = min(max(self.seconds, self.requests / rate), self.most_seconds)
        return max(1, math.ceil(rate * seconds))

    def goes_on(self, sent: int, nanoseconds: int) -> bool:
        """Whether clients that wait for their answers send another request."""
        if self.exactly is not None:
            return sent < self.exactly
        seconds = nanoseconds / 1e9
        return seconds < self.seconds or (sent < self.requests and seconds < self.most_seconds)

    def for_percentile(self, percentile: int) -> Extent:
        """The same for each rate of a search, but with as many requests as tell a percentile, and
        the time that they take."""
        needed = max(self.requests, SAMPLES_NEEDED[percentile])
        tries = math.ceil(math.log2(1 / self.resolution)) + CONFIRMING_TRIES
        if not self.is_budget:
            return Extent(needed, self.seconds, math.inf, self.resolution, self.exactly)
        whole = self.seconds
        return Extent(needed, whole / tries, math.inf, self.resolution, search_seconds=whole)


DEFAULT = Extent(1_000, 10.0, 60.0, 0.05)
QUICK = Extent(SAMPLES_NEEDED[95], 2.0, 10.0, 0.1)
RIGOROUS = Extent(10_000, 60.0, 300.0, 0.02)


def extent_of(rule: Rule) -> Extent:
    """How long the rule of a measurement keeps up each load."""
    base = {"quick": QUICK, "rigorous": RIGOROUS}.get(rule.name, DEFAULT)
    if rule.iterations is not None:
        return Extent(rule.iterations, 0.0, math.inf, base.resolution, rule.iterations)
    if rule.budget_seconds is not None:
        seconds = rule.budget_seconds
        return Extent(0, seconds, seconds, base.resolution, is_budget=True)
    return base


@dataclass(frozen=True)
class FoundRate:
    """The answer of a search."""

    trace: Trace
    """At the rate that was found; of one client at a time if no rate keeps the objective."""
    rate: float | None
    exceeded_at: float | None
    capacity: float
    """Requests per second that are answered if every instance is always busy."""
    probes: tuple[Probe, ...]

    @property
    def resolution(self) -> float | None:
        """How close the search came to the boundary, relative to the rate beyond it."""
        if self.rate is None or self.exceeded_at is None:
            return None
        return (self.exceeded_at - self.rate) / self.exceeded_at


def find_rate(
    server: Server,
    objective: Objective,
    extent: Extent,
    tell: Callable[[str], None] = lambda doing: None,
) -> FoundRate:
    """The largest rate that keeps the objective, to the resolution of the extent unless its time
    ends before.

    The capacity bounds it from above; bisection with one and the same schedule, only faster or
    slower, comes close; another schedule confirms it, at lower rates if need be.
    """
    search = _Search(server, objective, extent.for_percentile(objective.percentile), tell)
    tell("one request at a time")
    alone = search.run_alone()
    capacity = search.capacity()
    if not search.keeps(alone):
        return FoundRate(alone, None, None, capacity, tuple(search.probes))
    low, high = search.bisect(capacity)
    while low > 0:
        trace = search.best_of_two(low, CONFIRMING_SEED)
        if search.keeps(trace):
            return FoundRate(trace, low, high, capacity, tuple(search.probes))
        low, high = search.step_down(low), low
    return FoundRate(alone, None, high, capacity, tuple(search.probes))


@dataclass
class _Search:
    server: Server
    objective: Objective
    extent: Extent
    tell: Callable[[str], None]
    probes: list[Probe] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._began = self.server.now()

    @property
    def is_late(self) -> bool:
        """Whether the time for the search is over."""
        return self.server.now() - self._began > self.extent.search_seconds * 1e9

    def run_alone(self) -> Trace:
        """One client: nobody waits for another."""
        needed = SAMPLES_NEEDED[self.objective.percentile]
        return closed_loop(
            self.server, 1, lambda sent, passed: sent < needed or passed < ALONE_SECONDS * 1e9
        )

    def capacity(self) -> float:
        """Requests per second that are answered if every instance is always busy."""
        self.tell(f"{self.server.lanes} requests at a time")
        seconds = max(LEAST_CAPACITY_SECONDS, CAPACITY_SHARE * self.extent.seconds)
        trace = closed_loop(
            self.server,
            2 * self.server.lanes,
            lambda sent, passed: passed < seconds * 1e9 or sent < 20 * self.server.lanes,
        )
        return len(trace.due) / (trace.wall / 1e9)

    def bisect(self, capacity: float) -> tuple[float, float]:
        """A rate that kept the objective, 0 if none was found, and one that did not."""
        low, high = 0.0, capacity
        least = capacity * self.extent.resolution / 4
        while high - low > self.extent.resolution * high and high > least:
            if low > 0 and self.is_late:
                break
            middle = (low + high) / 2
            kept = self.keeps(self.best_of_two(middle))
            low, high = (middle, high) if kept else (low, middle)
        return low, high

    def step_down(self, rate: float) -> float:
        """The next rate to confirm; 0 if there is none."""
        lower = rate * (1 - self.extent.resolution)
        tried = sum(not probe.kept for probe in self.probes)
        return lower if tried < MOST_FAILURES else 0.0

    def best_of_two(self, rate: float, seed: int = SEED) -> Trace:
        """The load at a rate, once more with the same schedule if it broke the objective: a moment
        in which others had the machine would end the search far from where it belongs."""
        trace = self.probe(rate, seed)
        return trace if self.keeps(trace) else self.probe(rate, seed)

    def probe(self, rate: float, seed: int = SEED) -> Trace:
        """The load at a rate, given up as soon as the objective cannot be kept any more."""
        count = self.extent.count_at(rate)
        self.tell(f"{rate:.4g} requests a second")
        watch = _Watch(self.objective, count)
        trace = open_loop(self.server, poisson_arrivals(rate, count, seed), watch.is_broken)
        kept = self.keeps(trace)
        whole = len(trace.due) == count and bool(trace.answered.all())
        latency = self.latency(trace) if whole else None
        self.probes.append(Probe(rate, len(trace.due), latency, kept))
        return trace

    def keeps(self, trace: Trace) -> bool:
        latency = self.latency(trace)
        kept = latency is not None and latency <= self.objective.limit
        return kept and not is_overloaded(trace)

    def latency(self, trace: Trace) -> float | None:
        return percentile(trace.latencies / MILLISECOND, self.objective.percentile)


class _Watch:
    """Counts the answers that took too long: with too many of them the rest does not matter."""

    def __init__(self, objective: Objective, count: int) -> None:
        self._limit = objective.limit * MILLISECOND
        self._allowed = count - math.ceil(objective.percentile / 100 * count)
        self._seen = self._exceeded = 0

    def is_broken(self, due: Sequence[int], answers: Sequence[Answer]) -> bool:
        while self._seen < len(answers):
            number, _, ended = answers[self._seen]
            self._exceeded += ended - due[number] > self._limit
            self._seen += 1
        return self._exceeded > self._allowed
