"""Starting a Python process that can import this package, from any working directory."""

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
    """The command that runs ``main()`` of a module, without the working directory in sys.path."""
    return [sys.executable, "-c", _PROGRAM.format(root=_ROOT, module=module), *arguments]


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


def describe_exit(code: int) -> str:
    """The end of a sentence about how a process exited; negative codes are signals."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    hint = {
        "SIGKILL": ", often because it ran out of memory",
        "SIGSEGV": ", a segmentation fault",
        "SIGILL": ", an instruction that this CPU does not support",
    }.get(name, "")
    return f"was killed by signal {-code} ({name}{hint})"
