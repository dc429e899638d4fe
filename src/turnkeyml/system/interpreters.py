"""Other Python interpreters on this machine: what they are, and what they can import."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.errors import TurnkeyError

OLDEST = (3, 10)
"""The oldest Python that can import this package."""


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter says about itself."""

    path: str
    version: tuple[int, ...]
    modules: frozenset[str]
    """Those of the modules in question that it can find."""


def check_file(path: str) -> None:
    """Raise an error in one sentence if a path cannot be that of an interpreter."""
    if os.path.isdir(path):
        inside = next(
            (p for p in ("bin/python", "Scripts/python.exe") if Path(path, p).exists()), ""
        )
        hint = f"such as {os.path.join(path, inside)}" if inside else "such as VENV/bin/python"
        raise TurnkeyError(f"{path} is a folder; give the path of a Python interpreter, {hint}.")
    if not os.path.exists(path):
        raise TurnkeyError(
            f"There is no Python interpreter {path}; give the path of one, such as VENV/bin/python."
        )
    if shutil.which(path) is None:
        raise TurnkeyError(f"{path} is not executable; give the path of a Python interpreter.")
