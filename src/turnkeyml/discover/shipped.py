"""The models that come with turnkeyml, by name: ``timm/resnet50``, ``timm/resnet*`` or ``timm``."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from pathlib import Path

from turnkeyml.discover.labels import Values, matches, read_labels
from turnkeyml.errors import UsageError
from turnkeyml.filesystem import MODELS_DIR

SUGGESTED = 3
"""Names in the question that a misspelling is answered with."""


def shipped_corpora() -> list[str]:
    """The names of the corpora: the folders that contain scripts; none without shipped models."""
    if not os.path.isdir(MODELS_DIR):
        return []
    folders = [entry for entry in os.scandir(MODELS_DIR) if entry.is_dir()]
    return sorted(f.name for f in folders if f.name[0].isalpha() and any(Path(f).glob("*.py")))


def shipped_named(name: str) -> list[str]:
    """The scripts that a name or pattern matches, sorted; empty if none does."""
    corpus, _, model = name.partition("/")
    pattern = model.removesuffix(".py") or "*"
    return [
        _path(n) for n in shipped_names(corpus) if fnmatch.fnmatchcase(n, f"{corpus}/{pattern}")
    ]


def shipped_models(
    patterns: Iterable[str] = (), wanted: Values | None = None
) -> list[tuple[str, Values]]:
    """Model names with their labels: all, or those that match a pattern and the labels."""
    paths: list[str] = []
    for pattern in patterns:
        found = shipped_named(pattern)
        if not found:
            raise UsageError(_not_found(pattern))
        paths += found
    if not patterns:
        paths = [_path(name) for name in shipped_names("*")]
    labelled = [(_name(path), read_labels(path).values) for path in dict.fromkeys(paths)]
    return [(name, labels) for name, labels in labelled if matches(labels, wanted or {})]


def _not_found(name: str) -> str:
    """The error message for a name that matches no model."""
    near = " or ".join(f"'{one}'" for one in similar_names(name))
    hint = f" Did you mean {near}?" if near else " 'turnkey models list' lists all models."
    return f"Model not found: turnkey comes with no model {name!r}.{hint}"


def similar_names(name: str) -> list[str]:
    """The names of models that may be meant by this one, or of a corpus; the most similar first.

    Those of the same name in any corpus (``resnet50``), or else the nearest misspelling.
    """
    import difflib

    corpus, _, model = name.removesuffix(".py").rpartition("/")
    stems: dict[str, list[str]] = {}
    near = difflib.get_close_matches(corpus or model, shipped_corpora(), 1)
    if near and not corpus:
        return near
    for found in shipped_names(near[0] if near else "*"):
        stems.setdefault(found.partition("/")[2].lower(), []).append(found)
    wanted = model.lower()
    best = [wanted] if wanted in stems else difflib.get_close_matches(wanted, stems, 1, 0.75)
    return [found for stem in best for found in stems[stem]][:SUGGESTED]


def shipped_names(corpus: str) -> list[str]:
    """The names of all models in the corpora that match a pattern, sorted."""
    matching = fnmatch.filter(shipped_corpora(), corpus)
    files = [p for c in matching for p in Path(MODELS_DIR, c).glob("*.py") if p.name[0] != "_"]
    return sorted(f"{p.parent.name}/{p.stem}" for p in files)


def _path(name: str) -> str:
    return os.path.join(MODELS_DIR, f"{name}.py")


def _name(path: str) -> str:
    return f"{Path(path).parent.name}/{Path(path).stem}"
