"""Flatten typed records into cells.

The columns of an evaluation follow from the fields of its record: those of ``Performance`` have
the same names, those of ``Verification`` and ``Conditions`` have a prefix, and each entry of a dict
is a column of its own. The verdict is in ``verdict`` alone.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any

from turnkeyml.nouns import DamagedRecord, Evaluation, Performance, Verification
from turnkeyml.report.contract import Cell

DEPTH = 12
"""The deepest nesting of dicts and lists in our records. Deeper nesting is damage."""
LARGEST = 2**63
"""Integers from this magnitude on are damage: programs that read tables use 64 bits."""
WHOLE = ("input_shapes", "input_dtypes", "operators")
"""Dicts that would add columns without limit: one JSON cell each."""


def evaluation_cells(evaluation: Evaluation) -> dict[str, Cell]:
    """The cells of an evaluation; a ``DamagedRecord`` if a value does not fit into a cell."""
    cells = record_cells(evaluation)
    cells.pop("status_stats")
    if evaluation.verification is not None:
        cells["verdict"] = cells.pop("verification_verdict")
    return cells


def verification_cells(verification: Verification) -> dict[str, Cell]:
    """The cells of a verdict; the verdict itself is in ``verdict`` alone."""
    cells = record_cells(verification, "verification_")
    return {"verdict": cells.pop("verification_verdict"), **cells}


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
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
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


def _record_in(hint: Any) -> Any:
    """The record type in the type of a field; None if there is none."""
    if typing.get_origin(hint) is tuple:
        return None
    return next((h for h in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(h)), None)
