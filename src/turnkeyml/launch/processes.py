"""Starting input children and ending them: forked from a warm process, or each one fresh."""

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
from collections.abc import Iterator
from typing import Protocol

from turnkeyml import interpreter
from turnkeyml.errors import TurnkeyError

__all__ = ["Child", "Launcher", "kill_tree", "make_launcher"]


class Child(Protocol):
    """A process that evaluates one input."""

    pid: int

    def wait(self, seconds: float) -> int | None:
        """Its exit code, or None if it still runs after that time."""


class Launcher(Protocol):
    """A way to start children."""

    def start(self, job: str) -> Child:
        """Start the job in a file."""

    def close(self) -> None:
        """End what was started."""


def make_launcher(modules: list[str]) -> Launcher:
    """Fork from a process that has imported ``modules``, where that is safe."""
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        return ForkingLauncher(modules)
    return FreshLauncher()


def kill_tree(pid: int) -> None:
    """End a process and everything that it started, at once."""
    import psutil

    try:
        root = psutil.Process(pid)
        family = [*root.children(recursive=True), root]
    except psutil.NoSuchProcess:
        return
    for process in family:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(family, timeout=3)


class FreshLauncher:
    """A new interpreter for each input."""

    def __init__(self) -> None:
        self._children: list[_FreshChild] = []

    def start(self, job: str) -> Child:
        child = _FreshChild(subprocess.Popen(interpreter.command("turnkeyml.launch.child", job)))
        self._children.append(child)
        return child

    def close(self) -> None:
        for child in self._children:
            if child.wait(0) is None:
                kill_tree(child.pid)


class _FreshChild:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    def wait(self, seconds: float) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


class ForkingLauncher:
    """Forks from a zygote (see ``launch.zygote``), which starts importing right away.

    Should something kill the zygote, its children count as killed and the next one gets a new
    zygote.
    """

    def __init__(self, modules: list[str]) -> None:
        self._modules = ",".join(modules)
        self._exits: dict[int, int] = {}
        self._start_zygote()

    def _start_zygote(self) -> None:
        self._channel, theirs = socket.socketpair()
        command = interpreter.command(
            "turnkeyml.launch.zygote", str(theirs.fileno()), self._modules
        )
        with _interrupts_ignored():
            self._zygote = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        theirs.close()
        self._rest = b""
        self._alive = True

    def start(self, job: str) -> Child:
        for _ in range(2):
            if not self._alive:
                self._start_zygote()
            try:
                self._channel.sendall(json.dumps({"job": job}).encode() + b"\n")
            except ConnectionError:
                self._alive = False
                continue
            while self._alive:
                message = self._receive(None)
                if message is not None and "exit" not in message:
                    return _ForkedChild(self, message["pid"])
        raise TurnkeyError(
            "The process that starts the inputs was killed twice; is there enough memory?"
        )

    def wait(self, pid: int, seconds: float) -> int | None:
        """The exit code of a child, or None if it still runs after that time."""
        if pid not in self._exits and self._alive:
            self._receive(seconds)
        if pid not in self._exits and not self._alive:
            kill_tree(pid)
            self._exits[pid] = -signal.SIGKILL
        return self._exits.get(pid)

    def close(self) -> None:
        self._channel.close()
        try:
            self._zygote.wait(5)
        except subprocess.TimeoutExpired:
            kill_tree(self._zygote.pid)
            self._zygote.wait()

    def _receive(self, seconds: float | None) -> dict[str, int] | None:
        """The next message, if one comes within the time; exits are noted on the way."""
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
    """A process that is started within the block does not feel Ctrl-C; we end it ourselves."""
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

    def wait(self, seconds: float) -> int | None:
        return self._launcher.wait(self.pid, seconds)
