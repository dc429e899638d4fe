"""Scripts that are modules of a package: ``-m package.module``, as Python itself takes them."""

from __future__ import annotations

import os
import sys

from turnkeyml.errors import UsageError

FLAG = "-m "


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
