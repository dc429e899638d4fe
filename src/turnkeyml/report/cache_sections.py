"""The sections of a cache report for people: measurements, failures, unreadable builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from turnkeyml.nouns import BuildStatus, EvaluationStatus, Verdict, in_words
from turnkeyml.report.builds import NOT_MEASURED, UNREADABLE
from turnkeyml.report.compared_rows import FAILED_BUILDS, item_in_words, item_of, one_line, text_of
from turnkeyml.report.contract import Record, Repeatable, Section, Table
from turnkeyml.report.tables import significant

_FAILED = (EvaluationStatus.FAILED, *FAILED_BUILDS)
_UNMEASURED = (NOT_MEASURED, BuildStatus.SUCCESSFUL, BuildStatus.RUNNING)


@dataclass
class Contents:
    """Which columns, statuses and devices occur in the records that were added."""

    columns: set[str] = field(default_factory=set)
    """The columns that are not empty in every record."""
    statuses: Counter[str] = field(default_factory=Counter)
    device_types: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        self.columns.update(name for name, cell in record.items() if cell not in (None, ""))
        self.statuses[text_of(record, "status")] += 1
        self.device_types.add(text_of(record, "device_type"))


def sections_of(records: Iterable[Record], contents: Contents) -> tuple[Section, ...]:
    """The sections of a report, without empty ones."""
    sections = []
    if contents.statuses[EvaluationStatus.SUCCESSFUL]:
        sections.append(Section(table=_table(records, contents)))
    for title, statuses, sentence in _TOLD:
        if any(contents.statuses[status] for status in statuses):
            sentences = _sentences(records, statuses, sentence)
            sections.append(Section(title, sentences=sentences))
    return (*sections, Section(sentences=(_summary(contents),)))


def _table(records: Iterable[Record], contents: Contents) -> Table:
    """The table of the measurements, without columns that carry no information."""
    needed = {
        "device": len(contents.device_types - {""}) > 1,
        "parameters": any(
            name.startswith("parameters_") or name == "under_load_pattern"
            for name in contents.columns
        ),
        "grade": "grade" in contents.columns,
        "cautions": "flags" in contents.columns,
    }
    shown = [i for i, title in enumerate(_HEADER) if needed.get(title, True)]

    def rows() -> Iterator[list[str]]:
        for record in records:
            if text_of(record, "status") == EvaluationStatus.SUCCESSFUL:
                cells = _cells(record)
                yield [cells[i] for i in shown]

    return Table(tuple(_HEADER[i] for i in shown), Repeatable(rows))


def _cells(record: Record) -> list[str]:
    item = item_of(record)
    return [
        item.build_name,
        item.device_type,
        item.label,
        item.point,
        _figure(record, "median_latency"),
        _figure(record, "mean_latency"),
        _figure(record, "throughput"),
        _verdict(record),
        text_of(record, "grade"),
        text_of(record, "flags"),
    ]


def _verdict(record: Record) -> str:
    """The verdict, with the mark that its cause gives it; other words as they are."""
    known = next((v for v in Verdict if v == text_of(record, "verdict")), None)
    told = in_words(known, text_of(record, "verification_cause")) if known else None
    return told or text_of(record, "verdict")


def _figure(record: Record, name: str) -> str:
    cell = record.get(name)
    return significant(cell) if isinstance(cell, (int, float)) else ""


def _sentences(
    records: Iterable[Record], statuses: Sequence[str], sentence: Callable[[Record], str]
) -> Repeatable[str]:
    return Repeatable(lambda: (sentence(r) for r in records if text_of(r, "status") in statuses))


def _failure(record: Record) -> str:
    return f"{item_in_words(item_of(record))}: {one_line(record.get('reason'))}"


def _unmeasured(record: Record) -> str:
    return f"{text_of(record, 'build_name')}: {text_of(record, 'status')}"


def _damage(record: Record) -> str:
    return f"{text_of(record, 'build_name')}: {text_of(record, 'reason')}"


def _summary(contents: Contents) -> str:
    counts = [f"{number} {status}" for status, number in contents.statuses.items()]
    return f"Status: {', '.join(counts)}." if counts else "The cache contains no builds."


_HEADER = (
    "build",
    "device",
    "runtime",
    "parameters",
    "median (ms)",
    "mean (ms)",
    "throughput (IPS)",
    "verdict",
    "grade",
    "cautions",
)
_TOLD = (
    ("Failed", _FAILED, _failure),
    ("Not measured", _UNMEASURED, _unmeasured),
    ("Unreadable", (UNREADABLE,), _damage),
)
