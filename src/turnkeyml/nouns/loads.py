"""Load: many requests at once, what is asked for and how a model held up."""

from __future__ import annotations

from dataclasses import dataclass

PERCENTILES = (50, 90, 95, 99)
"""Those that are measured."""


@dataclass(frozen=True)
class Objective:
    """A service level objective: a percentile of the latency and the limit that it must keep."""

    percentile: int
    limit: float
    """Milliseconds."""

    def __str__(self) -> str:
        return f"p{self.percentile}={self.limit:g}ms"


@dataclass(frozen=True)
class LoadPlan:
    """The load to measure under: rates, numbers of clients, or an objective to be kept."""

    rates: tuple[float, ...] = ()
    """Requests per second that arrive at random times, whether earlier ones are answered or not."""
    concurrencies: tuple[int, ...] = ()
    """Clients, each of which sends its next request when the last one is answered."""
    objective: Objective | None = None
    """Find the largest rate that keeps it."""
    instances: int = 0
    """Requests to execute at the same time; 0 for as many as the runtime advises."""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The loads that are asked for, as their measurements name them."""
        objective = () if self.objective is None else (slo_pattern(self.objective),)
        clients = map(concurrency_pattern, self.concurrencies)
        return (*map(rate_pattern, self.rates), *clients, *objective)


def rate_pattern(rate: float) -> str:
    """The load of requests that arrive at random times, so many per second."""
    return f"rate={rate:g}"


def concurrency_pattern(clients: int) -> str:
    """The load of so many clients that wait for their answers."""
    return f"concurrency={clients}"


def slo_pattern(objective: Objective) -> str:
    """The largest load that keeps an objective."""
    return f"slo={objective}"


@dataclass(frozen=True)
class Probe:
    """One rate that the search for the largest one tried."""

    rate: float
    requests: int
    latency: float | None
    """The percentile in milliseconds; None if the probe was given up before that was known."""
    kept: bool


@dataclass(frozen=True)
class UnderLoad:
    """How a model held up under load. Times are in milliseconds.

    The latencies are those of the performance: from when a request was due to when it was answered.
    """

    pattern: str
    """The load as it was asked for: ``rate=20``, ``concurrency=4`` or ``slo=p99=50ms``."""
    requests: int
    answered: int
    """Fewer than the requests if a backlog was given up; the others count with how long they had
    waited until then."""
    instances: int
    """Requests that were executed at the same time."""
    threads_per_instance: int
    rate: float | None = None
    """Requests per second that were sent; None if clients waited for their answers."""
    concurrency: int | None = None
    """Clients that waited for their answers; None if requests arrived at random times."""
    seed: int | None = None
    """Of the random times."""
    p90_low: float | None = None
    """The ends of the 95% intervals of the percentiles."""
    p90_high: float | None = None
    p95_low: float | None = None
    p95_high: float | None = None
    p99_low: float | None = None
    p99_high: float | None = None
    mean_queueing: float = 0.0
    """From when a request was due to when an instance took it."""
    median_queueing: float | None = None
    p99_queueing: float | None = None
    mean_service: float = 0.0
    """From when an instance took a request to the answer."""
    median_service: float | None = None
    p99_service: float | None = None
    utilisation: float = 0.0
    """The share of the time that an instance was busy, on average."""
    overloaded: bool = False
    """Whether requests arrived faster than they were answered: the latency grows with time."""
    p99_lateness: float | None = None
    """How late requests were sent, because the generator could not run; included in the latency."""
    worst_lateness: float = 0.0
    generator_share: float = 0.0
    """Of one core, that the generator used."""
    answers_checked: int = 0
    """Answers under load that were compared with that to a single request."""
    capacity: float | None = None
    """Answers per second if every instance is always busy; known if a rate was searched for."""
    objective_rate: float | None = None
    """The largest rate that kept the objective; None if no rate did."""
    objective_exceeded_at: float | None = None
    """The smallest rate that was seen to break it."""
    objective_resolution: float | None = None
    """How close the search came to the boundary, relative to the rate."""
    probes: tuple[Probe, ...] = ()
