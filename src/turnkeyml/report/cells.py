"""Flatten typed records into cells, and order the columns.

The columns of an evaluation follow from the fields of its record: those of ``Performance`` have
the same names, those of ``Verification`` and ``Conditions`` have a prefix, and each entry of a dict
is a column of its own. The verdict is in ``verdict`` alone.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import typing
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from turnkeyml.nouns import DamagedRecord, Evaluation, Performance
from turnkeyml.report.contract import Cell

__all__ = ["evaluation_cells", "flat", "ordered_columns", "record_cells"]

FIRST_COLUMNS = (
    "build_name",
    "model_name",
    "model_class",
    "model_hash",
    "hash",
    "device",
    "runtime",
    "runtime_version",
    "status",
    "mean_latency",
    "median_latency",
    "throughput",
    "verdict",
    "grade",
)

DEPTH = 12
"""The deepest nesting of dicts and lists in our records. Deeper nesting is damage."""
LARGEST = 2**63
"""Integers from this magnitude on are damage: programs that read tables use 64 bits."""
WHOLE = ("input_shapes", "input_dtypes")
"""Dicts with one entry per input, which would add columns without limit: one JSON cell each."""


def evaluation_cells(evaluation: Evaluation) -> dict[str, Cell]:
    """The cells of an evaluation; a ``DamagedRecord`` if a value does not fit into a cell."""
    cells = record_cells(evaluation)
    if evaluation.verification is not None:
        cells["verdict"] = cells.pop("verification_verdict")
    return cells


def record_cells(record: Any, prefix: str = "") -> dict[str, Cell]:
    """The cells of a record and of the records in it."""
    cells: dict[str, Cell] = {}
    for own_name, has_record in _fields(record.__class__):
        name, value = f"{prefix}{own_name}", getattr(record, own_name)
        if value is None and has_record:
            continue
        if value is None or type(value) in (str, float):
            cells[name] = value
        elif own_name == "flags":
            cells[name] = " ".join(flag.kind for flag in value)
        elif isinstance(value, Performance):
            cells.update(record_cells(value, prefix))
        elif dataclasses.is_dataclass(value):
            cells.update(record_cells(value, f"{name}_"))
        elif isinstance(value, dict):
            cells.update(flat(value, f"{name}_"))
        else:
            cells[name] = _cell(value)
    return cells


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, bool], ...]:
    """The names of the fields of a record, and whether the value of each is a record."""
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    return tuple((name, _record_in(hints[name]) is not None) for name in names)


def flat(data: Mapping[Any, Any], prefix: str = "", depth: int = DEPTH) -> dict[str, Cell]:
    """The cells of nested dicts, with keys joined by underscores; lists become JSON."""
    cells: dict[str, Cell] = {}
    for key, value in data.items():
        name = f"{prefix}{_cell(key)}"
        if isinstance(value, dict) and key not in WHOLE:
            if depth <= 1:
                raise DamagedRecord(f"{name[:40]}: it is nested too deeply")
            cells.update(flat(value, f"{name}_", depth - 1))
        else:
            cells[name] = _cell(value)
    return cells


def _cell(value: Any) -> Cell:
    if value is None or type(value) in (str, float):
        return typing.cast("Cell", value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(_plain(value, DEPTH), ensure_ascii=False)
    return _scalar(value)


def _plain(value: Any, depth: int) -> Any:
    """Data that JSON can represent; a ``DamagedRecord`` if it is nested too deeply."""
    if depth <= 0:
        raise DamagedRecord("it is nested too deeply")
    if isinstance(value, dict):
        return {str(_scalar(k)): _plain(v, depth - 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, depth - 1) for v in value]
    return _scalar(value)


def _scalar(value: Any) -> Cell:
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise DamagedRecord("a number is too large")
    if value is None or isinstance(value, (str, int, float)):
        return value
    return str(value)


def ordered_columns(seen: Iterable[str]) -> tuple[str, ...]:
    """All columns of an evaluation and the columns that were seen, always in the same order.

    The most important columns come first, then the evaluation in the order of its fields, then the
    build in alphabetical order.
    """
    known = [name for name in _evaluation_columns() if not name.endswith("_")]
    return tuple(sorted({*FIRST_COLUMNS, *known, *seen}, key=_rank))


def _rank(column: str) -> tuple[int, str]:
    order = _order()
    if column in order:
        return order[column], ""
    prefix = next((p for p in order if p.endswith("_") and column.startswith(p)), None)
    return (len(order), column) if prefix is None else (order[prefix], column)


@functools.cache
def _order() -> dict[str, int]:
    columns = dict.fromkeys([*FIRST_COLUMNS, *_evaluation_columns()])
    return {column: number for number, column in enumerate(columns)}


@functools.cache
def _evaluation_columns() -> tuple[str, ...]:
    """The columns in the order of the fields; a trailing _ stands for the keys of a dict."""
    names = _columns_of(Evaluation)
    return tuple("verdict" if name == "verification_verdict" else name for name in names)


def _columns_of(kind: Any, prefix: str = "") -> Iterator[str]:
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        name, hint = f"{prefix}{field.name}", hints[field.name]
        if typing.get_origin(hint) is dict:
            yield f"{name}_"
        elif record := _record_in(hint):
            yield from _columns_of(record, prefix if record is Performance else f"{name}_")
        else:
            yield name


def _record_in(hint: Any) -> Any:
    """The record type in the type of a field; None if there is none."""
    if typing.get_origin(hint) is tuple:
        return None
    return next((h for h in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(h)), None)
