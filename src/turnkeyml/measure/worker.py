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
    data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
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


if __name__ == "__main__":
    main()
