"""Running a script as if ``python script.py`` ran it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
import types
from pathlib import Path

from turnkeyml.errors import describe
from turnkeyml.records import ScriptOutcome

__all__ = ["run_script"]


def run_script(path: str, arguments: tuple[str, ...]) -> ScriptOutcome:
    """Run a script to its end, threads included, and say how it ended.

    The script becomes ``__main__`` and stays it, so that its classes can still be found by name
    when the models are built. What it did to the standard streams and to the working folder is
    undone. A process that the script forked off never returns from here.
    """
    folder = os.getcwd()
    process = os.getpid()
    try:
        outcome = _run(path, arguments)
        _wait_for_threads()
    finally:
        if os.getpid() != process:
            _leave_fork()
        _restore(folder)
    return outcome


def _run(path: str, arguments: tuple[str, ...]) -> ScriptOutcome:
    absolute = os.path.abspath(path)
    main = types.ModuleType("__main__")
    vars(main).update(__file__=absolute, __builtins__=sys.modules["builtins"], __cached__=None)
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.realpath(absolute)))
    try:
        code = compile(Path(absolute).read_bytes(), absolute, "exec", dont_inherit=True)
        exec(code, vars(main))
    except SystemExit as stop:
        return _outcome_of_exit(stop)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the script raises is its outcome
        return ScriptOutcome(1, describe(error), _traceback(error))
    return ScriptOutcome()


def _outcome_of_exit(stop: SystemExit) -> ScriptOutcome:
    """What Python makes of the argument of ``sys.exit``."""
    if stop.code is None:
        return ScriptOutcome()
    if isinstance(stop.code, int):
        return ScriptOutcome(stop.code & 0xFF)
    with contextlib.suppress(OSError, ValueError):
        print(stop.code, file=sys.stderr)
    return ScriptOutcome(1)


def _traceback(error: BaseException) -> str:
    """The script's own part of a traceback, as Python would show it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def _wait_for_threads() -> None:
    """Python itself waits for a script's threads before it ends."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


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
    os.chdir(folder)


def _leave_fork() -> None:
    """End a process that the script forked and that ran past the script's end."""
    error = sys.exc_info()[1]
    code = 0
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    elif error is not None:
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
