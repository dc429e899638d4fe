"""A Python process on another machine, reached with the system's ssh command.

This package is sent there as a zip file, unless it is there already.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
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
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.system.interpreters import OLDEST, Interpreter
from turnkeyml.system.remote_bootstrap import LAUNCHER, MARK, program

SECONDS = 90
"""How long a machine may take to answer, connecting included."""
NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit codes of a shell."""
SSH_FAILED = 255
"""The exit code of ssh itself, if it is not that of the command on the other machine."""
_SSH_OPTIONS = {
    "BatchMode": "yes",  # nothing may wait at a prompt
    "ConnectTimeout": "20",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "3",
    "LogLevel": "ERROR",
    "ClearAllForwardings": "yes",
    "RemoteCommand": "none",
}
_SSH_MEANINGS = (
    ("IDENTIFICATION HAS CHANGED", "has another host key than when you last connected; if that is "
     "expected, remove the old key with 'ssh-keygen -R' and connect once with 'ssh {host}'"),
    ("Host key verification failed", "has a host key that is not known here; connect once with "
     "'ssh {host}' and accept it"),
    ("host key is known for", "has a host key that is not known here; connect once with "
     "'ssh {host}' and accept it"),
    ("Permission denied", "refused to log us in: {words}; make 'ssh {host}' work without a "
     "password, for example with ssh-copy-id"),
    ("Too many authentication failures", "refused to log us in: {words}; name the right key in "
     "~/.ssh/config"),
    ("Could not resolve hostname", "is not known: {words}; check the name or ~/.ssh/config"),
    ("Connection refused", "cannot be reached: {words}; check that its SSH server runs"),
    ("timed out", "cannot be reached: {words}; check that it is switched on and in the network"),
    ("No route to host", "cannot be reached: {words}; check the network"),
    ("Network is unreachable", "cannot be reached: {words}; check the network"),
)  # fmt: skip
"""What ssh says, and the end of a sentence about the machine; the first that fits holds."""
_FOLDER = Path(__file__).resolve().parent.parent
_LEFT_OUT = "models"
"""Thousands of scripts, which no worker needs."""


def examine_on(host: str, python: str, modules: Iterable[str]) -> Interpreter:
    """What is known about an interpreter of another machine and some modules."""
    with tempfile.TemporaryDirectory(prefix="turnkey-") as folder:
        connection = Connection(host, python, Path(folder, "ssh.txt"), modules)
        connection.close()
        return connection.found


class Connection:
    """A process of ssh, and what it leads to. Close it, or keep its ``process``."""

    def __init__(self, host: str, python: str, log: Path, modules: Iterable[str] = ()) -> None:
        self.host, self.python = host, python or "python3"
        self._log = log
        self._heard_before = log.stat().st_size if log.exists() else 0
        words = f"exec {_quoted(self.python)} {LAUNCHER}"
        with log.open("ab") as errors:
            self.process = _start(_ssh_command(host, words), errors)
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
        self.say({"root": environment.remote_dir(), "package": package_digest()})
        if self.hear()["send"]:
            content = package_archive()
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
        if code == SSH_FAILED:
            return _explained_failure(self.host, said)
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


def _ssh_command(host: str, words: str) -> list[str]:
    """The command that runs ``words`` in the shell of another machine, without any prompt."""
    try:
        program = shlex.split(environment.ssh())
    except ValueError as error:
        raise UsageError(f"{environment.SSH} cannot be split into words: {error}.") from None
    options = [part for name, value in _SSH_OPTIONS.items() for part in ("-o", f"{name}={value}")]
    return [*program, "-T", *options, "--", host, words]


def _explained_failure(host: str, said: str) -> str:
    """One sentence about a connection that ssh could not make, or could not keep."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for sign, meaning in _SSH_MEANINGS:
        found = next((line for line in lines if sign in line), None)
        if found is not None:
            words = found.removeprefix("ssh: ").rstrip(".")
            return f"The host {host} {meaning.format(host=host, words=words)}."
    last = lines[-1].rstrip(".") if lines else "ssh says nothing about the reason"
    return f"The connection to the host {host} failed: {last[:300]}; try 'ssh {host}'."


@functools.cache
def package_digest() -> str:
    """A hash of the Python files."""
    found = hashlib.sha256()
    for name, content in _package_files():
        found.update(f"{name} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()


def package_archive() -> bytes:
    """The Python files, as a zip file."""
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in _package_files():
            made.writestr(name, content)
    return file.getvalue()


def _package_files() -> list[tuple[str, bytes]]:
    paths = sorted(_FOLDER.rglob("*.py"))
    names = [path.relative_to(_FOLDER) for path in paths]
    return [
        (f"turnkeyml/{name.as_posix()}", path.read_bytes())
        for name, path in zip(names, paths, strict=True)
        if name.parts[0] != _LEFT_OUT
    ]
