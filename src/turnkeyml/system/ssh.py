"""The system's ssh command, and what its failures mean."""

from __future__ import annotations

import shlex

from turnkeyml import environment
from turnkeyml.errors import UsageError

SSH_FAILED = 255
"""The exit code of ssh itself, if it is not that of the command on the other machine."""

_OPTIONS = {
    "BatchMode": "yes",  # nothing may wait at a prompt
    "ConnectTimeout": "20",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "3",
    "LogLevel": "ERROR",
    "ClearAllForwardings": "yes",
    "RemoteCommand": "none",
}

_MEANINGS = (
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


def command(host: str, words: str) -> list[str]:
    """The command that runs ``words`` in the shell of another machine, without any prompt."""
    try:
        program = shlex.split(environment.ssh())
    except ValueError as error:
        raise UsageError(f"{environment.SSH} cannot be split into words: {error}.") from None
    options = [part for name, value in _OPTIONS.items() for part in ("-o", f"{name}={value}")]
    return [*program, "-T", *options, "--", host, words]


def explain(host: str, said: str) -> str:
    """One sentence about a connection that ssh could not make, or could not keep."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for sign, meaning in _MEANINGS:
        found = next((line for line in lines if sign in line), None)
        if found is not None:
            words = found.removeprefix("ssh: ").rstrip(".")
            return f"The host {host} {meaning.format(host=host, words=words)}."
    last = lines[-1].rstrip(".") if lines else "ssh says nothing about the reason"
    return f"The connection to the host {host} failed: {last[:300]}; try 'ssh {host}'."
