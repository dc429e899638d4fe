"""Python interpreters on this machine: what they are, what they can import, and ones on standby.

Those on standby are started before it is known what they will do. One says what it is and which
modules it has, answers questions, and becomes a worker: three processes in one, whose start costs
nothing where something else has to be done meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnkeyml import interpreter
from turnkeyml.errors import TurnkeyError

OLDEST = (3, 10)
"""The oldest Python that can import this package."""
SECONDS = 60
"""How long an interpreter may take to answer; a cold disk makes the first start slow."""
ON_CALL = "turnkeyml.system.on_call"
_PROGRAM = """
import json, sys
sys.path[:1] = [p for p in sys.path[:1] if p]
def has(name):
    from importlib.util import find_spec
    try:
        return find_spec(name) is not None
    except ImportError:
        return False
version = list(sys.version_info[:3])
known = [name for name in sys.argv[1:] if version >= [3, 4] and has(name)]
sys.stdout.write(json.dumps({{"python": version, "modules": known}}) + "\\n")
sys.stdout.flush()
if version >= {oldest!r}:
    exec({then!r})
"""
"""Runs under any Python, so that one that is too old can say so."""


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


_kept: dict[str, Standby] = {}
"""Those that wait to become a worker, by the path of the interpreter; '' is this one."""


class Standby:
    """An interpreter that runs, and does what it is told, in order. Nothing here waits for it but
    ``answer``."""

    def __init__(self, python: str = "", modules: Iterable[str] = ()) -> None:
        if python:
            check_file(python)
        self.python = python
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - ``close`` closes it
        self._answers: list[dict[str, Any]] = []
        self._asked = 0
        words = interpreter.command(ON_CALL, *modules, python=python)
        words[2] = _PROGRAM.format(oldest=list(OLDEST), then=words[2])
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=interpreter.surroundings(python),
            )
        except OSError:
            self._errors.close()
            raise _not_python(python) from None

    def load(self, module: str) -> None:
        """Let it import a module, as it will be needed."""
        self._say(module=module)

    def run(self, module: str, *arguments: str) -> None:
        """Let it run ``main()`` of a module, which prints an answer."""
        self._asked += 1
        self._say(module=module, arguments=arguments)

    def become(self, module: str, *arguments: str, log: Path) -> subprocess.Popen[str]:
        """Let it run ``main()`` of a module to its end, writing errors to a log; its process, which
        is no longer ours."""
        self.answer(self._asked)  # what it was asked before is not what the module says
        self._say(module=module, arguments=arguments, log=str(log))
        self._errors.close()
        return self.process

    def introduction(self) -> Interpreter:
        """What it says about itself; an error in one sentence if it is not usable at all."""
        try:
            told = self.answer(0)
        except TimeoutError:
            raise TurnkeyError(
                f"{self.python} did not answer within {SECONDS} s; is it Python?"
            ) from None
        try:
            version, modules = tuple((told or {})["python"]), frozenset((told or {})["modules"])
        except (KeyError, TypeError):
            raise _not_python(self.python) from None
        if version < OLDEST:
            has, needs = (".".join(map(str, one)) for one in (version, OLDEST))
            raise TurnkeyError(
                f"{self.python} is Python {has}; to measure with it, it must be {needs} or newer."
            )
        return Interpreter(self.python, version, modules)

    def answer(self, number: int, seconds: float = SECONDS) -> dict[str, Any] | None:
        """The answer of that number, the introduction being the first; None if it has ended before.

        A ``TimeoutError`` if it takes longer; the process has ended then.
        """
        while len(self._answers) <= number:
            with self._killed_after(seconds) as late:
                answer = self._next()
            if answer is None and late.is_set():
                raise TimeoutError
            if answer is None:
                return None
            self._answers.append(answer)
        return self._answers[number]

    @contextlib.contextmanager
    def _killed_after(self, seconds: float) -> Iterator[threading.Event]:
        """End the process if the block takes longer than so many seconds; an event says whether."""
        late = threading.Event()

        def kill() -> None:
            late.set()
            self.process.kill()

        timer = threading.Timer(seconds, kill)
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()

    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self._errors.close()

    def _next(self) -> dict[str, Any] | None:
        """The next line that is an answer; whatever else an environment prints at its start is
        none."""
        assert self.process.stdout is not None
        for line in iter(self.process.stdout.readline, ""):
            with contextlib.suppress(ValueError):
                found = json.loads(line)
                if isinstance(found, dict):
                    return found
        return None

    def _say(self, **words: Any) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, which shows when it does not answer
            self.process.stdin.write(json.dumps(words) + "\n")
            self.process.stdin.flush()


def _not_python(path: str) -> TurnkeyError:
    return TurnkeyError(
        f"{path or sys.executable} is not a Python interpreter that works; give the path of one, "
        "such as VENV/bin/python."
    )


@contextlib.contextmanager
def keeping_standby(found: Iterable[Standby]) -> Iterator[None]:
    """Keep interpreters within the block for whoever takes them; the others end with it."""
    _kept.update({one.python: one for one in found})
    try:
        yield
    finally:
        while _kept:
            _kept.popitem()[1].close()


def kept_standby(python: str) -> Standby | None:
    """The interpreter at a path that waits; it goes on waiting."""
    return _kept.get(python)


def take_standby(python: str) -> Standby | None:
    """The interpreter at a path that waits, for the caller alone; None if there is none."""
    return _kept.pop(python, None)
