"""A real SSH server on this machine, for the tests: its own keys, port and, if we may, user."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy

USER = f"turnkey-test-{os.getpid()}"
ALIAS = "far"
"""The name of the machine in the configuration of ssh."""


def missing() -> str:
    """Why there can be no server; empty if there can."""
    if os.name != "posix":
        return "the server is that of POSIX systems"
    for program in ("ssh", "ssh-keygen"):
        if shutil.which(program) is None:
            return f"{program} is not installed (apt-get install openssh-client)"
    return "" if server() else "sshd is not installed (apt-get install openssh-server)"


def server() -> str | None:
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


@dataclass
class Sshd:
    """A running server and the ways to reach it."""

    folder: Path
    user: str
    home: Path
    port: int
    process: subprocess.Popen[bytes]
    python: str
    """An interpreter that the user can run."""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def is_another_user(self) -> bool:
        return self.user != getpass.getuser()

    @property
    def remote(self) -> Path:
        """Where the user keeps what is sent; our own home stays as it is."""
        if self.is_another_user:
            return self.home / ".cache" / "turnkey-remote"
        return self.folder / "remote"

    def configure(self, name: str, *lines: str) -> dict[str, str]:
        """The environment for another configuration of ssh."""
        ssh = {"TURNKEY_SSH": f"ssh -F {write_configuration(self, name, *lines)}"}
        return ssh if self.is_another_user else {**ssh, "TURNKEY_REMOTE_DIR": str(self.remote)}

    def processes(self, word: str) -> list[int]:
        """The processes of the user whose command has a word, except for servers."""
        owner = self.home.stat().st_uid
        return [pid for pid in _pids() if _is_of(pid, owner, word)]


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _is_of(pid: int, owner: int, word: str) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        return os.stat(f"/proc/{pid}").st_uid == owner and word in command
    except OSError:
        return False


@contextlib.contextmanager
def running() -> Iterator[Sshd]:
    """A server that ends with the context, and the user with it."""
    folder = Path(tempfile.mkdtemp(prefix="turnkey-sshd-"))
    folder.chmod(0o755)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        user, python = stack.enter_context(_user())
        for key in ("host", "other-host", "client", "stranger"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
            subprocess.run(words, check=True)
        port = _free_port()
        process = _start(folder, port)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        home = Path(os.path.expanduser(f"~{user}"))
        made = Sshd(folder, user, home, port, process, python)
        made.environment = made.configure("usual")
        yield made


@contextlib.contextmanager
def _user() -> Iterator[tuple[str, str]]:
    """Another user where we are root and it can use our libraries, else this one; its Python."""
    if os.geteuid() != 0:
        yield getpass.getuser(), sys.executable
        return
    words = ["useradd", "--create-home", "--shell", "/bin/bash", "--password", "*", USER]
    subprocess.run(words, check=True, capture_output=True)
    try:
        python = _interpreter()
        yield (USER, python) if python else (getpass.getuser(), sys.executable)
    finally:
        for _ in range(50):  # until the last process has ended
            done = subprocess.run(["userdel", "--remove", USER], capture_output=True)
            if done.returncode != 8:
                break
            time.sleep(0.1)


def _start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    shutil.copy(folder / "client.pub", folder / "authorized_keys")
    (folder / "authorized_keys").chmod(0o644)
    configuration = folder / "sshd_config"
    configuration.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 100\n"
    )
    with (folder / "sshd.log").open("wb") as log:
        process = subprocess.Popen([str(server()), "-D", "-e", "-f", configuration], stderr=log)
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return process
        time.sleep(0.05)
    raise RuntimeError((folder / "sshd.log").read_text())


def write_configuration(sshd: Sshd, name: str, *lines: str) -> Path:
    """A configuration of ssh; in one of several lines for the same thing, the first counts."""
    known = sshd.folder / f"{name}.known"
    if not known.exists():
        key = (sshd.folder / "host.pub").read_text()
        known.write_text(f"[127.0.0.1]:{sshd.port} {key}")
    usual = [
        "HostName 127.0.0.1",
        f"Port {sshd.port}",
        f"User {sshd.user}",
        f"IdentityFile {sshd.folder}/client",
        "IdentitiesOnly yes",
        "IdentityAgent none",
        f"UserKnownHostsFile {known}",
        "GlobalKnownHostsFile none",
        "StrictHostKeyChecking yes",
    ]
    if any(line.startswith("IdentityFile") for line in lines):  # otherwise all are tried
        usual = [line for line in usual if not line.startswith("IdentityFile")]
    path = sshd.folder / f"{name}.config"
    body = "".join(f"    {line}\n" for line in (*lines, *usual))
    path.write_text(f"Host {ALIAS} near\n{body}")
    return path


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _interpreter() -> str:
    """An interpreter of our version that the other user can run, as ours may be in the home of
    root; empty if there is none, or if it cannot read our libraries."""
    version = f"python3.{sys.version_info.minor}"
    question = f"import os, sys, venv; sys.exit(not os.access({numpy.__file__!r}, os.R_OK))"
    for path in (os.path.realpath(sys.executable), f"/usr/bin/{version}"):
        words = ["runuser", "-u", USER, "--", path, "-c", question]
        if subprocess.run(words, capture_output=True, cwd="/").returncode == 0:
            return path
    return ""
