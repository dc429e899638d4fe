"""Starting a worker on another machine, from here."""

from __future__ import annotations

import functools
import hashlib
import io
import subprocess
import threading
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

from turnkeyml.cache import BuildFolder
from turnkeyml.errors import MeasureError, TurnkeyError
from turnkeyml.measure.worker import WorkerRequest
from turnkeyml.nouns import Place, to_dict
from turnkeyml.system import Connection

BEAT_SECONDS = 10.0
SILENCE_SECONDS = 60.0
"""A worker that hears nothing for so long ends: the connection is lost."""
CHUNK = 1 << 20


def start_on_host(place: Place, request: WorkerRequest, log: Path) -> subprocess.Popen[str]:
    """The process of ssh whose other end is a worker that opens the model of a request."""
    try:
        connection = Connection(place.host, place.python, log)
        with connection.closed_on_error():
            connection.install()
            _send_build(connection, request)
    except TurnkeyError as error:
        raise MeasureError(str(error)) from None
    return _as_text(connection.process)


def _send_build(connection: Connection, request: WorkerRequest) -> None:
    folder = BuildFolder(Path(request.cache_dir), request.build_name)
    paths = [*(folder.path / name for name in request.files), *folder.recorded()]
    by_digest = {}
    files = []
    for path in sorted(set(paths)):
        digest, size = _digest_of(path)
        by_digest[digest] = path
        files.append([path.relative_to(folder.path).as_posix(), digest, size])
    words = to_dict(request)
    words["request"]["model"] = Path(request.request.model).relative_to(folder.path).as_posix()
    connection.say({"files": files, "request": words, "silence_seconds": SILENCE_SECONDS})
    for digest in connection.hear()["missing"]:
        with by_digest[digest].open("rb") as file:
            while part := file.read(CHUNK):
                connection.send(part)
    connection.hear()


def _digest_of(path: Path) -> tuple[str, int]:
    """The SHA-256 of a file and its size; read once as long as it stays the same."""
    facts = path.stat()
    return _read_digest(path, facts.st_size, facts.st_mtime_ns), facts.st_size


@functools.lru_cache(maxsize=256)
def _read_digest(path: Path, size: int, changed_at: int) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            found.update(part)
    return found.hexdigest()


def _as_text(process: subprocess.Popen[bytes]) -> subprocess.Popen[str]:
    """The same process, whose pipes are of text from now on."""
    assert process.stdin is not None
    assert process.stdout is not None
    text: subprocess.Popen[str] = process  # type: ignore[assignment]
    text.stdin = io.TextIOWrapper(process.stdin, encoding="utf-8", write_through=True)  # type: ignore[arg-type]
    text.stdout = io.TextIOWrapper(process.stdout, encoding="utf-8")  # type: ignore[arg-type]
    return text


class SignsOfLife:
    """An empty line now and then, by which the other machine knows that we are here."""

    def __init__(self, commands: IO[str], lock: AbstractContextManager[Any]) -> None:
        self._commands, self._lock = commands, lock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS):
            try:
                with self._lock:
                    self._commands.write("\n")
                    self._commands.flush()
            except (OSError, ValueError):  # it has ended; whoever asks it next will notice
                return

    def end(self) -> None:
        """Send no more."""
        self._over.set()
