"""Records as JSON objects: what the formats that are JSON share."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from turnkeyml.report.contract import Cell, Record, Report

__all__ = ["finite", "is_record", "object_of", "parse", "report_of"]


def finite(cell: Any) -> Any:
    """JSON has no infinity and nothing that is not a number; both become None."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def object_of(record: Record, columns: Iterable[str]) -> str:
    """A record on one line."""
    cells: dict[str, Cell] = {column: finite(record.get(column)) for column in columns}
    return json.dumps(cells, ensure_ascii=False, allow_nan=False)


def parse(text: str) -> Any:
    """The value of some JSON; a ``ValueError`` where it is none, or is nested without end."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def report_of(records: Any) -> Report:
    """What was read, as a report; a ``ValueError`` where it is no list of flat objects."""
    if not isinstance(records, list) or not all(map(is_record, records)):
        raise ValueError("it is no list of flat objects")
    columns = dict.fromkeys(name for record in records for name in record)
    return Report(tuple(columns), records)


def is_record(value: Any) -> bool:
    """Whether something that was read is a flat object."""
    nested = (dict, list)
    return isinstance(value, dict) and not any(isinstance(v, nested) for v in value.values())
