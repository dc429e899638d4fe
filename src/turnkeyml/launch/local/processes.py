"""Start and kill input children: forked from a zygote, or each in a new interpreter."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from turnkeyml import interpreter
from turnkeyml.errors import TurnkeyError
from turnkeyml.system import children, descendants, is_running, is_stopped, processes_with_variable

MARK = "TURNKEY_RUN"
"""The environment variable by which the processes of a run are found whose parents were killed."""
CONTINUE_SECONDS = 0.5
INTERRUPT_SECONDS = 1.0
"""The time that scripts have to clean up after a Ctrl-C."""


class Child(Protocol):
    """A process that runs one assignment."""

    pid: int
    """Of the process at the top of its tree, which may be one above the script's."""

    @property
    def stopped(self) -> int:
        """The signal that has stopped it; 0 if none has."""

    @property
    def orphaned(self) -> int:
        """The signal that killed a process above it, and so the child; 0 if none did."""

    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""

    def interrupt(self) -> None:
        """Pass on a Ctrl-C, which its session does not get from the terminal."""


class Launcher(Protocol):
    """A way to start children."""

    def start(self, assignment: str) -> Child:
        """Start a child that runs the assignment in a file."""

    def wait(self, seconds: float) -> None:
        """Return when a child has ended, or after that time."""

    def close(self) -> None:
        """Kill everything that was started."""


def make_launcher(modules: list[str], folder: Path, optional: list[str]) -> Launcher:
    """A launcher that forks from a process with ``modules`` imported, where that is safe.

    ``optional`` modules are imported too if that has no side effects. ``folder`` is removed even
    if this process is killed.
    """
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        return ForkingLauncher(modules, folder, optional)
    return FreshLauncher()


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants at once.

    Each is stopped first, so that it cannot start another one meanwhile.
    """
    family: list[int] = []
    new = [pid]
    while new:
        for member in new:
            _signal(member, signal.SIGSTOP)
        family += new
        new = [member for member in descendants(pid) if member not in family]
    for member in family:
        _signal(member, signal.SIGKILL)


def interrupt(children: Iterable[Child]) -> None:
    """Pass on a Ctrl-C, and give the children a moment to end by themselves."""
    left = [child for child in children if is_running(child.pid)]
    for child in left:
        child.interrupt()
    deadline = time.monotonic() + INTERRUPT_SECONDS
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = [child for child in left if is_running(child.pid)]


@contextlib.contextmanager
def pausing(children: Callable[[], Iterable[Child]]) -> Iterator[None]:
    """Within the block a Ctrl-Z stops the children as well, and ``fg`` continues them.

    They have sessions of their own, which the terminal does not stop.
    """
    signals = getattr(signal, "SIGTSTP", None), getattr(signal, "SIGCONT", None)
    main = threading.current_thread() is threading.main_thread()
    if None in signals or not main or signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield
        return

    def pause(number: int, frame: object) -> None:
        trees = [pid for child in children() for pid in (child.pid, *descendants(child.pid))]
        paused = [pid for pid in trees if not is_stopped(pid)]
        for pid in paused:
            _signal(pid, signal.SIGSTOP)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # stops us here, until the shell continues us
        signal.signal(signal.SIGTSTP, pause)
        for pid in paused:
            _signal(pid, signal.SIGCONT)

    signal.signal(signal.SIGTSTP, pause)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)


def _interrupt_group(pid: int) -> None:
    """Send SIGINT to the process group that a process leads, or to it alone if it leads none."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGINT)
        else:
            os.kill(pid, signal.SIGINT)


def _kill_marked(mark: str) -> None:
    """Kill the processes of a run whose parents were killed."""
    for _ in range(5):  # what is starting just now is there the next time
        found = processes_with_variable(MARK, mark)
        for pid in found:
            kill_tree(pid)
        if not found:
            break


def _signal(pid: int, number: int) -> None:
    """Send a signal to a process, if it is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


class FreshLauncher:
    """A new interpreter for each input."""

    def __init__(self) -> None:
        self._children: list[_FreshChild] = []

    def start(self, assignment: str) -> Child:
        command = interpreter.command("turnkeyml.evaluate.child", assignment)
        child = _FreshChild(subprocess.Popen(command, start_new_session=True))
        self._children.append(child)
        return child

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while all(c.exit_code() is None for c in self._children) and time.monotonic() < deadline:
            time.sleep(min(0.02, seconds))
        self._children = [c for c in self._children if c.exit_code() is None]

    def close(self) -> None:
        for child in self._children:
            if child.exit_code() is None:
                kill_tree(child.pid)


class _FreshChild:
    stopped = 0  # which only Linux tells
    orphaned = 0

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    def exit_code(self) -> int | None:
        return self._process.poll()

    def interrupt(self) -> None:
        if self.exit_code() is None:
            _interrupt_group(self.pid)


class ForkingLauncher:
    """Forks children from a zygote (see ``launch.local.zygote``), which starts importing at once.

    If the zygote is killed, its children are killed with it and the next child gets a new zygote.
    One that is stopped, as by a script that means its parent, is continued.
    """

    def __init__(self, modules: list[str], folder: Path, optional: list[str]) -> None:
        self._modules = ",".join(modules)
        self._optional = ",".join(optional)
        self._folder = str(folder)
        self._exits: dict[int, int] = {}
        self._running: set[int] = set()
        self._stops: dict[int, int] = {}
        self._orphans: dict[int, int] = {}
        """Children whose parent was killed, and the signal that did it."""
        self._start_zygote()

    def _start_zygote(self) -> None:
        self._channel, theirs = socket.socketpair()
        command = interpreter.command(
            "turnkeyml.launch.local.zygote",
            str(theirs.fileno()),
            self._modules,
            self._folder,
            self._optional,
        )
        with _interrupts_ignored():
            self._zygote = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                env={**os.environ, MARK: self._folder},
            )
        theirs.close()
        self._rest = b""
        self._alive = True

    def start(self, assignment: str) -> Child:
        request = json.dumps({"assignment": assignment}).encode() + b"\n"
        for _ in range(2):
            if not self._alive:
                self._start_zygote()
            try:
                self._channel.sendall(request)
            except ConnectionError:
                self._lose_zygote()
                continue
            while self._alive:
                message = self._receive(None)
                if message is not None and message.keys() == {"pid"}:
                    self._running.add(message["pid"])
                    return _ForkedChild(self, message["pid"])
        raise TurnkeyError("The process that starts the inputs was killed twice; free some memory.")

    def wait(self, seconds: float) -> None:
        if self._alive:
            self._receive(seconds)

    def exit_code(self, pid: int) -> int | None:
        """The exit code of a child; None while it runs."""
        return self._exits.pop(pid, None)

    def stopped(self, pid: int) -> int:
        """The signal that has stopped a child; 0 if none has."""
        return self._stops.get(pid, 0)

    def orphaned(self, pid: int) -> int:
        """The signal that killed a child's parent; 0 if none did."""
        return self._orphans.get(pid, 0)

    def close(self) -> None:
        self._channel.close()
        try:
            self._zygote.wait(5)
        except subprocess.TimeoutExpired:
            kill_tree(self._zygote.pid)
            self._zygote.wait()

    def _receive(self, seconds: float | None) -> dict[str, int] | None:
        """The next message, or None if none comes in time; stores the exit codes of children."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = CONTINUE_SECONDS if deadline is None else deadline - time.monotonic()
            pause = max(0.0, min(left, CONTINUE_SECONDS))
            ready, _, _ = select.select([self._channel], [], [], pause)
            if not ready:
                if is_stopped(self._zygote.pid):
                    _signal(self._zygote.pid, signal.SIGCONT)
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                continue
            data = self._read()
            if not data:
                self._lose_zygote()
                return None
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        message = json.loads(line)
        if "error" in message:
            raise TurnkeyError(f"turnkey cannot start: {message['error']}.")
        if "stopped" in message:
            self._stops[message["pid"]] = message["stopped"]
        if "exit" in message:
            self._end(message["pid"], message["exit"], message.get("keeper", 0))
        return dict(message)

    def _end(self, pid: int, code: int, parent_code: int) -> None:
        """Note how a child ended, and its parent if that ended first."""
        self._running.discard(pid)
        self._exits[pid] = code
        self._orphans[pid] = max(0, -parent_code)

    def _lose_zygote(self) -> None:
        """The zygote has ended without being told to: so have its children, by the kernel."""
        code = self._zygote.wait()
        self._alive = False
        _kill_marked(self._folder)
        for pid in tuple(self._running):
            self._end(pid, -signal.SIGKILL, code if code < 0 else -signal.SIGKILL)

    def _read(self) -> bytes:
        try:
            return self._channel.recv(65536)
        except ConnectionError:
            return b""


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let processes that are started within the block ignore Ctrl-C; we kill them ourselves."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _ForkedChild:
    def __init__(self, launcher: ForkingLauncher, pid: int) -> None:
        self._launcher = launcher
        self.pid = pid

    def exit_code(self) -> int | None:
        if is_stopped(self.pid):  # the keeper, which only a script would stop
            _signal(self.pid, signal.SIGCONT)
        return self._launcher.exit_code(self.pid)

    @property
    def stopped(self) -> int:
        return self._launcher.stopped(self.pid)

    @property
    def orphaned(self) -> int:
        return self._launcher.orphaned(self.pid)

    def interrupt(self) -> None:
        for child in children(self.pid):
            _interrupt_group(child)
