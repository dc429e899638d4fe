"""Starting another Python that can import this package, whatever folder it is started in."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

__all__ = ["adopt_orphans", "command", "describe_exit", "die_with_parent"]

_PARENT_DEATH_SIGNAL = 1
_CHILD_SUBREAPER = 36

_ROOT = str(Path(__file__).resolve().parent.parent)

_PROGRAM = (
    "import sys; sys.path[:1] = [p for p in sys.path[:1] if p]; "
    "{root!r} in sys.path or sys.path.append({root!r}); "
    "from {module} import main; main()"
)


def command(module: str, *arguments: str) -> list[str]:
    """The command that runs ``main()`` of a module, without the working folder on its path."""
    return [sys.executable, "-c", _PROGRAM.format(root=_ROOT, module=module), *arguments]


def die_with_parent() -> None:
    """On Linux, let the kernel end this process when the one that started it is gone."""
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans() -> None:
    """On Linux, become the parent of whatever our descendants leave behind."""
    _prctl(_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def describe_exit(code: int) -> str:
    """How a process ended, in words. Negative codes are signals, as in ``subprocess``."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    hint = {
        "SIGKILL": ", as the system does when memory runs out",
        "SIGSEGV": ", an invalid memory access",
        "SIGILL": ", an instruction that this processor does not have",
    }.get(name, "")
    return f"was killed by signal {-code} ({name}{hint})"
