"""Scripts that are modules of a package: ``-m package.module``, as Python itself takes them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from turnkeyml.errors import UsageError

FLAG = "-m "
RELATIVE_IMPORT = "attempted relative import with no known parent package"
"""How Python words that a file of a package runs as a script."""


def is_module_name(name: str) -> bool:
    """Whether the name of an input is that of a module, and not of a file."""
    return name.startswith(FLAG)


def find_module(name: str) -> tuple[str, str]:
    """The file and the dotted name of the module in ``-m NAME``. Imports nothing."""
    module = name.removeprefix(FLAG).strip()
    if not module or not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"-m takes the name of a module, such as package.module, not {module!r}.")
    for folder in dict.fromkeys((os.getcwd(), *filter(None, sys.path))):
        path = os.path.join(folder, *module.split("."))
        for file in (os.path.join(path, "__main__.py"), f"{path}.py"):
            if os.path.isfile(file):
                return file, module
    raise UsageError(
        f"Module not found: {module!r} is neither in {os.getcwd()} nor installed; run turnkey in "
        "the folder that contains the package."
    )


def module_of(path: str) -> tuple[str, str] | None:
    """The folder of the outermost package around a file, and its name there; None if in none.

    The folder of a file without ``__init__.py`` is taken for a package of its own.
    """
    file = Path(os.path.abspath(path))
    names, folder = [file.stem], file.parent
    while folder.name.isidentifier() and (len(names) == 1 or (folder / "__init__.py").exists()):
        names.insert(0, folder.name)
        folder = folder.parent
    return (str(folder), ".".join(names)) if len(names) > 1 else None
