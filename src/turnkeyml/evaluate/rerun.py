"""A fresh process for a live model: it runs the script again and measures what it finds there."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml.errors import MeasureError
from turnkeyml.interpreter import die_with_parent
from turnkeyml.measure.opening import open_session
from turnkeyml.measure.worker import claim_streams, serve
from turnkeyml.nouns import from_dict
from turnkeyml.runtimes.registry import find_runtime
from turnkeyml.runtimes.session import TorchRequest

__all__ = ["RerunRequest", "main"]


@dataclass(frozen=True)
class RerunRequest:
    """Which model of which script is to be measured."""

    script: str
    script_args: tuple[str, ...]
    max_depth: int
    hash: str
    device: str
    runtime: str
    threads: int
    arguments: dict[str, Any] = field(default_factory=dict)


def main() -> None:
    """Serve the request in the file that the first argument names."""
    commands, replies = claim_streams()
    die_with_parent()
    path = Path(sys.argv[1])
    data = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    request = from_dict(RerunRequest, data)
    try:
        subject = _find(request)
    except MeasureError as error:
        sys.exit(str(error))
    from turnkeyml.verify.reference import evaluating

    runtime = find_runtime(request.runtime, request.device)
    live = TorchRequest(
        subject.model, subject.args, subject.kwargs, request.threads, request.arguments
    )
    with evaluating(subject.model):
        opened = open_session(lambda: runtime.load().open_session(live), runtime)
        serve(opened, commands, replies)


def _find(request: RerunRequest) -> Any:
    from turnkeyml.discover.script import run_script
    from turnkeyml.frameworks.torch.recorder import Recorder
    from turnkeyml.frameworks.torch.register import Register

    register = Register(Path(request.script).stem, lambda record: None)
    with Recorder(register, request.max_depth).watching():
        run_script(request.script, request.script_args)
    for subject in register.subjects():
        if subject.record.hash == request.hash:
            return subject
    raise MeasureError("the script did not call the model when it was run again")


if __name__ == "__main__":
    main()
