"""The TURNKEY_* environment variables, read in one place."""

from __future__ import annotations

import os

from turnkeyml.errors import UsageError

__all__ = [
    "build_monitor",
    "cache_dir",
    "debug",
    "lock_log",
    "onnx_opset",
    "remote_dir",
    "ssh",
    "timeout_seconds",
    "traceback",
]

CACHE_DIR = "TURNKEY_CACHE_DIR"
DEFAULT_CACHE_DIR = "~/.cache/turnkey"
ONNX_OPSET = "TURNKEY_ONNX_OPSET"
TIMEOUT_SECONDS = "TURNKEY_TIMEOUT_SECONDS"
DEFAULT_TIMEOUT_SECONDS = 3600
SSH = "TURNKEY_SSH"
REMOTE_DIR = "TURNKEY_REMOTE_DIR"
LOCK_LOG = "TURNKEY_LOCK_LOG"
DEFAULT_REMOTE_DIR = "~/.cache/turnkey-remote"

_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off", ""}


def cache_dir() -> str:
    """The default cache directory."""
    return os.path.expanduser(os.environ.get(CACHE_DIR) or DEFAULT_CACHE_DIR)


def ssh() -> str:
    """The command that connects to other machines, with its own options."""
    return os.environ.get(SSH) or "ssh"


def remote_dir() -> str:
    """The folder on other machines for what is sent there; ~ is that of the user there."""
    return os.environ.get(REMOTE_DIR) or DEFAULT_REMOTE_DIR


def debug() -> bool:
    """Whether to print plain lines instead of a redrawn status view."""
    return _flag("TURNKEY_DEBUG", default=False)


def traceback() -> bool:
    """Whether to show the traceback of a failed build."""
    return _flag("TURNKEY_TRACEBACK", default=True)


def build_monitor() -> bool:
    """Whether to show the progress of a build."""
    return _flag("TURNKEY_BUILD_MONITOR", default=True)


def lock_log() -> str:
    """The file in which tests note locks that are taken out of order; empty for no checks."""
    return os.environ.get(LOCK_LOG, "")


def onnx_opset() -> int | None:
    """The requested ONNX opset, or None."""
    return _positive_integer(ONNX_OPSET)


def timeout_seconds() -> int | None:
    """The timeout per input in seconds, or None."""
    return _positive_integer(TIMEOUT_SECONDS)


def _flag(name: str, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in _TRUE:
        return True
    if value.strip().lower() in _FALSE:
        return False
    raise UsageError(f"{name} must be True or False, not {value!r}.")


def _positive_integer(name: str) -> int | None:
    value = os.environ.get(name)
    if value is None or not value.strip():
        return None
    if not value.strip().isdecimal() or int(value) < 1:
        raise UsageError(f"{name} must be a positive integer, not {value!r}.")
    return int(value)
