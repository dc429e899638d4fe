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
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from turnkeyml import interpreter
from turnkeyml.errors import TurnkeyError
from turnkeyml.system.process_tree import descendants

__all__ = ["Child", "Launcher", "kill_tree", "make_launcher"]


class Child(Protocol):
    """A process that runs one assignment."""

    pid: int

    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""


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


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


class FreshLauncher:
    """A new interpreter for each input."""

    def __init__(self) -> None:
        self._children: list[_FreshChild] = []

    def start(self, assignment: str) -> Child:
        command = interpreter.command("turnkeyml.evaluate.child", assignment)
        child = _FreshChild(subprocess.Popen(command))
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
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    def exit_code(self) -> int | None:
        return self._process.poll()


class ForkingLauncher:
    """Forks children from a zygote (see ``launch.local.zygote``), which starts importing at once.

    If the zygote is killed, its children count as killed and the next child gets a new zygote.
    """

    def __init__(self, modules: list[str], folder: Path, optional: list[str]) -> None:
        self._modules = ",".join(modules)
        self._optional = ",".join(optional)
        self._folder = str(folder)
        self._exits: dict[int, int] = {}
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
            self._zygote = subprocess.Popen(command, pass_fds=[theirs.fileno()])
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
                self._alive = False
                continue
            while self._alive:
                message = self._receive(None)
                if message is not None and "exit" not in message:
                    return _ForkedChild(self, message["pid"])
        raise TurnkeyError("The process that starts the inputs was killed twice; free some memory.")

    def wait(self, seconds: float) -> None:
        if self._alive:
            self._receive(seconds)

    def exit_code(self, pid: int) -> int | None:
        """The exit code of a child; None while it runs."""
        if pid not in self._exits and not self._alive:
            kill_tree(pid)
            return -signal.SIGKILL
        return self._exits.pop(pid, None)

    def close(self) -> None:
        self._channel.close()
        try:
            self._zygote.wait(5)
        except subprocess.TimeoutExpired:
            kill_tree(self._zygote.pid)
            self._zygote.wait()

    def _receive(self, seconds: float | None) -> dict[str, int] | None:
        """The next message, or None if none comes in time; stores the exit codes of children."""
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._channel], [], [], seconds)
            if not ready:
                return None
            data = self._read()
            if not data:
                self._zygote.wait()
                self._alive = False
                return None
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        message = json.loads(line)
        if "error" in message:
            raise TurnkeyError(f"turnkey cannot start: {message['error']}.")
        if "exit" in message:
            self._exits[message["pid"]] = message["exit"]
        return dict(message)

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
        return self._launcher.exit_code(self.pid)
