"""The data of a page: the records as compact columns, and everything about the whole report."""

from __future__ import annotations

import base64
import json
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import turnkeyml
from turnkeyml.escaping import page_text
from turnkeyml.report.columns import Column, column_of
from turnkeyml.report.compared_rows import text_of
from turnkeyml.report.contract import Cell, Report
from turnkeyml.report.html.derived import DERIVED, LABEL, derived_cells
from turnkeyml.report.json_text import finite

Detail = Mapping[str, Any]

COMPRESSION = 6


class BuildFacts:
    """What the columns of a page need of the details of builds, in the order of the details."""

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []
        self._known: dict[tuple[str, str], Detail] = {}

    def add(self, detail: Detail) -> None:
        key = (str(detail["cache_dir"]), str(detail["build_name"]))
        self.names.append(key)
        self._known[key] = {k: detail.get(k) for k in ("labels", "status", "verification")}

    def find(self, record: Mapping[str, Cell]) -> Detail:
        """The details of the build of a record; empty if there are none."""
        key = (text_of(record, "cache_dir"), text_of(record, "build_name"))
        return self._known.get(key, {})


def page_data(report: Report, builds: BuildFacts) -> dict[str, Any]:
    """The data of a page as plain data."""
    kind = "comparison" if "change" in report.columns else "cache"
    columns = _comparison_cells(report) if kind == "comparison" else _cache_cells(report, builds)
    count = len(next(iter(columns.values()), []))
    return {
        "kind": kind,
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "turnkey_version": turnkeyml.__version__,
        "heading": [list(pair) for pair in report.heading],
        "count": count,
        "columns": [_described(name, cells) for name, cells in columns.items()],
        "builds": [list(key) for key in builds.names],
        "inputs": list(report.facts.get("inputs", ())),
        "every": bool(report.facts.get("every")),
        "facts": {k: v for k, v in report.facts.items() if k not in ("inputs", "every")},
        "sections": _sections(report) if kind == "comparison" else [],
    }


def page_json(data: Any) -> str:
    """Data as JSON for a page, whose text is for people: control characters are spelled."""
    text = _json(data)
    safe = page_text(text, data)
    return text if safe is data else _json(safe)


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def packed(data: Any) -> str:
    """Data as text that is inert wherever it stands: JSON, deflated, in base 64."""
    text = page_json(data)
    raw = zlib.compressobj(COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
    content = raw.compress(text.encode("utf-8", "backslashreplace")) + raw.flush()
    return base64.b64encode(content).decode("ascii")


def _cache_cells(report: Report, builds: BuildFacts) -> dict[str, list[Cell]]:
    """The cells of each column, derived ones included."""
    scripts = {i["file"]: i["script_seconds"] for i in report.facts.get("inputs", ())}

    def records() -> Iterator[dict[str, Cell]]:
        for record in report.records:
            seconds = scripts.get(text_of(record, "file"))
            yield {**record, **derived_cells(record, builds.find(record), seconds)}

    return _transposed(records(), (*report.columns, *DERIVED))


def _comparison_cells(report: Report) -> dict[str, list[Cell]]:
    return _transposed(report.records, report.columns)


def _transposed(
    records: Iterable[Mapping[str, Cell]], names: Iterable[str]
) -> dict[str, list[Cell]]:
    columns: dict[str, list[Cell]] = {name: [] for name in names}
    for count, record in enumerate(records):
        for name, cells in columns.items():
            cells.append(finite(record.get(name)))
        for name in record.keys() - columns.keys():  # a label that no earlier record has
            columns[name] = [*[None] * count, finite(record[name])]
    return columns


def _described(name: str, cells: list[Cell]) -> dict[str, Any]:
    """A column for the page: its name, its meaning, and its cells in the shortest form."""
    about = _declaration(name)
    numeric = all(type(cell) in (int, float, type(None)) for cell in cells)
    found: dict[str, Any] = {"name": name, "about": about.about, "unit": about.unit}
    found |= {"group": about.group, "numeric": numeric and any(c is not None for c in cells)}
    first = cells[0] if cells else None
    if all(cell is first or cell == first for cell in cells):
        return found | {"constant": first}
    if numeric:
        return found | {"numbers": cells}
    words = list(dict.fromkeys(cells))
    places = {word: number for number, word in enumerate(words)}
    return found | {"words": words, "indices": [places[cell] for cell in cells]}


def _declaration(name: str) -> Column:
    if name in DERIVED:
        return Column(name, DERIVED[name], group="Made from others")
    if name.startswith(LABEL):
        return Column(name, "A label of the script.", group="Labels")
    return column_of(name)


def _sections(report: Report) -> list[dict[str, Any]]:
    """The sentences for people; the table is there already."""
    told = [{"title": s.title, "sentences": list(s.sentences)} for s in report.sections]
    return [section for section in told if section["sentences"]]
