"""Every lock of the program, in one order, so that no processes wait for each other in a circle.

A thread that holds a lock waits only for locks of a later ``Rank``; docs/architecture.md has the
table. Each class says what ends a wait for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml import environment
from turnkeyml.cache.files import read_json
from turnkeyml.errors import TurnkeyError

if TYPE_CHECKING:
    from filelock import BaseFileLock

TELL_AFTER_SECONDS = 3.0
"""How long a wait lasts before it names the process that it waits for."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.01, 0.2
"""Seconds between two attempts; a process that waits must not disturb one that measures."""
LONGEST_COMMAND = 80
"""Characters of a command in a sentence."""


class Rank(IntEnum):
    """The place of a lock in the order in which one thread takes them."""

    SLURM = 1
    """Looking for an earlier run on Slurm, or beginning one."""
    SLURM_RUN = 2
    """Following a run on Slurm."""
    BUILD = 3
    """Writing to one build: building, measuring, tuning, explaining, deleting."""
    TURN = 4
    """The use of the machine, among the inputs of one run."""
    THREAD = 5
    """Data that the threads of one process share."""


class LockTimeout(TurnkeyError):
    """A lock was not free in time."""


class LockOrderError(Exception):
    """A lock was taken out of order: a bug, which other processes can turn into a deadlock."""


@dataclass(frozen=True)
class _Held:
    """A lock that this thread holds."""

    rank: Rank
    name: str


class _State(threading.local):
    """The locks that each thread holds, the earliest first."""

    def __init__(self) -> None:
        self.held: list[_Held] = []


@dataclass
class _Process:
    """What the waits of this process depend on."""

    limit: float | None = None
    """Seconds that a wait may last; None for the default."""
    name: str = ""
    """What others read that wait for this process; empty for its command."""
    turn: Turn | None = None
    """The turn that this process shares; whichever thread waits gives it up meanwhile."""


_state = _State()
_process = _Process()


def limit_waits(seconds: float) -> None:
    """Let every wait of this process for a file lock end after so many seconds."""
    _process.limit = seconds


def name_process(name: str) -> None:
    """Name this process for those that wait for it; the default is its command."""
    _process.name = name


def teller(tell: Callable[[str], None] | None) -> Callable[[str], None]:
    """An ``on_wait`` that says in a sentence what a process waits for, once that is known."""

    def on_wait(what: str) -> None:
        if what and tell is not None:
            tell(f"Waiting for {what}.")

    return on_wait


class FileLock:
    """A lock between processes, which the system gives back when its holder dies.

    Its holder notes beside it which process it is. A wait ends with a ``LockTimeout`` after the
    limit of ``limit_waits``, by default TURNKEY_TIMEOUT_SECONDS or an hour, and on Ctrl-C.
    """

    def __init__(
        self,
        path: Path,
        rank: Rank,
        what: str,
        on_wait: Callable[[str], None] | None = None,
        on_taken: Callable[[], None] | None = None,
    ) -> None:
        """``what`` names the lock in a sentence. ``on_wait`` is called when a wait begins, and
        again with who holds the lock; ``on_taken`` is called when the wait is over."""
        self._path = path
        self._held = _Held(rank, str(path))
        self._what = what
        self._on_wait = on_wait
        self._on_taken = on_taken
        self._lock: BaseFileLock | None = None
        self._pid = 0

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def try_acquire(self) -> bool:
        """Take the lock if it is free. This never waits, so that the order does not matter."""
        from filelock import FileLock as SystemLock
        from filelock import Timeout

        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = SystemLock(self._path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        self._lock, self._pid = lock, os.getpid()
        _state.held.append(self._held)
        self._note_holder()
        return True

    def acquire(self) -> None:
        """Wait until the lock is free, and take it. A shared turn is given up meanwhile."""
        _check_order(self._held)
        if self.try_acquire():
            return
        if self._on_wait is not None:
            self._on_wait("")
        with _turn_given_up():
            self._wait()
        if self._on_taken is not None:
            self._on_taken()

    @property
    def is_held(self) -> bool:
        """Whether any process holds the lock. It can be asked of a cache that is read-only."""
        try:
            handle = os.open(self._path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError:  # it was never taken, as in a copy of a cache
            return False
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except (ImportError, OSError):  # a file system without locks
            return False
        finally:
            os.close(handle)
        return False

    def release(self) -> None:
        """Give the lock back; a process that was forked meanwhile leaves it to its parent."""
        if self._lock is None or self._pid != os.getpid():
            return
        with contextlib.suppress(OSError):  # the next holder replaces it
            self._holder_file.unlink()
        self._lock.release()
        self._lock = None
        _state.held.remove(self._held)

    def _wait(self) -> None:
        began, pause, told = time.monotonic(), SHORTEST_PAUSE, ""
        limit = (
            _process.limit or environment.timeout_seconds() or environment.DEFAULT_TIMEOUT_SECONDS
        )
        while not self.try_acquire():
            waited = time.monotonic() - began
            if waited >= limit:
                raise LockTimeout(
                    f"timeout after {limit:g} s of waiting for {self._what}, {self._user()}; "
                    f"{environment.TIMEOUT_SECONDS} gives it longer"
                )
            if self._on_wait is not None and waited >= TELL_AFTER_SECONDS:
                sentence = f"{self._what}, {self._user()}"
                if sentence != told:
                    self._on_wait(sentence)
                    told = sentence
            time.sleep(min(pause, limit - waited))
            pause = min(1.5 * pause, LONGEST_PAUSE)

    def _user(self) -> str:
        holder = _holder(read_json(self._holder_file))
        return f"which {holder or 'another turnkey process'} uses"

    @property
    def _holder_file(self) -> Path:
        return self._path.with_suffix(".holder")

    def _note_holder(self) -> None:
        """Note who holds the lock. A full disk or a file in the way costs others only the name."""
        note = json.dumps(
            {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "command": _process.name or _command(),
            }
        )
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        with contextlib.suppress(OSError):
            handle = os.open(self._holder_file, flags, 0o666)
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(note)


def _holder(note: Any) -> str:
    """The process that a note names, in words; empty if there is no such process."""
    if not isinstance(note, dict) or not isinstance(note.get("pid"), int):
        return ""
    pid, host = note["pid"], str(note.get("host", ""))
    is_here = host == socket.gethostname()
    if is_here and not Path(f"/proc/{pid}").exists() and Path("/proc/self").exists():
        return ""
    where = "" if is_here else f" on {_plain(host)}"
    return f"process {pid}{where} ({_plain(str(note.get('command', '')))})"


def _plain(text: str) -> str:
    """A text from a file that anyone can write, fit for a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text[:LONGEST_COMMAND])


def _command() -> str:
    """The command of this process, as a user would recognize it."""
    program = Path(sys.argv[0] if sys.argv else "").name
    program = "turnkey" if program in ("__main__.py", "") else program
    words = shlex.join([program, *sys.argv[1:]])
    return words if len(words) <= LONGEST_COMMAND else f"{words[: LONGEST_COMMAND - 1]}…"


class Turn:
    """The use of the machine, among the inputs of one run: any number may build, or one measures.

    It is a POSIX record lock on a file: the kernel releases it when the process exits, and forked
    processes do not inherit it. A wait is one call into the kernel, which uses no processor while
    others measure. The run limits it: it kills an input that waits too long, on Ctrl-C, and its
    inputs die with it.
    """

    def __init__(
        self,
        path: str | None,
        on_wait: Callable[[], None] | None = None,
        on_taken: Callable[[], None] | None = None,
    ) -> None:
        """Without a path, nothing is locked. ``on_wait`` and ``on_taken`` are called around a
        wait for the shared turn."""
        self._path = path
        self._on_wait = on_wait
        self._on_taken = on_taken
        self._handle: int | None = None
        self._file: tuple[int, int] | None = None
        self._pid = 0
        self.is_alone = False
        """Whether no other input of the run builds or measures."""

    def share(self) -> None:
        """Wait until no other input measures, and keep others from measuring from then on."""
        if self._path is None or self.is_held:
            return
        _check_order(self._name)
        if not self._take(waits=False):
            if self._on_wait is not None:
                self._on_wait()
            self._take(waits=True)
            if self._on_taken is not None:
                self._on_taken()
        _process.turn = self

    @contextlib.contextmanager
    def exclusive(self, on_taken: Callable[[], None]) -> Iterator[None]:
        """Within the block no other input of the run builds or measures."""
        if self._path is None:
            on_taken()
            yield
            return
        self.leave()
        _check_order(self._name)
        self._take(waits=True, exclusively=True)
        self.is_alone = True
        _state.held.append(self._name)
        try:
            on_taken()
            yield
        finally:
            _state.held.remove(self._name)
            self.is_alone = False
            self.leave()
            if not _is_leaving():
                self.share()

    def leave(self) -> None:
        """Give the turn back."""
        if self.is_held:
            assert self._handle is not None
            with contextlib.suppress(OSError):  # the script closed it, which released it
                found = os.fstat(self._handle)
                if (found.st_dev, found.st_ino) == self._file:  # and not a file of the script
                    os.close(self._handle)
        self._handle = None

    @property
    def is_held(self) -> bool:
        """Whether this process, and not one that has forked it, has the turn."""
        return self._handle is not None and self._pid == os.getpid()

    @property
    def _name(self) -> _Held:
        return _Held(Rank.TURN, str(self._path))

    def _take(self, waits: bool, exclusively: bool = False) -> bool:
        import fcntl

        assert self._path is not None
        # Reopened each time, because a script may have closed all file descriptors.
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        kind = fcntl.LOCK_EX if exclusively else fcntl.LOCK_SH
        try:
            fcntl.lockf(handle, kind if waits else kind | fcntl.LOCK_NB)
        except BaseException as error:
            os.close(handle)
            if isinstance(error, (BlockingIOError, PermissionError)) and not waits:
                return False
            raise
        found = os.fstat(handle)
        self._handle, self._file, self._pid = handle, (found.st_dev, found.st_ino), os.getpid()
        return True


@contextlib.contextmanager
def _turn_given_up() -> Iterator[None]:
    """Within the block this process has no shared turn, so that others can measure.

    Otherwise the holder of the lock that we wait for might wait for us: it may need the turn of
    this run, or a lock whose holder needs it.
    """
    turn = _process.turn
    if turn is None or turn.is_alone or not turn.is_held:
        yield
        return
    turn.leave()
    try:
        yield
    finally:
        if not _is_leaving():
            turn.share()


def _is_leaving() -> bool:
    """Whether the process is about to end by Ctrl-C, so that it must not wait again."""
    return isinstance(sys.exc_info()[1], (KeyboardInterrupt, GeneratorExit))


def thread_lock(*, reentrant: bool = False) -> AbstractContextManager[Any]:
    """A lock between the threads of this process; its holder waits for nothing else.

    So no wait for it needs a limit.
    """
    lock = threading.RLock() if reentrant else threading.Lock()
    return _CheckedLock(lock) if environment.lock_log() else lock


class _CheckedLock:
    """A lock between threads that checks the order; the others cost nothing."""

    def __init__(self, lock: AbstractContextManager[Any]) -> None:
        self._lock = lock
        self._held = _Held(Rank.THREAD, f"thread lock {id(self)}")

    def __enter__(self) -> None:
        if self._held not in _state.held:
            _check_order(self._held)
        self._lock.__enter__()
        _state.held.append(self._held)

    def __exit__(self, *error: Any) -> None:
        _state.held.remove(self._held)
        self._lock.__exit__(*error)


def _check_order(wanted: _Held) -> None:
    """Raise an error if this thread may not wait for a lock, as it holds the same or a later one.

    A lock that it holds already would never be free. The others matter only in tests, which
    record them too, as an error may be caught on its way.
    """
    log = environment.lock_log()
    if wanted in _state.held or log:
        later = [held for held in _state.held if held.rank >= wanted.rank]
        if later:
            names = ", ".join(f"{held.rank.name} ({held.name})" for held in later)
            problem = f"{wanted.rank.name} ({wanted.name}) was taken while {names} was held"
            if log:
                with open(log, "a", encoding="utf-8") as file:
                    file.write(f"{os.getpid()}: {problem}\n")
            raise LockOrderError(problem)


def _forget_held() -> None:
    _state.held.clear()


os.register_at_fork(after_in_child=_forget_held)
