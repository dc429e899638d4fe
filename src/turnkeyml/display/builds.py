"""Builds in a cache, and models that come with turnkey, as text.

The table of builds fits a terminal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.cache import to_yaml
from turnkeyml.escaping import one_line
from turnkeyml.nouns import Cause, Grade, Verdict, in_words
from turnkeyml.report import significant, text_table

if TYPE_CHECKING:
    from turnkeyml.cache import BuildSummary, EvaluationSummary

NAME, MODEL, RUNTIME = 0, 1, 2
SHORTEST_NAME, SHORTEST_MODEL, SHORTEST_RUNTIME = 20, 8, 16
"""Columns of a terminal below which a cell says nothing any more."""
LAST = float("inf")
ORDERS: dict[str, Callable[[BuildSummary], object]] = {
    "name": lambda build: build.name,
    "model": lambda build: (build.model.lower(), build.name),
    "runtime": lambda build: [(e.device_type, e.label) for e in build.evaluations],
    "latency": lambda build: min((e.median or LAST for e in build.evaluations), default=LAST),
    "grade": lambda build: min((_rank(e.grade) for e in build.evaluations), default=LAST),
    "verdict": lambda build: -max(_verdict_ranks(build), default=-1),
    "age": lambda build: -build.used_at,
    "size": lambda build: -build.size,
}
"""What ``--sort`` takes: the fastest, best graded, newest or largest first, the worst verdict."""
SHOWN_LABELS = ("task", "author", "license", "params", "test_group")


def build_table(builds: Sequence[BuildSummary], width: int) -> list[str]:
    """The lines of a table with one line per evaluation, at most ``width`` columns wide.

    In a narrow terminal the models are left out, and long names lose their middle, so that ``*``
    and the hash still select the build.
    """
    now = time.time()
    devices = {e.device_type for build in builds for e in build.evaluations}
    device = devices.pop() if len(devices) == 1 else ""
    rows = [row for build in builds for row in _rows(build, now, with_device=not device)]
    runtime = f"runtime ({device})" if device else "device, runtime"
    header = ["build", "model", runtime, "latency (ms)", "grade", "verdict", "age", "size"]
    return _Table(header, rows, width).lines()


def sort_builds(builds: Iterable[BuildSummary], order: str) -> list[BuildSummary]:
    """The builds in an order of ``ORDERS``; those that are alike keep theirs."""
    return sorted(builds, key=ORDERS[order])  # type: ignore[arg-type]


def names_lines(cache_dir: Path, names: Iterable[str]) -> list[str]:
    """A header and the names of the builds in a cache."""
    return [f"Info: Builds available in cache {cache_dir}:", *names]


def stats_lines(
    cache_dir: Path, name: str, state: Mapping[str, Any] | None, stats: Mapping[str, Any]
) -> list[str]:
    """The state and the stats of a build."""
    return [
        f"Info: The state of build {name} in cache {cache_dir} is:",
        *(["There is no state that can be read."] if state is None else to_yaml(state).split("\n")),
        f"Info: The stats of build {name} are:",
        *to_yaml(stats).split("\n"),
    ]


def model_lines(models: Mapping[str, Mapping[str, Iterable[str]]]) -> list[str]:
    """A table of models with their labels, and their number."""
    rows = [
        [name, *(",".join(labels.get(key, ())) for key in SHOWN_LABELS)]
        for name, labels in models.items()
    ]
    count = f"{len(rows)} {'model' if len(rows) == 1 else 'models'}"
    return [*text_table(("model", *SHOWN_LABELS), rows), "", count]


def size_in_words(size: float) -> str:
    """A number of bytes with three digits: ``1.23GB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g}{unit}"
        size /= 1000
    return f"{size:.3g}TB"


def memory_in_words(size: float) -> str:
    """A number of bytes with a unit, such as ``1.5 MB``."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{round(float(size), 2)} {unit}"
        size /= 1024
    return f"{round(size, 2)} TB"


def age_in_words(seconds: float) -> str:
    """A time span in its largest unit, as ``--older-than`` takes it: ``3d``."""
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f}{unit}"
    return f"{max(seconds, 0):.0f}s"


def _rows(build: BuildSummary, now: float, with_device: bool) -> list[list[str]]:
    """One row per evaluation; the build itself is only in the first."""
    own = [one_line(build.name), one_line(build.model)]
    size = size_in_words(build.size)
    if not build.evaluations:
        state = str(build.status or "") if build.readable else "unreadable"
        state = {"successful_build": "not measured", "build_running": "running"}.get(
            state, state.replace("_", " ")
        )
        verdict = _verdict(build)
        return [[*own, "", state, "", verdict, age_in_words(now - build.used_at), size]]
    rows = [_evaluation_cells(e, now, with_device) for e in build.evaluations]
    return [
        [*own, *rows[0], size],
        *(["", "", *row, ""] for row in rows[1:]),
    ]


def _evaluation_cells(evaluation: EvaluationSummary, now: float, with_device: bool) -> list[str]:
    device = evaluation.device_type if with_device else ""
    where = one_line(f"{device} {evaluation.label} {evaluation.point}".strip())
    age = age_in_words(now - evaluation.measured_at) if evaluation.measured_at else ""
    if not evaluation.ok or evaluation.median is None:
        return [where, "failed", "", "", age]
    half = evaluation.half_width
    interval = "" if half is None else f" ±{100 * half:.1f}%"
    latency = f"{significant(evaluation.median)}{interval}"
    return [where, latency, str(evaluation.grade or ""), _verdict(evaluation), age]


def _verdict(told: BuildSummary | EvaluationSummary) -> str:
    if told.verdict is None:
        return ""
    return in_words(told.verdict, Cause.RECORDED_ONLY if told.recorded_only else None)


class _Table:
    """Aligned cells that take as little from each other as the terminal needs."""

    def __init__(self, header: list[str], rows: list[list[str]], width: int) -> None:
        self._header, self._rows, self._width = header, rows, width
        self._gap = 2

    def lines(self) -> list[str]:
        self._narrow(MODEL, SHORTEST_MODEL, _cut)
        if self._excess() > 0:
            for cells in (self._header, *self._rows):
                del cells[MODEL]
            self._gap = 2 if self._excess() <= 0 else 1
            self._narrow(RUNTIME - 1, SHORTEST_RUNTIME, _cut)
        self._narrow(NAME, SHORTEST_NAME, _without_middle)
        widths = self._widths()
        return [self._line(cells, widths) for cells in (self._header, *self._rows)]

    def _narrow(self, column: int, shortest: int, cut: Callable[[str, int], str]) -> None:
        """Make a column as narrow as the terminal needs, but not below ``shortest``."""
        excess = self._excess()
        if excess > 0:
            room = max(self._widths()[column] - excess, shortest)
            for cells in (self._header, *self._rows):
                cells[column] = cut(cells[column], room)

    def _widths(self) -> list[int]:
        return [max(map(len, cells)) for cells in zip(self._header, *self._rows, strict=True)]

    def _excess(self) -> int:
        """How many columns the table is too wide."""
        widths = self._widths()
        return sum(widths) + self._gap * (len(widths) - 1) - self._width

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        """The age and the size, which are numbers, are aligned to the right."""
        numbers = len(cells) - 2
        aligned = [
            cell.rjust(width) if column >= numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return _cut((" " * self._gap).join(aligned).rstrip(), self._width)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: max(room - 1, 0)]}…"


def _without_middle(text: str, room: int) -> str:
    """The text in this many characters, with both ends; the end of a build name is its hash."""
    if len(text) <= room:
        return text
    end = min(9, room // 2)
    return f"{text[: room - end - 1]}…{text[-end:]}"


def _rank(grade: Grade | None) -> float:
    return LAST if grade is None else list(Grade).index(grade)


def _verdict_ranks(build: BuildSummary) -> list[int]:
    told: list[Verdict | None] = [e.verdict for e in build.evaluations] or [build.verdict]
    return [verdict.rank for verdict in told if verdict is not None]
