"""Look after a worker on another machine; this runs there, under the worker's interpreter.

It keeps the files of the build, by their hashes, so that they are sent once. It starts the worker,
passes on what it is told, and ends it when its input ends or when it has received nothing for a
while. The worker answers by itself. This process sleeps unless there is something to pass on, and
has imported neither numpy nor the runtime.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

from turnkeyml import interpreter
from turnkeyml.system import MARK

CHUNK = 1 << 20
GRACE_SECONDS = 2.0
"""That a worker gets to end by itself when its input has ended."""
KEPT_SECONDS = 30 * 24 * 3600
"""How long files stay that nobody uses."""
SIGNALLED = 128
"""Exit codes above it stand for signals, as ssh cannot pass these on."""


def serve(root: str) -> NoReturn:
    """Receive what is to be measured, and look after its worker."""
    asked = json.loads(sys.stdin.buffer.readline())
    store = Store(Path(root))
    try:
        _receive(store, asked["files"])
        folder = store.build(asked["request"]["build_name"], asked["files"])
        store.forget_old()
        request = _write_request(asked["request"], folder)
    except OSError as error:
        _say(error=str(error.strerror or error), folder=root)
        sys.exit(1)
    _say(ready=True)
    command = interpreter.command("turnkeyml.measure.worker", str(request), python=sys.executable)
    _look_after(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True), asked)


class Store:
    """Files by their hashes, and the folders of builds that are made of them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        for name in ("blobs", "builds"):
            (root / name).mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, digest: str) -> Path:
        return self._root / "blobs" / digest

    def has(self, digest: str, size: int) -> bool:
        path = self.path(digest)
        return path.exists() and path.stat().st_size == size

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._root).free

    def receive(self, digest: str, size: int) -> None:
        """Keep a file that is being sent; one that did not arrive whole is not kept."""
        handle, temporary = tempfile.mkstemp(dir=self._root / "blobs")
        try:
            found = hashlib.sha256()
            with os.fdopen(handle, "wb") as file:
                for part in _parts(size):
                    found.update(part)
                    file.write(part)
            if found.hexdigest() != digest:
                raise OSError("a file did not arrive whole")
            os.replace(temporary, self.path(digest))
        finally:
            Path(temporary).unlink(missing_ok=True)

    def build(self, name: str, files: list[list[Any]]) -> Path:
        """The folder of a build with these files; what a runtime keeps there stays there."""
        made_of = hashlib.sha256(json.dumps([name, files]).encode()).hexdigest()
        folder = self._root / "builds" / made_of / name
        for path, digest, _ in files:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(self.path(digest), target)
            os.utime(self.path(digest))
        os.utime(folder.parent)
        return folder

    def forget_old(self) -> None:
        """Delete what nobody has used for a long time."""
        before = time.time() - KEPT_SECONDS
        for folder in ("packages", "builds", "blobs"):
            for path in (self._root / folder).glob("*"):
                try:
                    if path.stat().st_mtime >= before:
                        continue
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                except OSError:  # somebody else is doing the same
                    continue


def _receive(store: Store, files: list[list[Any]]) -> None:
    """Ask for the files that are not here yet, and keep them."""
    missing = {digest: size for _, digest, size in files if not store.has(digest, size)}
    if sum(missing.values()) > store.free_bytes():
        needed, free = (f"{n / 1e6:,.0f} MB" for n in (sum(missing.values()), store.free_bytes()))
        raise OSError(f"it takes {needed} and only {free} are free")
    _say(missing=list(missing))
    for digest, size in missing.items():
        store.receive(digest, size)


def _parts(size: int) -> Any:
    while size:
        part = sys.stdin.buffer.read(min(size, CHUNK))
        if not part:
            sys.exit(1)  # nobody is there any more
        size -= len(part)
        yield part


def _link(source: Path, target: Path) -> None:
    """The same file under another name; a copy where the file system has no such thing."""
    if target.exists():
        return
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:
        shutil.copyfile(source, target)


def _write_request(request: dict[str, Any], folder: Path) -> Path:
    """The request of a worker here, with the paths of this machine."""
    inner = request["request"]
    inner["model"], inner["build_folder"] = str(folder / inner["model"]), str(folder)
    request["cache_dir"] = str(folder.parent)
    handle, path = tempfile.mkstemp(suffix=".json", prefix="turnkey-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(request, file)
    return Path(path)


def _say(**words: Any) -> None:
    sys.stdout.write(MARK + json.dumps(words) + "\n")
    sys.stdout.flush()


def _look_after(worker: subprocess.Popen[bytes], asked: dict[str, Any]) -> NoReturn:
    """Pass on what comes until the worker ends, or until it has to."""

    def leave() -> None:
        code = worker.wait()
        os._exit(SIGNALLED - code if code < 0 else code)

    threading.Thread(target=leave, daemon=True).start()
    begun = b""
    seconds = asked["silence_seconds"]
    while select.select([0], [], [], seconds)[0]:
        part = os.read(0, CHUNK)
        if not part:
            _end(worker, 0)
        *lines, begun = (begun + part).split(b"\n")
        _pass_on(worker, [line for line in lines if line])  # an empty one is a sign of life
    sys.stderr.write(f"The worker heard nothing for {seconds:g} s and ended.\n")
    sys.stderr.flush()
    _end(worker, 1)


def _pass_on(worker: subprocess.Popen[bytes], lines: list[bytes]) -> None:
    assert worker.stdin is not None
    try:
        for line in lines:
            worker.stdin.write(line + b"\n")
        worker.stdin.flush()
    except BrokenPipeError:  # it has ended, which the other thread tells
        time.sleep(GRACE_SECONDS)


def _end(worker: subprocess.Popen[bytes], code: int) -> NoReturn:
    """End a worker, by itself if it will, and exit."""
    assert worker.stdin is not None
    try:
        worker.stdin.close()
        worker.wait(GRACE_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    os._exit(code)
