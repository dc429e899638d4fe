"""What an evaluation tells the outside while it goes on.

Events are lines of JSON in a file. Each is written with one open, one write and one close, so that
it survives whatever the script does to its process, and so that a reader on another machine sees
the same as one on this.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from turnkeyml.errors import named
from turnkeyml.nouns.invocations import InvocationRecord, InvocationResult, ScriptOutcome
from turnkeyml.nouns.plain import DamagedRecord, check_plain, from_dict, to_dict

LONGEST_LINE = 64_000_000
"""In bytes. An event with very many invocations has a few million."""
PART = 16_000_000
"""Bytes that are read at a time."""
MOST_COMPLAINTS = 5


@dataclass(frozen=True)
class ScriptStarted:
    """The script begins to run."""


@dataclass(frozen=True)
class InvocationFound:
    """The script called a model in a new way. Sent before the call is made."""

    invocation: InvocationRecord


@dataclass(frozen=True)
class ScriptFinished:
    """The script has ended; these are all its invocations, with their final counts."""

    outcome: ScriptOutcome
    invocations: tuple[InvocationRecord, ...]


@dataclass(frozen=True)
class InvocationStarted:
    """An invocation is about to be built and measured."""

    invocation: str
    what: str
    """Its model and, for a decoder, what it does, in a few words."""
    position: int
    total: int


@dataclass(frozen=True)
class Waiting:
    """It waits for a build that another process uses, or for the inputs that run beside it.

    Sent when the wait begins, and again when it is known what it waits for.
    """

    invocation: str | None
    """None for a wait that is not about one invocation."""
    what: str = ""
    """What it waits for, and which process has that; empty if that is not known yet."""
    within_run: bool = False
    """Whether it waits for other inputs of the same run to measure."""


@dataclass(frozen=True)
class WaitEnded:
    """It has what it waited for, and goes on with what it did before."""

    invocation: str | None


@dataclass(frozen=True)
class BuildReused:
    """A finished build was found in the cache."""

    invocation: str


@dataclass(frozen=True)
class StageStarted:
    """A stage of a build begins."""

    invocation: str
    stage: str
    message: str
    position: int
    total: int


@dataclass(frozen=True)
class StageFinished:
    """A stage of a build has ended."""

    invocation: str
    stage: str
    seconds: float
    succeeded: bool


@dataclass(frozen=True)
class MeasureStarted:
    """A runtime begins to load a build."""

    invocation: str
    runtime: str


@dataclass(frozen=True)
class ArtifactChanged:
    """The file that is about to be measured is not the one that was built."""

    invocation: str
    warning: str


@dataclass(frozen=True)
class TurnAwaited:
    """Everything is loaded; it waits until the others are done, to have the machine to itself."""

    invocation: str


@dataclass(frozen=True)
class TurnTaken:
    """From now on the machine belongs to this measurement."""

    invocation: str


@dataclass(frozen=True)
class TurnReturned:
    """The others may go on, and this input too, beside them."""

    invocation: str


@dataclass(frozen=True)
class MeasureEstimated:
    """The warm-up is over; the timed runs will take about this long."""

    invocation: str
    seconds: float


@dataclass(frozen=True)
class InvocationFinished:
    """Everything that was asked for this invocation was done, or failed."""

    result: InvocationResult


@dataclass(frozen=True)
class InputFinished:
    """Nothing more will come of this input; how its process ends does not matter any more."""

    failure: str | None = None


@dataclass(frozen=True)
class MeasureProgress:
    """A measurement that takes long goes on; sent every few seconds."""

    invocation: str
    seconds: float
    doing: str


Event = (
    ScriptStarted
    | InvocationFound
    | ScriptFinished
    | InvocationStarted
    | Waiting
    | WaitEnded
    | BuildReused
    | StageStarted
    | StageFinished
    | MeasureStarted
    | ArtifactChanged
    | TurnAwaited
    | TurnTaken
    | TurnReturned
    | MeasureEstimated
    | InvocationFinished
    | InputFinished
    | MeasureProgress
)

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in Event.__args__}


class Sink:
    """Where events go: to a file, to a listener in the same process, or nowhere."""

    def __init__(
        self, path: str | None = None, listener: Callable[[Event], None] | None = None
    ) -> None:
        self.path = path
        self._listener = listener

    def send(self, event: Event) -> None:
        """Tell one event; an ``OSError`` that names the file if it cannot be written."""
        if self._listener is not None:
            self._listener(event)
        if self.path is None:
            return
        line = json.dumps({"event": type(event).__name__, **to_dict(event)}) + "\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            rest = line.encode()
            while rest:  # a signal or a disk that is nearly full may cut a write short
                rest = rest[os.write(handle, rest) :]
        except OSError as error:
            named(error, self.path)
            raise
        finally:
            os.close(handle)


class Reader:
    """Reads the events that were added since it last looked.

    A script can write anything anywhere: a line that is not an event is skipped, and ``damaged``
    says so.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.damaged: list[str] = []
        """What could not be read, in sentences; only the first few."""
        self._offset = 0
        self._rest = b""
        self._skips = False
        """Whether the line that is being read is too long and will be left out."""

    def read(self) -> list[Event]:
        """The new events, in order. A line that is still being written waits for the next look."""
        found: list[Event] = []
        for data in self._parts():
            *lines, rest = (self._rest + data).split(b"\n")
            if lines and self._skips:
                del lines[0]
                self._skips = False
            if len(rest) > LONGEST_LINE:
                self._complain("a line is too long")
                self._skips = True
            self._rest = b"" if self._skips else rest
            found += filter(None, map(self._decode, lines))
        return found

    def _parts(self) -> Iterator[bytes]:
        """What was added by now, a part at a time."""
        try:
            with open(self.path, "rb") as file:
                end = os.fstat(file.fileno()).st_size
                file.seek(self._offset)
                while self._offset < end and (data := file.read(PART)):
                    self._offset += len(data)
                    yield data
        except FileNotFoundError:
            return
        except OSError as error:  # on a network file system the next look may be better
            self._complain(error.strerror or type(error).__name__)

    def _decode(self, line: bytes) -> Event | None:
        if not line.strip():
            return None
        try:
            return _decode(line)
        except (ValueError, RecursionError) as error:
            self._complain(str(error) or type(error).__name__)
            return None

    def _complain(self, why: str) -> None:
        sentence = f"Some events of this input cannot be read: {why.splitlines()[0]}."
        if len(self.damaged) < MOST_COMPLAINTS and sentence not in self.damaged:
            self.damaged.append(sentence)


def _decode(line: bytes) -> Event:
    data = json.loads(line)
    check_plain(data)
    name = data.pop("event", None) if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in _KINDS:
        raise DamagedRecord("unknown event")
    event: Event = from_dict(_KINDS[name], data)
    return event
