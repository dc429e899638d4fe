"""The formats that reports are written in, found by looking into this folder.

A format is one file here that defines a ``Format``; its name is that of the file, and no other file
has to know it. ``turnkey cache report`` and ``turnkey compare`` offer all of them. Names are known
without importing anything, because the command line lists them each time that it starts.
"""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from turnkeyml.errors import UsageError

if TYPE_CHECKING:
    from turnkeyml.report.contract import Format

__all__ = ["find", "formats", "names"]


def names() -> tuple[str, ...]:
    """What ``--format`` may be."""
    return tuple(sorted(file.name for file in pkgutil.iter_modules(__path__)))


def formats() -> list[Format]:
    """Every format, by name."""
    return [find(name) for name in names()]


def find(name: str) -> Format:
    """The format of that name; an error that lists the known ones otherwise."""
    if name not in names():
        raise UsageError(f"Unknown format {name!r}; the formats are: {', '.join(names())}.")
    return _load(name)


@functools.cache
def _load(name: str) -> Format:
    """The one format that a file itself defines."""
    import inspect

    from turnkeyml.report.contract import Format

    module = import_module(f"{__name__}.{name}")
    classes = (kind for kind in vars(module).values() if inspect.isclass(kind))
    own = (
        kind for kind in classes if issubclass(kind, Format) and kind.__module__ == module.__name__
    )
    form: Format = next(kind for kind in own if not inspect.isabstract(kind))()
    form.name = name
    return form
