"""The models that come with turnkeyml, by name: ``timm/resnet50``, ``timm/resnet*`` or ``timm``."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from pathlib import Path

from turnkeyml.discover.labels import Values, matches, read_labels
from turnkeyml.errors import UsageError
from turnkeyml.filesystem import MODELS_DIR

__all__ = ["closest", "corpora", "list_models", "named"]


def corpora() -> list[str]:
    """The names of the corpora: the folders that hold scripts."""
    folders = [entry for entry in os.scandir(MODELS_DIR) if entry.is_dir()]
    return sorted(f.name for f in folders if f.name[0].isalpha() and any(Path(f).glob("*.py")))


def named(name: str) -> list[str]:
    """The scripts that a name stands for, sorted; none if it is the name of nothing."""
    corpus, _, model = name.partition("/")
    pattern = model.removesuffix(".py") or "*"
    found = [one for one in _names(corpus) if fnmatch.fnmatchcase(one, f"{corpus}/{pattern}")]
    return [_path(one) for one in found]


def list_models(
    patterns: Iterable[str] = (), wanted: Values | None = None
) -> list[tuple[str, Values]]:
    """Names with their labels: all of them, or those that a pattern and labels select."""
    paths: list[str] = []
    for pattern in patterns:
        found = named(pattern)
        if not found:
            raise UsageError(unknown(pattern))
        paths += found
    if not patterns:
        paths = [_path(name) for name in _names("*")]
    labelled = [(_name(path), read_labels(path).values) for path in dict.fromkeys(paths)]
    return [(name, labels) for name, labels in labelled if matches(labels, wanted or {})]


def unknown(name: str) -> str:
    """What to say about a name that is the name of nothing."""
    near = closest(name)
    hint = f" Did you mean '{near}'?" if near else " 'turnkey models list' lists them."
    return f"No model that comes with turnkey is called {name!r}.{hint}"


def closest(name: str) -> str | None:
    """The name that somebody may have meant."""
    import difflib

    corpus, _, model = name.partition("/")
    near = difflib.get_close_matches(corpus, corpora(), 1)
    if not near or not model:
        return near[0] if near else None
    names = [one.partition("/")[2] for one in _names(near[0])]
    inner = difflib.get_close_matches(model.removesuffix(".py"), names, 1)
    return f"{near[0]}/{inner[0]}" if inner else None


def _names(corpus: str) -> list[str]:
    """The models of the corpora whose name matches."""
    fitting = fnmatch.filter(corpora(), corpus)
    files = [p for c in fitting for p in Path(MODELS_DIR, c).glob("*.py") if p.name[0] != "_"]
    return sorted(f"{p.parent.name}/{p.stem}" for p in files)


def _path(name: str) -> str:
    return os.path.join(MODELS_DIR, f"{name}.py")


def _name(path: str) -> str:
    return f"{Path(path).parent.name}/{Path(path).stem}"
