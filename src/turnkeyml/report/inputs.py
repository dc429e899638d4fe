"""The inputs that runs recorded in a cache: how long each took, and those that failed early."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from turnkeyml.cache import journal_folder, read_json
from turnkeyml.report.compared_rows import one_line
from turnkeyml.report.failures import kind_of


def read_inputs(cache_dir: Path) -> list[dict[str, Any]]:
    """The inputs of the runs in a cache, as plain data; without those that cannot be read."""
    folder = journal_folder(cache_dir)
    return [found for path in sorted(folder.glob("*.json")) for found in _read(path)]


def _read(path: Path) -> Iterator[dict[str, Any]]:
    data = read_json(path)
    if not isinstance(data, dict):
        return
    file, script = _part(data, "input").get("path"), _part(data, "script")
    seconds = _part(data, "seconds")
    if not isinstance(file, str):
        return
    failure = data.get("failure") or script.get("error")
    if not failure and script.get("exit_code"):
        failure = f"The script exited with code {script['exit_code']}."
    yield {
        "file": file,
        "script_seconds": seconds["script"] if _is_number(seconds.get("script")) else None,
        "failure": one_line(failure) if failure else None,
        "kind": kind_of(one_line(failure)) if failure else None,
    }


def _part(data: dict[str, Any], name: str) -> dict[str, Any]:
    part = data.get(name)
    return part if isinstance(part, dict) else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
