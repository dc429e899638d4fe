"""Measure in a fresh process, here or on another machine: the parent's side of a worker.

The process knows nothing but the build. On another machine it is started through ssh, after the
files that it lacks have been sent.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from turnkeyml import interpreter
from turnkeyml.cache import BuildFolder, measurement_log, thread_lock, worker_request, write_json
from turnkeyml.errors import MeasureError, TurnkeyError
from turnkeyml.measure.accelerator import DeviceObservation
from turnkeyml.measure.after_timing import Recheck
from turnkeyml.measure.load.under_load import LoadPoint
from turnkeyml.measure.meter import Samples, Slice, WarmUp
from turnkeyml.measure.remote import SIGNALLED
from turnkeyml.measure.sampler import SamplingProgress
from turnkeyml.measure.session import SessionInfo
from turnkeyml.measure.stopping import Rule
from turnkeyml.measure.worker import Hello, WorkerRequest
from turnkeyml.nouns import HERE, LoadPlan, Place, Profile, from_dict, to_dict
from turnkeyml.system import SSH_FAILED, Connection, is_stopped, out_of_memory_kills, take_standby

OTHERS_WAIT = 60.0
"""Seconds that a worker gets to end by itself."""
BY_WHOM = "by itself or by another program"
LOOK_SECONDS = 2.0
"""Between two looks whether a worker is stopped."""
STOPPED_LOOKS = 5
"""A worker that was stopped at so many looks in a row is killed: nobody continues it."""

BEAT_SECONDS = 10.0
SILENCE_SECONDS = 60.0
"""A worker that hears nothing for so long ends: the connection is lost."""
CHUNK = 1 << 20


class Worker:
    """A process with an open session; a meter whose runs happen elsewhere."""

    def __init__(
        self, module: str, request: Any, folder: Path, name: str, place: Place = HERE
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._name = name
        self._resting = False
        self._log = measurement_log(folder)
        self._place = place
        self._process = _start(place, module, request, folder)
        assert self._process.stdin is not None
        self._saying = thread_lock()
        self._signs = SignsOfLife(self._process.stdin, self._saying) if place.host else None
        self._memory_kills = out_of_memory_kills()
        self._given_up = False
        self._over = threading.Event()
        if sys.platform == "linux" and not place.host:
            threading.Thread(target=self._watch, daemon=True).start()
        try:
            hello = from_dict(Hello, self._hear())
            self._opened, self.verification = hello.costs, hello.verification
            self.errors = hello.errors
            here = sys.platform == "linux" and not place.host
            self._can_rest = here and hello.pid == self._process.pid
        except BaseException:
            self.close()
            raise

    def sample(
        self,
        rule: Rule,
        on_estimate: Callable[[float], None] | None = None,
        on_progress: Callable[[SamplingProgress], None] | None = None,
    ) -> Samples:
        """Everything that the rule asks for, while we sleep; now and then we hear how it goes."""
        self._say(do="sample", rule=to_dict(rule))
        while "timed" not in (words := self._hear()):
            if "estimate" in words and on_estimate:
                on_estimate(words["estimate"])
            elif "progress" in words and on_progress:
                on_progress(from_dict(SamplingProgress, words["progress"]))
        found = from_dict(Samples, words)
        return replace(
            found,
            timed=np.asarray(found.timed),
            warmup=np.asarray(found.warmup),
            set_aside=np.asarray(found.set_aside, dtype=np.int64),
        )

    def under_load(
        self, plan: LoadPlan, rule: Rule, precision: str, tell: Callable[[str], None]
    ) -> Iterator[LoadPoint]:
        """What was measured under each load of a plan, as it becomes known."""
        self._say(do="under_load", plan=to_dict(plan), rule=to_dict(rule), precision=precision)
        while "done" not in (words := self._hear()):
            if "doing" in words:
                tell(words["doing"])
            else:
                yield _completed(from_dict(LoadPoint, words["point"]))

    def warm_up(self, rule: Rule) -> WarmUp:
        warm = from_dict(WarmUp, self._ask(do="warm_up", rule=to_dict(rule)))
        return replace(warm, times=np.asarray(warm.times))

    def take(self, samples: int, block: int, recovery: int = 0) -> Slice:
        words = {"samples": samples, "block": block, "recovery": recovery}
        part = from_dict(Slice, self._ask(do="take", **words))
        return replace(part, times=np.asarray(part.times))

    def rest(self) -> None:
        """Stop the process until it is asked for something: threads of a runtime go on spinning
        after a run, for as long as another's turn takes.

        Only where the kernel ends it with us: nobody would wake it, or end it. That is not so where
        the interpreter is a script that starts another process.
        """
        if self._can_rest and not self._resting:
            self._process.send_signal(signal.SIGSTOP)
            self._resting = True

    def _wake(self) -> None:
        if self._resting:
            self._process.send_signal(signal.SIGCONT)
            self._resting = False

    def _watch(self) -> None:
        """Kill the process when another one than ours has stopped it for good."""
        looks = 0
        while looks < STOPPED_LOOKS:
            if self._over.wait(LOOK_SECONDS):
                return
            stopped = not self._resting and is_stopped(self._process.pid)
            looks = looks + 1 if stopped else 0
        self._given_up = True
        self._process.kill()

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine."""
        return not self._place.host

    def memory_speed(self) -> float | None:
        """How fast the memory is where it runs; see ``measure.memory``."""
        try:
            speed = self._ask(do="memory_speed")
        except MeasureError:  # whoever asks it for runs will say why
            return None
        return None if speed is None else float(speed)

    def costs(self) -> SessionInfo:
        """What it has cost by now; if it is no more, what was known when it began."""
        try:
            return from_dict(SessionInfo, self._ask(do="costs"))
        except MeasureError:
            return self._opened

    def observe(self) -> DeviceObservation | None:
        """What its accelerator says of further runs; None without one."""
        found = self._ask(do="observe")["observation"]
        return None if found is None else from_dict(DeviceObservation, found)

    def recheck(self) -> Recheck | None:
        """What the session does after its timed runs."""
        found = self._ask(do="recheck")["recheck"]
        return None if found is None else from_dict(Recheck, found)

    def profile(self, seconds: float) -> Profile | None:
        """The operators with their times by the runtime's own profiler; None if it has none."""
        found = self._ask(do="profile", seconds=seconds)["profile"]
        return None if found is None else from_dict(Profile, found)

    def close(self) -> None:
        """End the process, by itself if it will."""
        assert self._process.stdin is not None
        self._over.set()
        self._wake()
        if self._signs:
            self._signs.end()
        try:
            with self._saying:
                self._process.stdin.close()
            self._process.wait(OTHERS_WAIT)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _ask(self, **words: Any) -> Any:
        self._say(**words)
        return self._hear()

    def _say(self, **words: Any) -> None:
        assert self._process.stdin is not None
        self._wake()
        try:
            with self._saying:
                self._process.stdin.write(json.dumps(words) + "\n")
                self._process.stdin.flush()
        except OSError:
            self._raise_ended()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            self._raise_ended()
        return json.loads(line)

    def _raise_ended(self) -> None:
        code = self._process.wait()
        ended = self._describe_exit(code)
        raise MeasureError(
            f"The worker that measured with {self._name} {ended}"
            f"{_last_words(self._log)}. Its log is {self._log}."
        )

    def _describe_exit(self, code: int) -> str:
        """The end of a sentence about how the process has ended."""
        if self._place.host:
            return _describe_exit_of_ssh(code, self._place.host)
        if self._given_up:
            return f"was stopped by a signal, {BY_WHOM}, and nothing continued it"
        kills = out_of_memory_kills()
        if code == -signal.SIGKILL and kills is not None and kills == self._memory_kills:
            return f"{interpreter.describe_exit(code, hint='')}, {BY_WHOM}"
        return interpreter.describe_exit(code)


def _completed(point: LoadPoint) -> LoadPoint:
    """With arrays instead of the lists that came over the line."""
    timed = np.asarray(point.samples.timed)
    nothing = np.zeros(0, dtype=np.int64)
    return replace(
        point, samples=replace(point.samples, timed=timed, warmup=nothing, set_aside=nothing)
    )


def _describe_exit_of_ssh(code: int, host: str) -> str:
    """The end of a sentence about a worker on another machine, by how ssh exited."""
    if code < 0 or code == SSH_FAILED:
        return f"lost the connection to the host {host}"
    return interpreter.describe_exit(SIGNALLED - code if code > SIGNALLED else code)


def _start(place: Place, module: str, request: Any, folder: Path) -> subprocess.Popen[str]:
    """The process of a worker, here or on another machine; no other function knows which."""
    if place.host:
        return start_on_host(place, request, measurement_log(folder))
    path = worker_request(folder)
    write_json(path, to_dict(request))
    with measurement_log(folder).open("ab") as log:
        waiting = take_standby(place.python)
        if waiting is not None:
            return waiting.become(module, str(path), log=measurement_log(folder))
        return _start_here(place, module, path, log)


def _start_here(place: Place, module: str, request: Path, log: IO[bytes]) -> subprocess.Popen[str]:
    """The process of a worker on this machine, which reads its request from a file."""
    try:
        return subprocess.Popen(
            interpreter.command(module, str(request), python=place.python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=interpreter.surroundings(place.python),
        )
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise MeasureError(f"{place.python or sys.executable} cannot be run: {why}.") from None


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text("utf-8", errors="replace").splitlines()]
    last = next((line for line in reversed(lines) if line), "")
    return f": {last[:400]}" if last else ""


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
