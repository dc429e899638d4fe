"""A comparison as a report, and its text in any text format."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from turnkeyml.cache import replacing
from turnkeyml.errors import UsageError
from turnkeyml.nouns import Word, to_dict
from turnkeyml.report import formats
from turnkeyml.report.compared_rows import Item
from turnkeyml.report.comparison import ComparedRow, Comparison, undecided_in_words
from turnkeyml.report.comparison_sections import sections_of
from turnkeyml.report.contract import Cell, Repeatable, Report, TextFormat

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
