"""Races and sweeps as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from turnkeyml.nouns import Evaluation, InputResult, Performance, RaceResult, RaceRow, Verdict
from turnkeyml.report import significant, text_table


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
