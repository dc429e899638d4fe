"""Run a script in this process as ``python script.py`` would."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import resource
import signal
import sys
import threading
import traceback
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TextIO

from turnkeyml.errors import describe
from turnkeyml.nouns import ScriptOutcome

_PACKAGE = str(Path(__file__).resolve().parent.parent)
RELATIVE_IMPORT = "attempted relative import with no known parent package"
"""How Python words that a file of a package runs as a script."""


def run_script(path: str, arguments: tuple[str, ...], module: str = "") -> ScriptOutcome:
    """Run a script and wait for its threads; return its outcome.

    With ``module``, the script runs as that module of its package, as ``python -m`` does.

    The script remains ``__main__``, so that its classes can still be found by name when the models
    are built. The standard streams, the working directory and the limit of file sizes are restored.
    In a process that the script forked, this function does not return: it exits.
    """
    folder, search = os.getcwd(), list(sys.path)
    process, limit = os.getpid(), resource.getrlimit(resource.RLIMIT_FSIZE)
    streams = {name: getattr(sys, f"__{name}__") for name in ("stdin", "stdout", "stderr")}
    outcome = _run(path, arguments, module)
    _wait_for_threads()
    if os.getpid() != process:
        with contextlib.suppress(Exception):
            sys.stderr.write(outcome.traceback or "")
        finish_like_python(outcome.exit_code)
    _restore(folder, limit, streams)
    sys.path[:] = [*search, *(p for p in sys.path if p not in search)]  # our imports come first
    return outcome


def finish_like_python(code: int) -> None:
    """Exit the process after running its exit handlers and flushing its streams."""
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
    with contextlib.suppress(Exception):
        vars(sys.modules["__main__"]).clear()
    _flush()
    os._exit(code)


def _run(path: str, arguments: tuple[str, ...], module: str) -> ScriptOutcome:
    absolute = os.path.abspath(path)
    main = types.ModuleType("__main__")
    loader = SourceFileLoader("__main__", absolute)
    vars(main).update(
        __file__=absolute, __builtins__=sys.modules["builtins"], __cached__=None, __loader__=loader
    )
    sys.modules["__main__"] = main
    sys.argv = [absolute if module else path, *arguments]
    folder = os.getcwd() if module else os.path.dirname(os.path.realpath(absolute))
    sys.path.insert(0, folder)
    try:
        if module:
            _place_in_package(main, module, absolute)
        code = compile(Path(absolute).read_bytes(), absolute, "exec", dont_inherit=True)
        exec(code, vars(main))
    except SystemExit as stop:
        return _outcome_of_exit(stop)
    except BaseException as error:  # noqa: BLE001 - any exception of the script is its outcome
        return ScriptOutcome(1, describe(error) + _hint(error, absolute), _show(error))
    return ScriptOutcome()


def _place_in_package(main: types.ModuleType, module: str, path: str) -> None:
    """Give the main module its package, which is imported first."""
    is_package = os.path.basename(path) == "__main__.py" and not module.endswith(".__main__")
    name = f"{module}.__main__" if is_package else module
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    vars(main).update(__spec__=spec, __package__=spec.parent, __loader__=spec.loader)


def _hint(error: BaseException, path: str) -> str:
    """What to do about an error that is due to the way in which the script was started."""
    found = module_of(path) if RELATIVE_IMPORT in str(error) else None
    if found is None:
        return ""
    folder, module = found
    there = "" if folder == os.getcwd() else f" in {folder}"
    return f". Run it as a module of its package{there}: turnkey -m {module}"


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


def _outcome_of_exit(stop: SystemExit) -> ScriptOutcome:
    """The outcome for the argument of ``sys.exit``, as Python defines it."""
    if stop.code is None:
        return ScriptOutcome()
    if isinstance(stop.code, int):
        return ScriptOutcome(stop.code & 0xFF)
    with contextlib.suppress(Exception):
        print(stop.code, file=sys.stderr)
    return ScriptOutcome(1)


def _show(error: BaseException) -> str | None:
    """The traceback without our own frames; None if the script's excepthook shows it."""
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
    """Wait for the script's threads as Python does at exit, then allow new threads again."""
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


def _flush() -> None:
    """Flush the standard streams, which a script may have replaced by anything."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _restore(folder: str, limit: tuple[int, int], streams: dict[str, TextIO | None]) -> None:
    _flush()
    for name, original in streams.items():
        stream = original
        if stream is None or stream.closed:
            stream = open(os.devnull, "r" if name == "stdin" else "w")  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", original)  # which a script may have replaced, too
    with contextlib.suppress(OSError):  # it may have been removed
        os.chdir(folder)
    with contextlib.suppress(OSError, ValueError):  # the script may have lowered it for good
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)
