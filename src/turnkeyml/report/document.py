"""The JSON documents that ``--json`` prints."""

from __future__ import annotations

import json
import time
from typing import Any

import turnkeyml
from turnkeyml.escaping import json_text
from turnkeyml.nouns import to_dict
from turnkeyml.report.json_text import finite

SCHEMA = "turnkey/1"
"""Changes with every incompatible change; new fields are compatible."""


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
