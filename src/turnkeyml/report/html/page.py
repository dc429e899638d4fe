"""The page: one HTML file with its data, its styles and its scripts in it.

Its data are the records as compact columns, with derived columns for filters and plots.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import json
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, TextIO

import turnkeyml
from turnkeyml.escaping import page_text
from turnkeyml.nouns import BuildStatus, EvaluationStatus, FlagKind, Verdict, label_of
from turnkeyml.report.builds import NOT_MEASURED, UNREADABLE
from turnkeyml.report.columns import Column, column_of
from turnkeyml.report.compared_rows import FAILED_BUILDS, kind_of, reason_in_words, text_of
from turnkeyml.report.contract import Cell, Record, Report
from turnkeyml.report.documents import finite

CHUNK = 32
"""Builds whose details are packed, and unpacked, together."""
VENDOR = ("echarts.js", "tabulator.js")
STYLES = ("vendor/tabulator.css", "style.css")
ENTRY = "app.js"
COMPRESSION = 6
LABEL = "label "
"""The beginning of the name of a column that has the values of one label."""
DERIVED = {
    "corpus": "The folder of the script.",
    "contestant": "The runtime with its place and the precision.",
    "outcome": "How far it came: verified, not verified, not checked, not credible, "
    "measurement failed, build failed, built, running, not measured or unreadable.",
    "cause": "The reason of a failure without names and numbers, which groups failures.",
    "build_status": "The status of the build.",
    "build_verdict": "The verdict on the build itself.",
    "script_seconds": "How long the script took, without builds and measurements.",
    "speedup": "How many times as fast the second runtime of the plot of speed-ups is.",
}
_OUTCOMES: dict[str, str] = {
    EvaluationStatus.FAILED: "measurement failed",
    **dict.fromkeys(FAILED_BUILDS, "build failed"),
    BuildStatus.SUCCESSFUL: "built",
    BuildStatus.RUNNING: "running",
    NOT_MEASURED: NOT_MEASURED,
    UNREADABLE: UNREADABLE,
}
_IMPORT = re.compile(r'^import (?:\{[^}]*\}|\* as \w+) from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class|let)", re.MULTILINE)
_STAGE = re.compile(r"(\w+) \((?:after [^)]*|the first stage)\) failed")
Detail = Mapping[str, Any]


def write_page(report: Report, file: TextIO) -> None:
    """Write the page of a report, whose data are inert text until its scripts unpack them."""
    builds = BuildFacts()
    _write_head(file, "'none'")
    for number, chunk in enumerate(_chunks(report.details)):
        for detail in chunk:
            builds.add(detail)
        _write_data(file, f"details-{number}", chunk)
    _write_data(file, "data", page_data(report, builds))
    _write_scripts(file, {"live": False, "chunk": CHUNK})


def live_page(file: TextIO) -> None:
    """Write the page without data, which it asks the server for."""
    _write_head(file, "'self'")
    _write_scripts(file, {"live": True, "chunk": CHUNK})


def _chunks(details: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    rest = iter(details)
    while chunk := list(itertools.islice(rest, CHUNK)):
        yield chunk


def _write_head(file: TextIO, connect: str) -> None:
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in _scripts())
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        f"img-src data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    shell = _text("page.html")
    styles = "\n".join(_text(name) for name in STYLES)
    before, _, _ = shell.partition("<!-- data and scripts -->")
    file.write(before.replace("POLICY", policy).replace("/* styles */", styles))


def _write_data(file: TextIO, name: str, data: Any) -> None:
    file.write(f'<script type="text/plain" id="{name}">{packed(data)}</script>\n')


def _write_scripts(file: TextIO, settings: dict[str, Any]) -> None:
    text = json.dumps(settings)
    file.write(f'<script type="application/json" id="settings">{text}</script>\n')
    for script in _scripts():
        file.write(f"<script>{script}</script>\n")
    file.write("</body>\n</html>\n")


@functools.cache
def _scripts() -> tuple[str, ...]:
    """The libraries, then our own modules as one script."""
    libraries = [_text(f"vendor/{name}") for name in VENDOR]
    own = '(() => {\n"use strict";\n' + "".join(map(_module, _ordered(ENTRY))) + "})();\n"
    return tuple(script.replace("</script", "<\\/script") for script in (*libraries, own))


def _ordered(entry: str, seen: tuple[str, ...] = ()) -> list[str]:
    """The modules that one needs, each after those that it imports, and the module itself."""
    order: list[str] = []
    for name in _IMPORT.findall(_text(entry)):
        if name not in seen:
            order += [n for n in _ordered(name, (*seen, entry)) if n not in order]
    return [*order, entry]


def _module(name: str) -> str:
    """The text of a module without imports and exports: all of them share one scope."""
    text = _EXPORT.sub("", _IMPORT.sub("", _text(name)))
    if re.search(r"^(import|export)\b", text, re.MULTILINE):
        raise ValueError(f"{name} has an import or export that cannot be bundled")
    return text


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


@functools.cache
def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


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


def derived_cells(
    record: Record, build: Mapping[str, Any], script_seconds: float | None
) -> dict[str, Cell]:
    """The derived cells of a record; ``build`` has the details of its build, if there are any."""
    reason = record.get("reason")
    labels = build.get("labels") or {}
    parts = (text_of(record, name) for name in ("runtime", "python", "precision", "host"))
    return {
        "corpus": PurePath(text_of(record, "file")).parent.name or None,
        "contestant": label_of(*parts) or None,
        "outcome": _outcome(record),
        "cause": kind_of(reason_in_words(reason)) if reason else None,
        "build_status": build.get("status"),
        "build_verdict": (build.get("verification") or {}).get("verdict"),
        "build_failed_stage": failed_stage(record),
        "script_seconds": script_seconds,
        **{f"{LABEL}{key}": ", ".join(words) for key, words in labels.items()},
    }


def _outcome(record: Record) -> str:
    status = text_of(record, "status")
    if status != EvaluationStatus.SUCCESSFUL:
        return _OUTCOMES.get(status, status)
    verdict = text_of(record, "verdict") or Verdict.NOT_CHECKED
    if verdict == Verdict.NOT_CHECKED:
        return "not checked"
    if verdict not in [v.value for v in Verdict if v.trusted]:
        return "not verified"
    discredited = {kind for kind in FlagKind if kind.discredits}
    return "not credible" if discredited & set(text_of(record, "flags").split()) else "verified"


def failed_stage(record: Record) -> str | None:
    """The stage at which a build failed; older stats only have it in the reason."""
    known = text_of(record, "build_failed_stage")
    if known or text_of(record, "status") not in FAILED_BUILDS:
        return known or None
    found = _STAGE.match(reason_in_words(record.get("reason")))
    if found or text_of(record, "status") != BuildStatus.FAILED:
        return found[1] if found else None
    return "before the first stage"
