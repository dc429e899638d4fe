"""Read a side of a comparison: a cache, builds, a report or a JSON document."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from turnkeyml.cache import BuildFolder, build_folders
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import DamagedRecord, Evaluation, InputResult, InvocationResult, from_dict
from turnkeyml.report.builds import UNREADABLE, Count, counted, read_build
from turnkeyml.report.compared_rows import (
    Item,
    Row,
    item_of,
    one_line,
    row_of_cells,
    row_of_evaluation,
    text_of,
)
from turnkeyml.report.contract import Format
from turnkeyml.report.document import SCHEMA
from turnkeyml.report.formats import formats
from turnkeyml.report.json_text import parse

Progress = Callable[[str, int, int], None]
"""Gets what is being done, how many of it are done, and of how many."""

NEEDED_COLUMNS = ("build_name", "model_hash", "hash", "runtime", "status", "median_latency")
WHAT_IT_MAY_BE = (
    "a cache directory, a build folder, a report of 'turnkey cache report', "
    "an evaluation.json or the output of --json"
)

DEPTH = 3
"""The number of folders from an evaluation.json up to its build folder."""


@dataclass(frozen=True)
class Side:
    """The measurements and failures on one side of a comparison."""

    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()
    """Sentences about data that could not be used."""


def read_side(name: str, progress: Count | None = None) -> Side:
    """The measurements at a path; a TurnkeyError if there are none.

    ``progress`` is told how many builds were read, and of how many.
    """
    path = Path(name).expanduser()
    if path.exists():
        side = _read_path(path, progress)
    else:
        side = _joined(map(_read_path, counted(_matches(path), progress)))
    if not side.rows:
        why = " ".join(side.remarks)
        raise TurnkeyError(f"{name} contains no measurements. {why}".rstrip())
    return side


def _matches(path: Path) -> list[Path]:
    if not glob.has_magic(str(path)):
        raise TurnkeyError(f"{path} does not exist; name {WHAT_IT_MAY_BE}.")
    found = [Path(match) for match in sorted(glob.glob(str(path)))]
    usable = [match for match in found if match.is_file() or _is_build(match)]
    if not usable:
        raise TurnkeyError(f"No build folder and no file matches {path}.")
    return usable


def _joined(sides: Iterable[Side]) -> Side:
    parts = list(sides)
    rows = tuple(row for part in parts for row in part.rows)
    return Side(rows, tuple(remark for part in parts for remark in part.remarks))


def _read_path(path: Path, progress: Count | None = None) -> Side:
    if path.is_dir():
        return _read_folder(path.resolve(), progress)
    if not path.is_file():  # reading a pipe may block forever
        raise TurnkeyError(f"{path} is not a file; name {WHAT_IT_MAY_BE}.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TurnkeyError(f"{path} is not a text file; name {WHAT_IT_MAY_BE}.") from None
    except OSError as error:
        raise TurnkeyError(f"{path} cannot be read ({error.strerror}).") from None
    form = next((form for form in formats() if form.recognizes(text)), None)
    return _read_json(path, text) if form is None else _read_report(path, form, text)


def _is_build(path: Path) -> bool:
    return BuildFolder(path.parent, path.name).is_build


def _read_folder(path: Path, progress: Count | None = None) -> Side:
    if _is_build(path):
        return _read_build(BuildFolder(path.parent, path.name))
    folders = build_folders(path)
    if not folders:
        foreign = any(not entry.name.startswith(".") for entry in path.iterdir())
        what = "is not a cache" if foreign else "is empty"
        raise TurnkeyError(f"{path} {what}: it contains no builds. Name {WHAT_IT_MAY_BE}.")
    return _joined(map(_read_build, counted(folders, progress)))


def _read_build(folder: BuildFolder) -> Side:
    build = read_build(folder)
    model = item_of(build.cells)
    rows = [row_of_evaluation(model, s.evaluation, folder.path, s.cells) for s in build.evaluations]
    if build.failure and not build.evaluations:
        rows.append(Row(model, failure=one_line(build.failure)))
    return Side(tuple(rows), (build.remark,) if build.remark else ())


def _read_json(path: Path, text: str) -> Side:
    try:
        data = parse(text)
    except ValueError:
        raise TurnkeyError(f"{path} is not valid JSON; write it again.") from None
    try:
        if "device_type" in data and "runtime" in data:
            return Side((_evaluation_file(path, data),))
        if data.get("schema") == SCHEMA and isinstance(data.get("results"), list):
            return _joined(_read_result(from_dict(InputResult, r)) for r in data["results"])
    except DamagedRecord:
        raise TurnkeyError(f"{path} is damaged; measure again, or write it again.") from None
    raise TurnkeyError(
        f"{path} is neither an evaluation nor a document with results of schema {SCHEMA}; "
        f"name {WHAT_IT_MAY_BE}."
    )


def _evaluation_file(path: Path, data: dict[str, Any]) -> Row:
    """The row of an evaluation.json; the model is read from its build folder, if it is in one."""
    evaluation = from_dict(Evaluation, data)
    build = next(filter(_is_build, path.resolve().parents[:DEPTH]), None)
    if build is not None:
        model = item_of(read_build(BuildFolder(build.parent, build.name)).cells)
    else:
        name = evaluation.build_name
        digest = re.search(r"_([0-9a-f]{8})$", name)
        model = Item(name or path.stem, "", "", digest.group(1) if digest else "")
    row = row_of_evaluation(model, evaluation)
    beside = path.parent / Path(evaluation.samples_file or "").name
    return replace(row, samples=beside if evaluation.samples_file else None)


def _read_result(result: InputResult) -> Side:
    trouble = result.failure or result.script.error
    remarks = (f"{result.input.name} failed: {one_line(trouble)}",) if trouble else ()
    rows = (row for found in result.invocations for row in _rows_of_invocation(found, result))
    return Side(tuple(rows), remarks)


def _rows_of_invocation(found: InvocationResult, result: InputResult) -> Iterator[Row]:
    record = found.invocation
    model = Item(record.build_name, record.name, record.model_hash, record.hash)
    for evaluation in found.evaluations:
        yield row_of_evaluation(model, evaluation)
    if found.failure and not found.evaluations:
        item = replace(model, parameters=dict(result.parameters))
        yield Row(item, failure=one_line(found.failure))


def _read_report(path: Path, form: Format, text: str) -> Side:
    try:
        report = form.read(text)
    except ValueError as error:
        raise TurnkeyError(f"{path} cannot be read as a report: {error}.") from None
    missing = [name for name in NEEDED_COLUMNS if name not in report.columns]
    if missing:
        raise TurnkeyError(
            f"{path} is not a report of 'turnkey cache report': "
            f"it has no column {', '.join(missing)}."
        )
    rows: list[Row] = []
    remarks = []
    for number, record in enumerate(report.records, start=1):
        try:
            row = row_of_cells(record)
        except DamagedRecord:
            remarks.append(f"Record {number} of {path} cannot be read.")
            continue
        if text_of(record, "status") == UNREADABLE:
            name = text_of(record, "build_name")
            remarks.append(f"The stats of build {name} could not be read for {path}.")
        elif row is not None:
            rows.append(row)
    return Side(tuple(rows), tuple(remarks))
