"""What an evaluation tells the outside while it goes on.

Events are lines of JSON in a file. Each is written with one open, one write and one close, so that
it survives whatever the script does to its process, and so that a reader on another machine sees
the same as one on this.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from turnkeyml.nouns.invocations import InvocationRecord, InvocationResult, ScriptOutcome
from turnkeyml.nouns.plain import from_dict, to_dict

__all__ = [
    "BuildReused",
    "Event",
    "InputFinished",
    "InvocationFinished",
    "InvocationFound",
    "TurnAwaited",
    "TurnTaken",
    "MeasureEstimated",
    "MeasureProgress",
    "MeasureStarted",
    "Reader",
    "ScriptFinished",
    "ScriptStarted",
    "Sink",
    "StageFinished",
    "StageStarted",
    "Waiting",
]


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
class Waiting:
    """Another process has this build; we wait until it is done."""

    invocation: str


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
class TurnAwaited:
    """Everything is loaded; it waits until the others are done, to have the machine to itself."""

    invocation: str


@dataclass(frozen=True)
class TurnTaken:
    """From now on the machine belongs to this measurement."""

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
    | Waiting
    | BuildReused
    | StageStarted
    | StageFinished
    | MeasureStarted
    | TurnAwaited
    | TurnTaken
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
        """Tell one event."""
        if self._listener is not None:
            self._listener(event)
        if self.path is None:
            return
        line = json.dumps({"event": type(event).__name__, **to_dict(event)}) + "\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)


class Reader:
    """Reads the events that were added since it last looked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._offset = 0
        self._rest = b""

    def read(self) -> list[Event]:
        """The new events, in order. A line that is still being written waits for the next look."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [_decode(line) for line in lines if line.strip()]


def _decode(line: bytes) -> Event:
    data = json.loads(line)
    event: Event = from_dict(_KINDS[data.pop("event")], data)
    return event
