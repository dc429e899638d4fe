"""Races, sweeps and latencies under load as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from turnkeyml.nouns import (
    Evaluation,
    InputResult,
    Performance,
    RaceResult,
    RaceRow,
    UnderLoad,
    Verdict,
    label_of,
)
from turnkeyml.report import significant, text_table

HEADER = ("load", "answers/s", "p50 (ms)", "p90 (ms)", "p95 (ms)", "p99 (ms)", "95% interval")
PARTS = ("mean queueing", "mean service", "busy", "grade")


def interval_in_words(performance: Performance) -> str:
    """The 95% interval of the median; empty if there are too few samples."""
    low, high = performance.median_low, performance.median_high
    if low is None or high is None:
        return ""
    return f"{significant(low)} to {significant(high)}"


def race_lines(race: RaceResult) -> list[str]:
    """The table of a race, the failures and mismatches, and the verdict."""
    header = ["contestant", "median (ms)", "95% interval", "grade"]
    header += ["speed-up", "95% interval", "verified"]
    lines = text_table(header, [_race_cells(row, race) for row in race.rows])
    lost = [row for row in race.rows if not row.evaluation.ok]
    lines += [f"{row.label} failed: {row.evaluation.reason}" for row in lost]
    lines += [
        f"{row.label} computes something else (mismatch): {row.evaluation.verification.reason}"
        for row in race.rows
        if row.evaluation.verification and row.evaluation.verdict is Verdict.MISMATCH
    ]
    moved = [row.label for row in race.rows if _moved(row, race)]
    if moved:
        lines.append(
            f"{', '.join(moved)}: the median drifted between rounds, so the speed-up, which "
            "compares within rounds, differs from the ratio of the medians."
        )
    return [*lines, race.verdict]


def _moved(row: RaceRow, race: RaceResult) -> bool:
    """Whether the ratio of the medians lies outside the interval of the speed-up."""
    base = next((r.evaluation.performance for r in race.rows if r.label == race.baseline), None)
    own = row.evaluation.performance
    if base is None or own is None or row.speedup_low is None or row.speedup_high is None:
        return False
    ratio = base.median_latency / own.median_latency
    return not row.speedup_low <= ratio <= row.speedup_high


def _race_cells(row: RaceRow, race: RaceResult) -> list[str]:
    performance = row.evaluation.performance
    if performance is None:
        return [row.label, "failed", "", "", "", "", ""]
    ratio = "1 (baseline)" if row.label == race.baseline else _times(row.speedup)
    interval = ""
    if row.label != race.baseline and row.speedup_low and row.speedup_high:
        interval = f"{_times(row.speedup_low)} to {_times(row.speedup_high)}"
    return [
        row.label,
        significant(performance.median_latency),
        interval_in_words(performance),
        row.evaluation.grade or "",
        ratio,
        interval,
        row.evaluation.verdict_in_words,
    ]


def _times(ratio: float | None) -> str:
    return "" if ratio is None else significant(ratio, 3)


def sweep_lines(results: Sequence[InputResult]) -> list[str]:
    """The table of a sweep; empty without one."""
    swept = [r for r in results if r.parameters]
    if not swept:
        return []
    names = list(dict.fromkeys(name for r in swept for name in r.parameters))
    batches = "batch_size" in names
    header = ["script", "model", *names, "runtime", "median (ms)", "95% interval", "grade"]
    header += ["runs/s", *["items/s"] * batches]
    rows = [row for result in swept for row in _sweep_rows(result, names, batches)]
    several = [len({row[i] for row in rows} - {""}) > 1 for i in range(len(header))]
    optional = {"script", "model", "runtime"}
    shown = [i for i, title in enumerate(header) if title not in optional or several[i]]
    table = text_table([header[i] for i in shown], [[row[i] for i in shown] for row in rows])
    return ["Sweep:", "", *table, *_without_effect(swept, names)]


def _sweep_rows(result: InputResult, names: list[str], batches: bool) -> Iterable[list[str]]:
    point = [result.parameters.get(name, "") for name in names]
    found = False
    for row in result.invocations:
        for evaluation in row.evaluations:
            found = True
            cells = [result.input.name, row.invocation.name, *point, evaluation.label]
            yield [*cells, *_sweep_cells(evaluation, result.parameters, batches)]
    if not found:
        yield [result.input.name, "", *point, "", "failed", "", "", "", *[""] * batches]


def _sweep_cells(evaluation: Evaluation, point: dict[str, str], batches: bool) -> list[str]:
    performance = evaluation.performance
    if performance is None:
        return ["failed", "", "", "", *[""] * batches]
    cells = [significant(performance.median_latency), interval_in_words(performance)]
    cells += [evaluation.grade or "", significant(performance.throughput)]
    if batches:
        batch = point.get("batch_size", "")
        cells.append(significant(performance.throughput * int(batch)) if batch.isdigit() else "")
    return cells


def _without_effect(results: Sequence[InputResult], names: list[str]) -> list[str]:
    """A caution if every point of the sweep found the same models."""
    found = {
        (r.input.path, tuple(sorted(i.invocation.hash for i in r.invocations))) for r in results
    }
    scripts = {r.input.path for r in results}
    if len(results) <= len(scripts) or len(found) > len(scripts):
        return []
    changed = f"The sweep of {', '.join(names)} changed no model"
    return ["", f"Caution: {changed}; check that the script uses the argument."]


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
