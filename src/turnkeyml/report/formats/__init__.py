"""The report formats: one file per format.

Each file here defines one ``Format``, with the name of the file. No other file lists them.
``turnkey cache report`` and ``turnkey compare`` offer all of them. The names are found without
importing the files, because ``--help`` lists them.
"""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml.errors import UsageError

if TYPE_CHECKING:
    from turnkeyml.report.contract import Format


def names() -> tuple[str, ...]:
    """The values of ``--format``."""
    return tuple(sorted(file.name for file in pkgutil.iter_modules(__path__)))


def formats() -> list[Format]:
    """Every format, by name."""
    return [find_format(name) for name in names()]


def find_format(name: str) -> Format:
    """The format with this name; a UsageError that lists the known ones otherwise."""
    if name not in names():
        raise UsageError(f"Unknown format {name!r}; choose from: {', '.join(names())}.")
    return _load(name)


def by_suffix(path: Path) -> Format:
    """The format that the suffix of a file names; a UsageError otherwise."""
    found = [form for form in formats() if form.suffix == path.suffix]
    if not found:
        known = ", ".join(form.suffix for form in formats())
        raise UsageError(
            f"The suffix of {path} names no format; choose from {known}, or give --format."
        )
    return found[0]


@functools.cache
def _load(name: str) -> Format:
    """The format that a file defines."""
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
