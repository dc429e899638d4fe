"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filelock import BaseFileLock

__all__ = [
    "TEMPORARY_PREFIX",
    "remove_leftovers",
    "lock",
    "read_yaml",
    "replacing",
    "to_yaml",
    "write_json",
    "write_yaml",
]

TEMPORARY_PREFIX = ".writing-"
LEFTOVER_SECONDS = 10.0
"""Nobody takes so long to write a small file; one that is older has been given up."""


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what a process that is no more left half written."""
    for leftover in folder.glob(f"{TEMPORARY_PREFIX}*"):
        age = time.time() - leftover.stat().st_mtime
        if age > LEFTOVER_SECONDS:
            leftover.unlink(missing_ok=True)


def write_json(path: Path, data: Any) -> None:
    """Replace a file by a JSON document."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(data), encoding="utf-8")


def to_yaml(data: Any) -> str:
    """Plain YAML without aliases or Python tags, in the order of the data."""
    import yaml

    class Plain(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    text = yaml.dump(data, Dumper=Plain, sort_keys=False, allow_unicode=True, width=100)
    return str(text)


def write_yaml(path: Path, data: Any) -> None:
    """Replace a file by a YAML document."""
    text = to_yaml(data)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_yaml(path: Path) -> Any:
    """The content of a YAML file, or None where there is no readable one."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (FileNotFoundError, UnicodeDecodeError, yaml.YAMLError):
        return None


def lock(path: Path, timeout: float = -1) -> BaseFileLock:
    """A lock between processes that the system gives back when its holder dies."""
    from filelock import FileLock

    path.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(path, timeout=timeout)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
