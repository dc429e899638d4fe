"""The process that measures one build: numpy, one runtime, and little else.

It is started with the path of a request and leaves its record in the folder that the request
names. It may die in any way; whoever started it can tell from its exit and from what is missing.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from turnkeyml import events
from turnkeyml.measure.record import Task, measure
from turnkeyml.measure.sampler import Rule
from turnkeyml.records import from_dict
from turnkeyml.runtimes.registry import find_device, find_runtime
from turnkeyml.runtimes.session import OnnxRequest

__all__ = ["WorkerRequest", "main"]


@dataclass(frozen=True)
class WorkerRequest:
    """What is to be measured, and where the result goes."""

    device: str
    runtime: str
    onnx: OnnxRequest
    rule: Rule
    folder: str
    invocation: str
    events: str | None = None


def main() -> None:
    """Measure what the request in the first argument asks for."""
    _die_with_parent()
    path = Path(sys.argv[1])
    data = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    request = from_dict(WorkerRequest, data)
    runtime = find_runtime(request.runtime, request.device)
    sink = events.Sink(request.events)

    def announce(seconds: float) -> None:
        sink.send(events.MeasureEstimated(request.invocation, seconds))

    task = Task(
        device=find_device(request.device),
        runtime=runtime,
        threads=request.onnx.threads,
        rule=request.rule,
        folder=Path(request.folder),
        on_estimate=announce,
    )
    measure(lambda: runtime.load().open_session(request.onnx), task)


def _die_with_parent() -> None:
    """On Linux, let the kernel end this process when the one that started it is gone."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


if __name__ == "__main__":
    main()
