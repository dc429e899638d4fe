"""The JSON Schema of the documents that ``--json`` prints, made from the typed records.

``python -m turnkeyml.report.schema`` prints it; ``docs/turnkey.schema.json`` is a copy.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from enum import Enum
from typing import Any

from turnkeyml import nouns
from turnkeyml.nouns import Explanation, Forecast, PluginInfo, SystemInfo, TuneResult
from turnkeyml.report.comparison import Comparison
from turnkeyml.report.document import SCHEMA

RESULTS = {"results": {"type": "array", "items": {"$ref": "#/$defs/InputResult"}}}


def document_schema() -> dict[str, Any]:
    """The JSON Schema of the documents of all commands."""
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
