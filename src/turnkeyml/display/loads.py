"""Latencies under load as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from turnkeyml.nouns import Evaluation, Performance, UnderLoad, label_of
from turnkeyml.report import significant, text_table

HEADER = ("load", "answers/s", "p50 (ms)", "p90 (ms)", "p95 (ms)", "p99 (ms)", "95% interval")
PARTS = ("mean queueing", "mean service", "busy", "grade")


def by_runtime(evaluations: Iterable[Evaluation]) -> Iterator[list[Evaluation]]:
    """Evaluations under load of one runtime together, in order; any other alone."""

    def kind(pair: tuple[int, Evaluation]) -> tuple[object, ...]:
        number, one = pair
        own = label_of(one.runtime, one.python, one.precision, one.host)
        return (own,) if one.under_load is not None else (own, number)

    for _, group in groupby(enumerate(evaluations), kind):
        yield [evaluation for _, evaluation in group]


def load_lines(evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """The latencies of one runtime under each load, and the rate that was found, if one was."""
    measured = [(e, e.performance, e.under_load) for e in evaluations]
    known = [(e, p, load) for e, p, load in measured if p is not None and load is not None]
    if not known:
        return
    yield f"Latency under load, from when a request is due to its answer, {_setup(known[0][2])}:"
    rows = [_cells(*one) for one in known]
    header = [*HEADER, *PARTS]
    energies = [performance.energy_per_inference for _, performance, _ in known]
    if any(energies):
        header.append("J/answer")
        rows = [[*row, significant(e) if e else ""] for row, e in zip(rows, energies, strict=True)]
    yield from text_table(header, rows)
    for _, _, load in known:
        yield from _objective(load)


def _setup(load: UnderLoad) -> str:
    instances = "1 instance" if load.instances == 1 else f"{load.instances} instances"
    threads = (
        "1 thread" if load.threads_per_instance == 1 else f"{load.threads_per_instance} threads"
    )
    each = "" if load.instances == 1 else " each"
    return f"with {instances} of {threads}{each}"


def _cells(evaluation: Evaluation, performance: Performance, load: UnderLoad) -> list[str]:
    latencies = (
        performance.median_latency,
        performance.p90_latency,
        performance.p95_latency,
        performance.p99_latency,
    )
    return [
        _load(load),
        significant(performance.throughput),
        *("" if value is None else significant(value) for value in latencies),
        _interval(load.p99_low, load.p99_high),
        significant(load.mean_queueing),
        significant(load.mean_service),
        f"{load.utilisation:.0%}",
        evaluation.grade or "",
    ]


def _load(load: UnderLoad) -> str:
    if load.rate is not None:
        return f"{load.rate:.4g}/s"
    return "1 client" if load.concurrency == 1 else f"{load.concurrency} clients"


def _interval(low: float | None, high: float | None) -> str:
    """Of the last percentile; an end that lies beyond the samples is not known."""
    if low is None:
        return ""
    return f"{significant(low)} to {'?' if high is None else significant(high)}"


def _objective(load: UnderLoad) -> Iterator[str]:
    """The answer of a search, in a sentence."""
    if load.capacity is None:
        return
    wanted = load.pattern.removeprefix("slo=").replace("=", " of ")
    known = f"the capacity is {load.capacity:.4g} a second"
    if load.objective_rate is None:
        why = "not even one request at a time does"
        if load.objective_exceeded_at is not None:
            why = f"even {load.objective_exceeded_at:.4g} a second do not"
        yield f"No rate keeps a {wanted}: {why}; {known}."
        return
    beyond = ""
    if load.objective_exceeded_at is not None:
        beyond = f", {load.objective_exceeded_at:.4g} do not"
    yield (
        f"The largest rate that keeps a {wanted} is {load.objective_rate:.4g} requests a second"
        f"{beyond}; {known}."
    )
