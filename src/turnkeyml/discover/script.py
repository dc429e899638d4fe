"""Running a script as if ``python script.py`` ran it."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import traceback
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path

from turnkeyml.errors import describe
from turnkeyml.nouns import ScriptOutcome

__all__ = ["finish_like_python", "run_script"]

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def run_script(path: str, arguments: tuple[str, ...]) -> ScriptOutcome:
    """Run a script to its end, threads included, and say how it ended.

    The script becomes ``__main__`` and stays it, so that its classes can still be found by name
    when the models are built. What it did to the standard streams and to the working folder is
    undone. A process that the script forked off never returns from here.
    """
    folder, search = os.getcwd(), list(sys.path)
    process = os.getpid()
    outcome = _run(path, arguments)
    _wait_for_threads()
    if os.getpid() != process:
        sys.stderr.write(outcome.traceback or "")
        finish_like_python(outcome.exit_code)
    _restore(folder)
    sys.path[:] = [*search, *(p for p in sys.path if p not in search)]  # our imports come first
    return outcome


def finish_like_python(code: int) -> None:
    """End the process with its exit handlers run and its files written out."""
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
    with contextlib.suppress(Exception):
        vars(sys.modules["__main__"]).clear()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _run(path: str, arguments: tuple[str, ...]) -> ScriptOutcome:
    absolute = os.path.abspath(path)
    main = types.ModuleType("__main__")
    loader = SourceFileLoader("__main__", absolute)
    vars(main).update(
        __file__=absolute, __builtins__=sys.modules["builtins"], __cached__=None, __loader__=loader
    )
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.realpath(absolute)))
    try:
        code = compile(Path(absolute).read_bytes(), absolute, "exec", dont_inherit=True)
        exec(code, vars(main))
    except SystemExit as stop:
        return _outcome_of_exit(stop)
    except BaseException as error:  # noqa: BLE001 - whatever the script raises is its outcome
        return ScriptOutcome(1, describe(error), _show(error))
    return ScriptOutcome()


def _outcome_of_exit(stop: SystemExit) -> ScriptOutcome:
    """What Python makes of the argument of ``sys.exit``."""
    if stop.code is None:
        return ScriptOutcome()
    if isinstance(stop.code, int):
        return ScriptOutcome(stop.code & 0xFF)
    with contextlib.suppress(Exception):
        print(stop.code, file=sys.stderr)
    return ScriptOutcome(1)


def _show(error: BaseException) -> str | None:
    """The script's own part of a traceback; None where the script shows its errors itself."""
    if sys.excepthook is not sys.__excepthook__:
        with contextlib.suppress(Exception):
            sys.excepthook(type(error), error, error.__traceback__)
            return None
    shown = traceback.TracebackException.from_exception(error)
    part: traceback.TracebackException | None = shown
    while part is not None:
        own = [frame for frame in part.stack if not frame.filename.startswith(_PACKAGE)]
        part.stack = traceback.StackSummary.from_list(own)
        part = part.__cause__ or part.__context__
    return "".join(shown.format())


def _wait_for_threads() -> None:
    """Wait for the script's threads as Python does, and then let new ones be started again."""
    for callback in reversed(list(getattr(threading, "_threading_atexits", ()))):
        with contextlib.suppress(Exception):
            callback()
    current = threading.current_thread()
    while waiting := [t for t in threading.enumerate() if t is not current and not t.daemon]:
        for thread in waiting:
            thread.join()
    for module, flag in (("thread", "_shutdown"), ("process", "_global_shutdown")):
        pool = sys.modules.get(f"concurrent.futures.{module}")
        if pool is not None:
            setattr(pool, flag, False)


def _restore(folder: str) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    for name in ("stdin", "stdout", "stderr"):
        original = getattr(sys, f"__{name}__")
        if original is not None and not original.closed:
            setattr(sys, name, original)
        else:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    with contextlib.suppress(OSError):  # it may have been removed
        os.chdir(folder)
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)
