"""Starting a Python process that can import this package, from any working directory."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

__all__ = [
    "adopt_orphans",
    "command",
    "describe_exit",
    "die_with_parent",
    "signal_name",
    "surroundings",
]

_PARENT_DEATH_SIGNAL = 1
_CHILD_SUBREAPER = 36

_ROOT = str(Path(__file__).resolve().parent.parent)

_PROGRAM = (
    "import sys; sys.path[:1] = [p for p in sys.path[:1] if p]; "
    "{root!r} in sys.path or sys.path.append({root!r}); "
    "from {module} import main; main()"
)

_ELSEWHERE = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
sys.path[:1] = [p for p in sys.path[:1] if p]
spec = spec_from_file_location("turnkeyml", {file!r}, submodule_search_locations=[{folder!r}])
package = sys.modules["turnkeyml"] = module_from_spec(spec)
spec.loader.exec_module(package)
from {module} import main
main()
"""
"""Imports this package and nothing else of the folder that it lies in, as that is the
site-packages of our interpreter, whose libraries may not fit another one."""

_OURS = ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__")
"""Environment variables that make an interpreter load the libraries of this one."""


_MODE = ["-X", "utf8"] if sys.flags.utf8_mode else []
"""Children read file names as this process does; the environment may not say so."""


def command(module: str, *arguments: str, python: str = "") -> list[str]:
    """The command that runs ``main()`` of a module, without the working directory in sys.path.

    ``python`` is the path of another interpreter; it needs ``surroundings`` too.
    """
    if python:
        folder = Path(__file__).resolve().parent
        file = str(folder / "__init__.py")
        program = _ELSEWHERE.format(file=file, folder=str(folder), module=module)
        return [python, "-c", program, *arguments]
    program = _PROGRAM.format(root=_ROOT, module=module)
    return [sys.executable, *_MODE, "-c", program, *arguments]


def surroundings(python: str) -> dict[str, str]:
    """The environment variables for a process of the interpreter at a path; '' is this one."""
    if not python:
        return dict(os.environ)
    return {name: value for name, value in os.environ.items() if name not in _OURS}


def die_with_parent() -> None:
    """On Linux, let the kernel kill this process when its parent exits."""
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans() -> None:
    """On Linux, become the parent of orphaned descendants (a child subreaper)."""
    _prctl(_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def describe_exit(code: int, hint: str | None = None) -> str:
    """The end of a sentence about how a process exited; negative codes are signals.

    ``hint`` replaces what such a signal often means.
    """
    if code >= 0:
        return f"exited with code {code}"
    name = signal_name(-code)
    if hint is None:
        hint = _HINTS.get(name, "")
    return f"was killed by signal {-code} ({name}{hint})"


_HINTS = {
    "SIGKILL": ", often because it ran out of memory",
    "SIGSEGV": ", a segmentation fault",
    "SIGILL": ", an instruction that this CPU does not support",
}


def signal_name(number: int) -> str:
    """The name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
