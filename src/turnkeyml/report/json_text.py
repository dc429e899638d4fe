"""Records as JSON objects, for the JSON formats."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from turnkeyml.escaping import json_text
from turnkeyml.report.contract import Cell, Record, Report


def finite(cell: Any) -> Any:
    """The value, or None for infinity and NaN, which JSON does not have."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def object_of(record: Record, columns: Iterable[str]) -> str:
    """A record as a JSON object on one line."""
    cells: dict[str, Cell] = {column: finite(record.get(column)) for column in columns}
    return json_text(json.dumps(cells, ensure_ascii=False, allow_nan=False))


def parse(text: str) -> Any:
    """The value of a JSON text; a ``ValueError`` if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def report_of(records: Any) -> Report:
    """A report of parsed records; a ``ValueError`` if they are not a list of flat objects."""
    if not isinstance(records, list) or not all(map(is_record, records)):
        raise ValueError("it is not a list of flat objects")
    columns = dict.fromkeys(name for record in records for name in record)
    return Report(tuple(columns), records)


def is_record(value: Any) -> bool:
    """Whether a parsed value is a flat object."""
    nested = (dict, list)
    return isinstance(value, dict) and not any(isinstance(v, nested) for v in value.values())
