"""A comparison as text, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from turnkeyml.display.tables import markdown_table, significant, text_table
from turnkeyml.nouns import Flag
from turnkeyml.report.compare import ComparedFailure, ComparedRow, Comparison, SingleRow
from turnkeyml.report.rows import Item

__all__ = ["item_in_words", "render"]

Section = tuple[str, list[str]]
"""A title and the sentences under it."""

COLUMNS = (
    "change",
    "build_name",
    "model_name",
    "model_hash",
    "hash",
    "device_type",
    "runtime",
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
    "differences",
    "flags_a",
    "flags_b",
    "notes",
)


def render(comparison: Comparison, form: str, verbose: bool = False) -> str:
    """The comparison as ``text``, ``markdown`` or ``csv``, without a line break at the end."""
    return _FORMATS[form](comparison)


def item_in_words(item: Item) -> str:
    """A row's name in a sentence."""
    details = ", ".join(filter(None, (item.label, _parameters(item))))
    return f"{item.build_name} ({details})" if details else item.build_name


def _text(comparison: Comparison) -> str:
    lines = [f"A: {comparison.a}", f"B: {comparison.b}", ""]
    if comparison.rows:
        lines += [*text_table(*_table(comparison.rows)), ""]
    for title, sentences in _sections(comparison):
        lines += [f"{title}:", *(f"  {sentence}" for sentence in sentences), ""]
    return "\n".join([*lines, *_summary(comparison)])


def _markdown(comparison: Comparison) -> str:
    lines = [f"A: `{comparison.a}`  ", f"B: `{comparison.b}`", ""]
    if comparison.rows:
        lines += [*markdown_table(*_table(comparison.rows)), ""]
    for title, sentences in _sections(comparison):
        lines += [f"**{title}**", "", *(f"- {sentence}" for sentence in sentences), ""]
    return "\n\n".join(["\n".join(lines).rstrip(), *_summary(comparison)])


def _csv(comparison: Comparison) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_records(comparison))
    return text.getvalue().rstrip("\n")


_FORMATS = {"text": _text, "markdown": _markdown, "csv": _csv}


def _table(rows: Sequence[ComparedRow]) -> tuple[list[str], list[list[str]]]:
    """The header and the cells; columns that say nothing are left out."""
    header = ["build", "device", "runtime", "parameters"]
    header += ["A (ms)", "B (ms)", "B/A", "95% interval", "verdict", "cautions"]
    cells = [_cells(row) for row in rows]
    needed = {
        "device": len({row.item.device_type for row in rows}) > 1,
        "parameters": any(row.item.parameters for row in rows),
        "cautions": any(row.flags_a or row.flags_b for row in rows),
    }
    shown = [i for i, title in enumerate(header) if needed.get(title, True)]
    return [header[i] for i in shown], [[line[i] for i in shown] for line in cells]


def _cells(row: ComparedRow) -> list[str]:
    item = row.item
    return [
        item.build_name,
        item.device_type,
        item.label,
        _parameters(item),
        significant(row.median_a),
        significant(row.median_b),
        _ratio(row.ratio),
        _interval(row.ratio_low, row.ratio_high),
        f"{row.verdict} (mismatch)" if row.is_mismatch else row.verdict,
        " ".join(dict.fromkeys(flag.kind for flag in (*row.flags_a, *row.flags_b))),
    ]


def _parameters(item: Item) -> str:
    return " ".join(f"{name}={value}" for name, value in item.parameters.items())


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value >= 0.1 else significant(value, 3)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_ratio(low)} to {_ratio(high)}"


def _sections(comparison: Comparison) -> Iterator[Section]:
    """Everything but the table, the gravest first; nothing about what is as it was."""
    rows = comparison.rows
    found: list[tuple[str, Iterable[str]]] = [
        ("Failed", map(_failure, sorted(comparison.failures, key=_gravity))),
        ("Verified differently", _verification_changes(rows)),
        ("Vanished: only in A", map(_single, comparison.vanished)),
        ("Appeared: only in B", map(_single, comparison.appeared)),
        ("Measured under different conditions", _differences(rows)),
        ("Cautions", _cautions(rows)),
        ("Notes", [*_notes(rows), *comparison.remarks]),
    ]
    for title, sentences in found:
        lines = list(sentences)
        if lines:
            yield title, lines


def _gravity(failure: ComparedFailure) -> int:
    """What worked before comes first, what works now after it, what never did last."""
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


def _verification_changes(rows: Iterable[ComparedRow]) -> Iterator[str]:
    for row in rows:
        if row.verification_a != row.verification_b:
            words = f"{row.verification_a} in A, {row.verification_b} in B"
            yield f"{item_in_words(row.item)}: {words}"


def _single(row: SingleRow) -> str:
    name = item_in_words(row.item)
    if row.median is None:
        return f"{name}: failed: {row.failure}"
    return f"{name}: {significant(row.median)} ms"


def _differences(rows: Sequence[ComparedRow]) -> Iterator[str]:
    groups: dict[str, list[ComparedRow]] = {}
    for row in rows:
        for difference in row.differences:
            words = f"{difference.a} in A, {difference.b} in B"
            if difference.name == "artifact_sha256":
                words = "another file in B"
            groups.setdefault(f"{difference.name}: {words}", []).append(row)
    for sentence, group in groups.items():
        yield f"{sentence} ({_which(group, rows)})"


def _cautions(rows: Sequence[ComparedRow]) -> Iterator[str]:
    """One sentence for each kind on each side; the numbers in it are those of the first row."""
    groups: dict[tuple[str, str], list[tuple[ComparedRow, Flag]]] = {}
    for row in rows:
        for side, flags in (("A", row.flags_a), ("B", row.flags_b)):
            for flag in flags:
                groups.setdefault((flag.kind, side), []).append((row, flag))
    for (kind, side), group in groups.items():
        row, flag = group[0]
        others = f" and {_count(len(group) - 1, 'other row')}" if len(group) > 1 else ""
        text = f": {flag.text}" if flag.text else ""
        yield f"{kind} in {side}, {item_in_words(row.item)}{others}{text}"


def _notes(rows: Sequence[ComparedRow]) -> Iterator[str]:
    groups: dict[str, list[ComparedRow]] = {}
    for row in rows:
        for note in row.notes:
            groups.setdefault(note, []).append(row)
    for note, group in groups.items():
        yield f"{note} ({_which(group, rows)})"


def _which(group: Sequence[ComparedRow], rows: Sequence[ComparedRow]) -> str:
    """A row by its name, more by their number."""
    if len(group) == 1 and len(rows) > 1:
        return item_in_words(group[0].item)
    return _count(len(group), "row")


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _summary(comparison: Comparison) -> list[str]:
    counts = [f"{number} {verdict}" for verdict, number in comparison.verdicts.items() if number]
    broken = sum(failure.failure_a is None for failure in comparison.failures)
    mended = sum(failure.failure_b is None for failure in comparison.failures)
    others = {
        "now failed": broken,
        "now successful": mended,
        "failed in both": len(comparison.failures) - broken - mended,
        "vanished": len(comparison.vanished),
        "appeared": len(comparison.appeared),
    }
    counts += [f"{number} {word}" for word, number in others.items() if number]
    return [f"B compared with A: {', '.join(counts)}.", _mean(comparison)]


def _mean(comparison: Comparison) -> str:
    mean = comparison.geometric_mean
    if mean is None:
        return "No geometric mean: no row is verified on both sides and has an interval."
    left_out = ""
    if mean.left_out:
        left_out = f", {mean.left_out} left out (not verified on both sides, or no interval)"
    interval = _interval(mean.low, mean.high)
    return (
        f"Geometric mean of B/A: {_ratio(mean.ratio)} (95% interval {interval}) "
        f"over {_count(mean.rows, 'row')}{left_out}; above 1, B is slower."
    )


def _records(comparison: Comparison) -> Iterator[dict[str, object]]:
    for row in comparison.rows:
        yield {"change": "matched", **_identity(row.item), **_figures(row)}
    for failure in comparison.failures:
        reasons = {"failure_a": failure.failure_a, "failure_b": failure.failure_b}
        yield {"change": "failed", **_identity(failure.item), **reasons}
    for change, side, singles in (
        ("vanished", "a", comparison.vanished),
        ("appeared", "b", comparison.appeared),
    ):
        for single in singles:
            known = {f"median_{side}": single.median, f"failure_{side}": single.failure}
            yield {"change": change, **_identity(single.item), **known}


def _identity(item: Item) -> dict[str, object]:
    names = COLUMNS[COLUMNS.index("build_name") : COLUMNS.index("parameters")]
    return {**{name: getattr(item, name) for name in names}, "parameters": _parameters(item)}


def _figures(row: ComparedRow) -> dict[str, object]:
    names = ("median_a", "median_b", "ratio", "ratio_low", "ratio_high", "verdict")
    return {
        **{name: getattr(row, name) for name in names},
        "verification_a": row.verification_a,
        "verification_b": row.verification_b,
        "differences": "; ".join(f"{d.name}: {d.a} in A, {d.b} in B" for d in row.differences),
        "flags_a": " ".join(flag.kind for flag in row.flags_a),
        "flags_b": " ".join(flag.kind for flag in row.flags_b),
        "notes": "; ".join(row.notes),
    }
