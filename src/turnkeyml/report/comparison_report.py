"""A comparison as a report: records for programs, and for people a table and sentences."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from turnkeyml.cache import replacing
from turnkeyml.errors import UsageError
from turnkeyml.nouns import Flag, FlagKind, Verdict, Word, in_words, to_dict
from turnkeyml.report import formats
from turnkeyml.report.compared_rows import Item, item_in_words
from turnkeyml.report.comparison import (
    ComparedFailure,
    ComparedRow,
    Comparison,
    Difference,
    SingleRow,
    Undecided,
    undecided_in_words,
)
from turnkeyml.report.contract import (
    Cell,
    Repeatable,
    Report,
    Section,
    Table,
    TextFormat,
    significant,
)

COLUMNS = (
    "change",
    "build_name",
    "model_name",
    "model_hash",
    "hash",
    "device_type",
    "runtime",
    "python",
    "host",
    "precision",
    "parameters",
    "median_a",
    "median_b",
    "ratio",
    "ratio_low",
    "ratio_high",
    "verdict",
    "failure_a",
    "failure_b",
    "verification_a",
    "verification_b",
    "grade_a",
    "grade_b",
    "differences",
    "flags_a",
    "flags_b",
    "notes",
    "ratio_raw",
    "undecided",
    "cause_a",
    "cause_b",
)
WORDS = (
    *("verdict", "verification_a", "verification_b", "grade_a", "grade_b"),
    *("undecided", "cause_a", "cause_b"),
)
_HEADER = (
    "build",
    "device",
    "runtime",
    "parameters",
    "A (ms)",
    "B (ms)",
    "B/A",
    "95% interval",
    "verdict",
    "grades",
    "cautions",
)
_MARKED = (Undecided.MISMATCH, Undecided.NOT_CREDIBLE)
"""Why a row is UNCLEAR that no longer measurement would decide: the table says so."""


def render(comparison: Comparison, format: str, verbose: bool = False) -> str:
    """The text of a comparison in a format, without a line break at the end."""
    form = formats.find_format(format)
    if not isinstance(form, TextFormat):
        raise UsageError(
            f"The format {format} cannot be printed, as it is not text; name a file with --output."
        )
    file = io.BytesIO()
    form.write(report_of(comparison, verbose), file)
    return file.getvalue().decode("utf-8").removesuffix("\n")


def save(comparison: Comparison, path: Path, format: str | None = None) -> bool:
    """Write a comparison to a file; whether there was one of this name before."""
    form = formats.find_format(format) if format else formats.by_suffix(path)
    form.check_installed()
    existed = path.exists()
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        form.write(report_of(comparison), file)
    return existed


def report_of(comparison: Comparison, verbose: bool = False) -> Report:
    """A comparison, ready for any format."""
    return Report(
        columns=COLUMNS,
        records=Repeatable(lambda: _records(comparison)),
        heading=(("A", comparison.a), ("B", comparison.b)),
        sections=sections_of(comparison, verbose),
        facts={
            "geometric_mean": to_dict(comparison.geometric_mean),
            "undecided": undecided_in_words(comparison),
        },
    )


def _records(comparison: Comparison) -> Iterator[dict[str, Cell]]:
    for row in comparison.rows:
        yield {"change": "matched", **_identity(row.item), **_figures(row)}
    for failure in comparison.failures:
        reasons: dict[str, Cell] = {
            "failure_a": failure.failure_a,
            "failure_b": failure.failure_b,
            "verification_a": _word(failure.verification_a),
            "verification_b": _word(failure.verification_b),
        }
        yield {"change": "failed", **_identity(failure.item), **reasons}
    for change, side, singles in (
        ("vanished", "a", comparison.vanished),
        ("appeared", "b", comparison.appeared),
    ):
        for single in singles:
            known: dict[str, Cell] = {
                f"median_{side}": single.median,
                f"failure_{side}": single.failure,
                f"verification_{side}": _word(single.verification),
            }
            yield {"change": change, **_identity(single.item), **known}


def _identity(item: Item) -> dict[str, Cell]:
    names = COLUMNS[COLUMNS.index("build_name") : COLUMNS.index("parameters")]
    return {**{name: getattr(item, name) for name in names}, "parameters": item.point}


def _figures(row: ComparedRow) -> dict[str, Cell]:
    names = ("median_a", "median_b", "ratio", "ratio_low", "ratio_high")
    return {
        **{name: getattr(row, name) for name in names},
        **{name: _word(getattr(row, name)) for name in WORDS},
        "differences": "; ".join(f"{d.name}: {d.a} in A, {d.b} in B" for d in row.differences),
        "flags_a": " ".join(flag.kind for flag in row.flags_a),
        "flags_b": " ".join(flag.kind for flag in row.flags_b),
        "notes": "; ".join(row.notes),
        "ratio_raw": row.ratio_raw,
    }


def _word(word: Word | None) -> str | None:
    return None if word is None else str(word)


def sections_of(comparison: Comparison, verbose: bool = False) -> tuple[Section, ...]:
    """The table, then what changed, the most severe first.

    A sentence that applies to many rows appears once, or with ``verbose`` once per row.
    """
    rows = comparison.rows
    told = _Sentences(rows, verbose)
    found: list[tuple[str, Iterable[str]]] = [
        ("Failed", map(_failure, sorted(comparison.failures, key=_severity))),
        ("Verified differently", _verification_changes(comparison)),
        ("Vanished: only in A", map(_single, comparison.vanished)),
        ("Appeared: only in B", map(_single, comparison.appeared)),
        ("Measured under different conditions", [*told.grades(), *told.differences()]),
        ("Cautions", told.cautions()),
        ("Notes", [*told.notes(), *comparison.remarks]),
    ]
    sections = [Section(title, sentences=tuple(sentences)) for title, sentences in found]
    return (
        *([Section(table=_table(rows))] if rows else []),
        *(section for section in sections if section.sentences),
        Section(sentences=_summary(comparison)),
    )


def _table(rows: Sequence[ComparedRow]) -> Table:
    """The table of the rows, without columns that carry no information."""
    needed = {
        "device": len({row.item.device_type for row in rows}) > 1,
        "parameters": any(row.item.point for row in rows),
        "grades": any(row.grade_a or row.grade_b for row in rows),
        "cautions": any(row.flags_a or row.flags_b for row in rows),
    }
    shown = [i for i, title in enumerate(_HEADER) if needed.get(title, True)]
    cells = [_cells(row) for row in rows]
    return Table(tuple(_HEADER[i] for i in shown), [[line[i] for i in shown] for line in cells])


def _cells(row: ComparedRow) -> list[str]:
    item = row.item
    return [
        item.build_name,
        item.device_type,
        item.label,
        item.point,
        significant(row.median_a),
        significant(row.median_b),
        _ratio(row.ratio),
        _interval(row.ratio_low, row.ratio_high),
        f"{row.verdict} ({row.undecided})" if row.undecided in _MARKED else row.verdict,
        _grades(row),
        " ".join(dict.fromkeys(flag.kind for flag in (*row.flags_a, *row.flags_b))),
    ]


def _grades(row: ComparedRow) -> str:
    """The grades of A and B; empty if neither is known."""
    if row.grade_a is None and row.grade_b is None:
        return ""
    return f"{row.grade_a or '?'}/{row.grade_b or '?'}"


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value >= 0.1 else significant(value, 3)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_ratio(low)} to {_ratio(high)}"


def _severity(failure: ComparedFailure) -> int:
    """The order of failures: new ones first, then fixed ones, then those on both sides."""
    return (failure.failure_a is not None) + (
        failure.failure_a is not None and failure.failure_b is not None
    )


def _failure(failure: ComparedFailure) -> str:
    name = item_in_words(failure.item)
    if failure.failure_a is None:
        return f"{name}: was successful, now failed: {failure.failure_b}"
    if failure.failure_b is None:
        return f"{name}: had failed, now successful; it was: {failure.failure_a}"
    return f"{name}: failed before and now: {failure.failure_b}"


def _verification_changes(comparison: Comparison) -> Iterator[str]:
    """Rows with another verdict on their outputs, and mismatches in B that A has not measured."""
    for row in comparison.rows:
        before = in_words(row.verification_a, row.cause_a)
        now = in_words(row.verification_b, row.cause_b)
        if before != now:
            yield f"{item_in_words(row.item)}: {before} in A, {now} in B"
    for failure in comparison.failures:
        if failure.verification_b is Verdict.MISMATCH:
            yield f"{item_in_words(failure.item)}: failed in A, {failure.verification_b} in B"


def _single(row: SingleRow) -> str:
    name = item_in_words(row.item)
    if row.median is None:
        return f"{name}: failed: {row.failure}"
    wrong = f" ({row.verification})" if row.verification is Verdict.MISMATCH else ""
    return f"{name}: {significant(row.median)} ms{wrong}"


class _Sentences:
    """Sentences about rows: each once for all rows that share it, or once per row if verbose."""

    def __init__(self, rows: Sequence[ComparedRow], verbose: bool) -> None:
        self._rows = rows
        self._verbose = verbose

    def grades(self) -> Iterator[str]:
        """Sentences about rows whose grades differ."""
        found = (
            (f"grade of the conditions: {row.grade_a} on side A, {row.grade_b} on side B", row)
            for row in self._rows
            if row.grade_a and row.grade_b and row.grade_a is not row.grade_b
        )
        return self._shared(found)

    def differences(self) -> Iterator[str]:
        return self._shared(
            (f"{difference.name}: {_difference(difference)}", row)
            for row in self._rows
            for difference in row.differences
        )

    def notes(self) -> Iterator[str]:
        return self._shared((note, row) for row in self._rows for note in row.notes)

    def cautions(self) -> Iterator[str]:
        """One sentence per kind and side, with the numbers of the first row."""
        groups: dict[tuple[FlagKind, str, int], list[tuple[ComparedRow, Flag]]] = {}
        for row, side, flag in self._flags():
            key = (flag.kind, side, id(row) if self._verbose else 0)
            groups.setdefault(key, []).append((row, flag))
        for (kind, side, _), group in groups.items():
            row, flag = group[0]
            others = f" and {_count(len(group) - 1, 'other row')}" if len(group) > 1 else ""
            text = f": {flag.text}" if flag.text else ""
            yield f"{kind} in {side}, {item_in_words(row.item)}{others}{text}"

    def _flags(self) -> Iterator[tuple[ComparedRow, str, Flag]]:
        for row in self._rows:
            yield from ((row, "A", flag) for flag in row.flags_a)
            yield from ((row, "B", flag) for flag in row.flags_b)

    def _shared(self, told: Iterable[tuple[str, ComparedRow]]) -> Iterator[str]:
        groups: dict[str, list[ComparedRow]] = {}
        for sentence, row in told:
            groups.setdefault(sentence, []).append(row)
        for sentence, group in groups.items():
            if self._verbose:
                yield from (f"{sentence} ({item_in_words(row.item)})" for row in group)
            else:
                yield f"{sentence} ({self._which(group)})"

    def _which(self, group: Sequence[ComparedRow]) -> str:
        """The name of a single row, or the number of rows."""
        if len(group) == 1 and len(self._rows) > 1:
            return item_in_words(group[0].item)
        return _count(len(group), "row")


def _difference(difference: Difference) -> str:
    if difference.name == "artifact_sha256":
        return "another file in B"
    return f"{difference.a} in A, {difference.b} in B"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _summary(comparison: Comparison) -> tuple[str, ...]:
    counts = [f"{number} {verdict}" for verdict, number in comparison.verdicts.items() if number]
    broken = sum(failure.failure_a is None for failure in comparison.failures)
    fixed = sum(failure.failure_b is None for failure in comparison.failures)
    others = {
        "now failed": broken,
        "now successful": fixed,
        "failed in both": len(comparison.failures) - broken - fixed,
        "vanished": len(comparison.vanished),
        "appeared": len(comparison.appeared),
    }
    counts += [f"{number} {word}" for word, number in others.items() if number]
    summary = f"B compared with A: {', '.join(counts)}."
    return (summary, undecided_in_words(comparison), _mean(comparison))


def _mean(comparison: Comparison) -> str:
    mean = comparison.geometric_mean
    if mean is None:
        return (
            "No geometric mean: no row is verified and credible on both sides and has an interval."
        )
    left_out = ""
    if mean.left_out:
        why = "not verified or not credible on both sides, or no interval"
        left_out = f", {mean.left_out} left out ({why})"
    interval = _interval(mean.low, mean.high)
    return (
        f"Geometric mean of B/A: {_ratio(mean.ratio)} (95% interval {interval}) "
        f"over {_count(mean.rows, 'row')}{left_out}; above 1, B is slower."
    )
