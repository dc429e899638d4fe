"""Atomic writes, and bounded reads of files that anyone may have changed or damaged."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from turnkeyml.errors import TurnkeyError, named
from turnkeyml.escaping import one_line
from turnkeyml.nouns import DamagedRecord, check_plain

TEMPORARY_PREFIX = ".writing-"
LEFTOVER_SECONDS = 10.0
"""Nobody takes so long to write a small file; one that is older has been given up."""
MOST_BYTES = 64_000_000
"""Of a record; those of models with very many inputs have a few hundred thousand."""


def checksum(paths: Iterable[Path]) -> str:
    """The SHA-256 of the concatenated content of some files."""
    sha256 = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                sha256.update(block)
    return sha256.hexdigest()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place when the block ends well.

    An ``OSError`` without a file name gets that of ``path``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}{path.suffix}"
    # The system applies the umask, which a process can only learn by changing it for everyone.
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _lock_at_once(handle)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:  # a disk that is full does not say of which file
        if error.filename in (str(temporary), temporary):
            error.filename = str(path)
        named(error, path)
        raise
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


def _lock_at_once(handle: int) -> bool:
    """Lock an open file as long as it is open; False if another process has locked it."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # a file system without locks
        return True
    return True


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name, which takes no space; a copy where that cannot be done."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)


def remove_leftovers(folder: Path) -> None:
    """Remove what a process that is no more left half written."""
    for leftover in folder.glob(f"{TEMPORARY_PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):  # its process may just have finished it
            age = time.time() - leftover.lstat().st_mtime
            if age > LEFTOVER_SECONDS and is_regular(leftover) and not _is_written(leftover):
                leftover.unlink()


def _is_written(temporary: Path) -> bool:
    """Whether the process that writes a file is alive: it may be stopped, and clocks may jump."""
    handle = os.open(temporary, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        return not _lock_at_once(handle)
    finally:
        os.close(handle)


def set_aside(path: Path) -> Path:
    """Give a file or folder that stands in the way another name beside it, and return that."""
    number = 1
    aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    while aside.exists() or aside.is_symlink():
        number += 1
        aside = path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")
    path.rename(aside)
    return aside


def make_way(path: Path) -> None:
    """Set aside a folder or a link that stands where a file of ours is to be."""
    if (path.exists() or path.is_symlink()) and not is_regular(path):
        set_aside(path)


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

    settings: dict[str, Any] = {
        "Dumper": Plain,
        "sort_keys": False,
        "allow_unicode": True,
        "width": 100,
    }
    try:
        return str(yaml.dump(data, **settings))
    except UnicodeEncodeError:  # such as the name of a file that is no UTF-8
        return str(yaml.dump(_encodable(data), **settings))


def _encodable(data: Any) -> Any:
    """The same with what no file can hold spelled out."""
    if isinstance(data, dict):
        return {_encodable(key): _encodable(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_encodable(value) for value in data]
    return data.encode("utf-8", "backslashreplace").decode() if isinstance(data, str) else data


def write_yaml(path: Path, data: Any) -> None:
    """Replace a file by a YAML document."""
    text = to_yaml(data)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_yaml(path: Path) -> Any:
    """The content of a YAML file, or None where there is no readable one."""
    with contextlib.suppress(FileNotFoundError, DamagedFile):
        return load_yaml(path)
    return None


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None where there is no readable one."""
    with contextlib.suppress(FileNotFoundError, DamagedFile):
        return load_json(path)
    return None


def load_yaml(path: Path) -> Any:
    """The plain data in a YAML file; a ``DamagedFile`` where it holds anything else."""
    import yaml

    from turnkeyml.cache.plain_yaml import parse

    text = _text(path)
    try:
        return parse(text)
    except yaml.MarkedYAMLError as error:
        where = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise DamagedFile(path, f"{error.problem or 'it is not YAML'}{where}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise DamagedFile(path, _first_line(error)) from None


def load_json(path: Path) -> Any:
    """The plain data in a JSON file; a ``DamagedFile`` where it holds anything else."""
    text = _text(path)
    try:
        data = json.loads(text)
        check_plain(data)
    except RecursionError:
        raise DamagedFile(path, "it is nested too deeply") from None
    except ValueError as error:
        raise DamagedFile(path, _first_line(error)) from None
    return data


def _text(path: Path) -> str:
    """The text of a file of bounded size."""
    handle = open_regular(path)
    try:
        with os.fdopen(handle, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise DamagedFile(path, f"it has more than {MOST_BYTES // 10**6} MB")
        if not data.strip():
            raise DamagedFile(path, "it is empty")
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise DamagedFile(path, "it is not UTF-8 text") from None
    except OSError as error:
        raise DamagedFile(path, error.strerror or str(error), error) from None


def open_regular(path: Path) -> int:
    """A descriptor to read a regular file. A folder, a pipe or a device is a ``DamagedFile``."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise DamagedFile(path, why, error) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise DamagedFile(path, "it is not a regular file")
    return handle


def is_regular(path: Path) -> bool:
    """Whether there is a file, and not a link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _first_line(error: Exception) -> str:
    if isinstance(error, (DamagedRecord, json.JSONDecodeError)):
        return str(error)
    return next(iter(str(error).splitlines()), type(error).__name__)


LONGEST_REASON = 160
"""Characters. Some parsers quote what they could not read."""


_OF_CONTENT = (errno.ELOOP, errno.EISDIR, errno.ENOTDIR, errno.ENXIO, errno.ENAMETOOLONG)
"""Errors of the system that tell that something else lies where the file should be."""


class DamagedFile(TurnkeyError):
    """A file that cannot be read as what it should be."""

    def __init__(self, path: Path, why: str, error: Exception | None = None) -> None:
        self.path = path
        self.may_be_whole = isinstance(error, OSError) and error.errno not in _OF_CONTENT
        """Whether only reading it failed, because of the disk or the process: it must be kept."""
        self.why = printable(why)
        super().__init__(f"{path} cannot be read: {self.why}.")


def printable(why: str) -> str:
    """A reason on one line of a bearable length, without what a terminal would act upon."""
    text = " ".join(why.split()).rstrip(".")
    return one_line(text, LONGEST_REASON)
