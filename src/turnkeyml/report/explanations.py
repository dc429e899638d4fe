"""The explanations that a build has, for the page of its model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from turnkeyml.cache import BuildFolder, is_regular, read_json
from turnkeyml.nouns import DamagedRecord, Explanation, from_dict, to_dict

MOST = 8
MOST_OPERATORS = 300
"""Of one explanation, the most expensive ones."""


def explanations_of(folder: BuildFolder) -> list[dict[str, Any]]:
    """The last explanation of each runtime and precision as plain data; no damaged ones."""
    found = map(_read, folder.explanations()[:MOST])
    return [to_dict(_shortened(one)) for one in found if one is not None]


def _read(path: Path) -> Explanation | None:
    if path.parent.is_symlink() or not is_regular(path):
        return None
    try:
        return from_dict(Explanation, read_json(path))
    except DamagedRecord:
        return None


def _shortened(one: Explanation) -> Explanation:
    """Without the shapes, which the page does not show, and without the cheapest operators."""
    operators = [replace(o, inputs=(), outputs=()) for o in one.operators[:MOST_OPERATORS]]
    return replace(one, operators=tuple(operators))
