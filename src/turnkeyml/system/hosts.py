"""A Python process on another machine, reached with ssh."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from turnkeyml import environment
from turnkeyml.errors import TurnkeyError
from turnkeyml.system import package, ssh
from turnkeyml.system.greeting import LAUNCHER, MARK, program
from turnkeyml.system.interpreters import OLDEST, Interpreter

SECONDS = 90
"""How long a machine may take to answer, connecting included."""
NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit codes of a shell."""


class Connection:
    """A process of ssh, and what it leads to. Close it, or keep its ``process``."""

    def __init__(self, host: str, python: str, log: Path, modules: Iterable[str] = ()) -> None:
        self.host, self.python = host, python or "python3"
        self._log = log
        self._heard_before = log.stat().st_size if log.exists() else 0
        words = f"exec {_quoted(self.python)} {LAUNCHER}"
        with log.open("ab") as errors:
            self.process = _start(ssh.command(host, words), errors)
        with self.closed_on_error():
            self.send((program(list(modules)) + "\n").encode())
            self.found = self._introduction()

    @contextlib.contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Leave no process behind if what is done with it goes wrong."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _introduction(self) -> Interpreter:
        told = self.hear()
        version, modules = tuple(told["python"]), frozenset(told["modules"])
        if version < OLDEST:
            has, needs = (".".join(map(str, one)) for one in (version, OLDEST))
            raise TurnkeyError(
                f"{self.python} on the host {self.host} is Python {has}; to measure with it, it "
                f"must be {needs} or newer: give the path of another one with --python."
            )
        return Interpreter(self.python, version, modules)

    def install(self) -> None:
        """Let the machine have this package, which is sent unless it is there already."""
        self.say({"root": environment.remote_dir(), "package": package.digest()})
        if self.hear()["send"]:
            content = package.archive()
            self.say(len(content))
            self.send(content)
        self.hear()

    def say(self, words: Any) -> None:
        """Send a line of JSON."""
        self.send(json.dumps(words).encode() + b"\n")

    def send(self, content: bytes) -> None:
        """Send bytes; whoever cannot take them has said why, which ``hear`` finds."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(content)
            self.process.stdin.flush()

    def hear(self) -> Any:
        """The next thing that the machine says; an error in one sentence if it says nothing."""
        assert self.process.stdout is not None
        late = threading.Timer(SECONDS, self.process.kill)
        late.start()
        try:
            for line in self.process.stdout:
                if line.startswith(MARK.encode()):
                    told = json.loads(line[len(MARK) :])
                    if "error" in told:
                        raise TurnkeyError(self._cannot_keep(told))
                    return told
        finally:
            late.cancel()
        raise TurnkeyError(self._why_ended())

    def _cannot_keep(self, told: dict[str, str]) -> str:
        return (
            f"The host {self.host} cannot keep what is measured in {told['folder']}: "
            f"{told['error']}; make room, or choose another folder with {environment.REMOTE_DIR}."
        )

    def _why_ended(self) -> str:
        code = self.process.wait()
        said = self._log.read_bytes()[self._heard_before :].decode("utf-8", "replace")
        if code == ssh.SSH_FAILED:
            return ssh.explain(self.host, said)
        if code < 0:
            return f"The host {self.host} did not answer within {SECONDS} s; try 'ssh {self.host}'."
        if code in (NOT_FOUND, NOT_EXECUTABLE):
            return (
                f"The host {self.host} has no Python interpreter {self.python} that can be run; "
                "install Python there, or give the path of one with --python."
            )
        last = next((line for line in reversed(said.splitlines()) if line.strip()), "no message")
        return (
            f"{self.python} on the host {self.host} is not a Python interpreter that works "
            f"(exit code {code}: {last.strip()[:200]}); give the path of one with --python."
        )

    def close(self) -> None:
        """End the process, and with it what runs on the other machine."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def examine_on(host: str, python: str, modules: Iterable[str]) -> Interpreter:
    """What is known about an interpreter of another machine and some modules."""
    with tempfile.TemporaryDirectory(prefix="turnkey-") as folder:
        connection = Connection(host, python, Path(folder, "ssh.txt"), modules)
        connection.close()
        return connection.found


def _start(words: list[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    except FileNotFoundError:
        raise TurnkeyError(
            f"--host needs the command {words[0]}, which is not installed; install the SSH client "
            "(apt-get install openssh-client)."
        ) from None
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise TurnkeyError(f"{words[0]} cannot be run: {why}.") from None


def _quoted(path: str) -> str:
    """A path as a word of the shell there, which knows where ~ is."""
    if path.startswith("~/"):
        return "~/" + shlex.quote(path[2:])
    return shlex.quote(path)
