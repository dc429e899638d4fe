"""Read the sides of a comparison: caches, builds, reports or JSON documents; match their rows."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from turnkeyml.cache import BuildFolder, build_folders
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import (
    ContestantKey,
    DamagedRecord,
    Evaluation,
    InputResult,
    InvocationResult,
    from_dict,
)
from turnkeyml.report.builds import UNREADABLE, Count, counted, read_build
from turnkeyml.report.compared_rows import (
    Item,
    Row,
    item_of,
    reason_in_words,
    row_of_cells,
    row_of_evaluation,
    text_of,
)
from turnkeyml.report.contract import Format
from turnkeyml.report.documents import SCHEMA, parse
from turnkeyml.report.formats import formats

Progress = Callable[[str, int, int], None]
"""Gets what is being done, how many of it are done, and of how many."""
Match = tuple[Row | None, Row | None]
"""A row of A and its counterpart in B; None if there is none."""
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
        rows.append(Row(model, failure=reason_in_words(build.failure)))
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
    remarks = (f"{result.input.name} failed: {reason_in_words(trouble)}",) if trouble else ()
    rows = (row for found in result.invocations for row in _rows_of_invocation(found, result))
    return Side(tuple(rows), remarks)


def _rows_of_invocation(found: InvocationResult, result: InputResult) -> Iterator[Row]:
    record = found.invocation
    model = Item(record.build_name, record.name, record.model_hash, record.hash)
    for evaluation in found.evaluations:
        yield row_of_evaluation(model, evaluation)
    if found.failure and not found.evaluations:
        item = replace(model, parameters=dict(result.parameters))
        yield Row(item, failure=reason_in_words(found.failure))


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


def match_rows(side_a: Side, side_b: Side) -> Iterator[Match]:
    """Every row with its counterpart, if it has one.

    A failure that corresponds to several rows of the other side is matched with each of them.
    """
    identity = _identity([*side_a.rows, *side_b.rows])
    groups: dict[tuple[str, ...], tuple[list[Row], list[Row]]] = {}
    for number, side in enumerate((side_a, side_b)):
        for row in side.rows:
            groups.setdefault(identity(row.item), ([], []))[number].append(row)
    for rows_a, rows_b in groups.values():
        if _is_ambiguous(rows_a) or _is_ambiguous(rows_b):
            stems_a, stems_b = _by_stem(rows_a), _by_stem(rows_b)
            for stem in {**stems_a, **stems_b}:
                yield from _pair_up(stems_a.get(stem, []), stems_b.get(stem, []))
        else:
            yield from _pair_up(rows_a, rows_b)


def _identity(rows: Iterable[Row]) -> Callable[[Item], tuple[str, ...]]:
    """A function that returns the identity of an item's model and inputs.

    The invocation hash includes the model hash, so it is enough if an evaluation outside its build
    folder does not know the model hash.
    """
    if all(row.item.model_hash for row in rows):
        return lambda item: (item.model_hash, item.hash)
    return lambda item: (item.hash or item.build_name,)


def _is_ambiguous(rows: list[Row]) -> bool:
    """Whether several scripts contain the same model, measured in the same way."""
    stems = _by_stem(rows)
    if len(stems) < 2:
        return False
    kinds = [kind for own in stems.values() for kind in {row.item.kind for row in own}]
    if len(kinds) > len(set(kinds)):
        return True
    vague = [row for row in rows if _is_vague(row)]
    return any(
        one.item.stem != other.item.stem and one.is_like(other) for one in vague for other in rows
    )


def _by_stem(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.item.stem, []).append(row)
    return found


def _is_vague(row: Row) -> bool:
    """Whether it failed before all of its kind was known, so that it is like several kinds."""
    return bool(row.failure) and not all(astuple(row.item.kind))


def _pair_up(rows_a: Sequence[Row], rows_b: Sequence[Row]) -> Iterator[Match]:
    """Match the newest rows of one model.

    Rows of the same kind come first. Then failures of several kinds are matched with each row that
    has no counterpart yet.
    """
    newest_a, newest_b = _newest(rows_a), _newest(rows_b)
    yield from ((row, newest_b[kind]) for kind, row in newest_a.items() if kind in newest_b)
    left_a = [row for kind, row in newest_a.items() if kind not in newest_b]
    left_b = [row for kind, row in newest_b.items() if kind not in newest_a]
    vague_b = [row for row in left_b if _is_vague(row)]
    matched: set[int] = set()
    for a in left_a:
        for b in left_b if _is_vague(a) else vague_b:
            if a.is_like(b):
                matched |= {id(a), id(b)}
                yield a, b
    yield from ((row, None) for row in left_a if id(row) not in matched)
    yield from ((None, row) for row in left_b if id(row) not in matched)


def _newest(rows: Sequence[Row]) -> dict[ContestantKey, Row]:
    """The newest row of each kind; the last one if their times are unknown."""
    kept: dict[ContestantKey, Row] = {}
    vague: set[ContestantKey] = set()
    for row in rows:
        kind = row.item.kind
        rivals = list(kept) if _is_vague(row) else [*filter(kept.__contains__, {kind, *vague})]
        rivals = [rival for rival in rivals if kept[rival].is_like(row)]
        if any(kept[rival].is_newer_than(row) for rival in rivals):
            continue
        for rival in rivals:
            del kept[rival]
            vague.discard(rival)
        kept[kind] = row
        if _is_vague(row):
            vague.add(kind)
    return kept
