"""The JSON documents that ``--json`` prints, records as JSON objects, and the JSON Schema of them.

``python -m turnkeyml.report.documents`` prints the schema; ``docs/turnkey.schema.json`` is a copy.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
import types
import typing
from collections.abc import Iterable
from enum import Enum
from typing import Any

import turnkeyml
from turnkeyml.escaping import json_text
from turnkeyml.nouns import to_dict
from turnkeyml.report.contract import Cell, Record, Report

SCHEMA = "turnkey/1"
"""Changes with every incompatible change; new fields are compatible."""
RESULTS = {"results": {"type": "array", "items": {"$ref": "#/$defs/InputResult"}}}


def make_document(command: str, *, ok: bool, **content: Any) -> dict[str, Any]:
    """The document of a command; ``content`` may contain typed records."""
    return {
        "schema": SCHEMA,
        "command": command,
        "turnkey_version": turnkeyml.__version__,
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "ok": ok,
        **_finite(to_dict(content)),
    }


def to_json(document: dict[str, Any]) -> str:
    """The text of a document."""
    return json_text(
        json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    )


def _finite(value: Any) -> Any:
    """The same with None for infinity and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return finite(value)


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


def document_schema() -> dict[str, Any]:
    """The JSON Schema of the documents of all commands."""
    from turnkeyml import nouns
    from turnkeyml.nouns import Explanation, Forecast, PluginInfo, SystemInfo, TuneResult
    from turnkeyml.report.comparison import Comparison

    definitions: dict[str, Any] = {}
    comparison = _of(Comparison, definitions)
    _of(nouns.InputResult, definitions)
    evaluation = _of(nouns.Evaluation, definitions)
    name = {"name": {"type": "string"}}
    contents = {
        "benchmark": RESULTS,
        "race": RESULTS,
        "tune": {"tuning": _of(TuneResult, definitions)},
        "explain": {
            "cache_dir": {"type": "string"},
            "explanations": _list(_of(Explanation, definitions)),
        },
        "compare": {"comparison": comparison, "failed_on": _list({"type": "string"})},
        "cache list": _builds(name),
        "cache location": {"cache_dir": {"type": "string"}},
        "cache stats": _builds({**name, "state": {}, "stats": {"type": "object"}}),
        "cache print": _builds({**name, "state": {}, "stats": {"type": "object"}}),
        "cache delete": _builds({**name, "deleted": {"type": "boolean"}}),
        "cache clean": _builds({**name, "cleaned": {"type": "boolean"}}),
        "cache benchmark": _builds({**name, "evaluations": _list(evaluation)}),
        "models list": {"models": _list(_object({**name, "labels": {"type": "object"}}))},
        "cache report": {
            "caches": _list({"type": "string"}),
            "report": {"type": "string"},
            "reports": _list({"type": "string"}),
            "replaced": _list({"type": "string"}),
        },
        "plugins": {"plugins": _list(_of(PluginInfo, definitions))},
        "system-info": {"system": _of(SystemInfo, definitions)},
    }
    dry_run = _of(Forecast, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What turnkey prints with --json",
        "type": "object",
        "properties": {
            "schema": {"const": SCHEMA},
            "command": {"enum": list(contents)},
            "turnkey_version": {"type": "string"},
            "created": {"type": "string"},
            "ok": {"type": "boolean"},
            "error": {"type": "string"},
            "dry_run": dry_run,
        },
        "required": ["schema", "command", "turnkey_version", "created", "ok"],
        "allOf": [_if(command, properties) for command, properties in contents.items()],
        "$defs": dict(sorted(definitions.items())),
    }


def _if(command: str, properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a command's document, unless it reports an error."""
    return {
        "if": {"properties": {"command": {"const": command}}, "not": {"required": ["error"]}},
        "then": {"properties": properties, "required": list(properties)},
    }


def _builds(properties: dict[str, Any]) -> dict[str, Any]:
    return {"cache_dir": {"type": "string"}, "builds": _list(_object(properties))}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _of(hint: Any, definitions: dict[str, Any]) -> Any:
    """The schema of a type; records become definitions of their own."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_of(a, definitions) for a in arguments]}
    if origin in (tuple, list):
        return _list(_of(arguments[0], definitions))
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(arguments[1], definitions)}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if dataclasses.is_dataclass(hint):
        return _record(typing.cast("type", hint), definitions)
    return _PLAIN[hint]


def _record(kind: type, definitions: dict[str, Any]) -> dict[str, str]:
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}
        hints = typing.get_type_hints(kind)
        properties = {f.name: _of(hints[f.name], definitions) for f in dataclasses.fields(kind)}
        definitions[kind.__name__] = {
            "description": (kind.__doc__ or "").strip().splitlines()[0],
            "type": "object",
            "properties": properties,
            "required": list(properties),
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},
    type(None): {"type": "null"},
    Any: {},
}
"""A number may be null because JSON knows neither infinity nor NaN."""


if __name__ == "__main__":
    print(json.dumps(document_schema(), indent=2))
