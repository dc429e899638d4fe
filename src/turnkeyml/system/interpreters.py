"""Other Python interpreters on this machine: what they are, and what they can import."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.errors import TurnkeyError
from turnkeyml.interpreter import surroundings

__all__ = ["OLDEST", "Interpreter", "examine"]

OLDEST = (3, 10)
"""The oldest Python that can import this package."""
SECONDS = 60
"""How long an interpreter may take to answer; a cold disk makes the first start slow."""

_QUESTION = """
import json, sys
def has(name):
    from importlib.util import find_spec
    try:
        return find_spec(name) is not None
    except ImportError:
        return False
version = list(sys.version_info[:3])
known = [name for name in sys.argv[1:] if version >= [3, 4] and has(name)]
sys.stdout.write(json.dumps({"python": version, "modules": known}) + "\\n")
"""
"""Runs under any Python, so that one that is too old can say so."""


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter says about itself."""

    path: str
    version: tuple[int, ...]
    modules: frozenset[str]
    """Those of the modules in question that it can find."""


def examine(path: str, modules: Iterable[str]) -> Interpreter:
    """What is known about an interpreter and some modules; an error if it is not usable at all."""
    _check_file(path)
    try:
        done = subprocess.run(
            [path, "-c", _QUESTION, *modules],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=surroundings(path),
            timeout=SECONDS,
        )
        last = done.stdout.decode("utf-8", "replace").splitlines()[-1]
        told = json.loads(last)
        found = Interpreter(path, tuple(told["python"]), frozenset(told["modules"]))
    except subprocess.TimeoutExpired:
        raise TurnkeyError(f"{path} did not answer within {SECONDS} s; is it Python?") from None
    except (OSError, IndexError, ValueError, TypeError, KeyError):
        raise TurnkeyError(
            f"{path} is not a Python interpreter that works; give the path of one, such as "
            "VENV/bin/python."
        ) from None
    if found.version < OLDEST:
        has, needs = (".".join(map(str, version)) for version in (found.version, OLDEST))
        raise TurnkeyError(
            f"{path} is Python {has}; to measure with it, it must be {needs} or newer."
        )
    return found


def _check_file(path: str) -> None:
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
