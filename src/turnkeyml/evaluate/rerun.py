"""A worker for live models: a new process that runs the script again and measures the model."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from turnkeyml.build import CapturedModel
from turnkeyml.discover import find_inputs, find_invocations
from turnkeyml.errors import MeasureError
from turnkeyml.interpreter import die_with_parent
from turnkeyml.measure import Hello, OpenSession, claim_streams, open_session, serve
from turnkeyml.nouns import Verification, from_dict
from turnkeyml.runtimes import Request, find_runtime
from turnkeyml.verify import Reference, judge_live

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session


@dataclass(frozen=True)
class RerunRequest:
    """The script to run, and the hash of the invocation to measure."""

    script: str
    script_args: tuple[str, ...]
    max_depth: int
    hash: str
    device: str
    runtime: str
    threads: int
    arguments: dict[str, Any] = field(default_factory=dict)
    build_folder: str = ""
    cast_to: str = ""
    varied: tuple[int, ...] = ()
    """The positions of the inputs whose values may change from run to run."""
    verifies: bool = False
    """Whether the outputs are compared with those of the original before anything is timed."""


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
    live = subject.live()
    assert live is not None
    with live as model:
        runtime = find_runtime(request.runtime, request.device)
        wanted = Request(
            threads=request.threads,
            live=model,
            precision=request.cast_to or subject.precision,
            cast_to=request.cast_to,
            arguments=request.arguments,
            build_folder=request.build_folder,
        )
        reference = subject.reference(request.threads) if request.verifies else None
        opened = open_session(runtime, wanted, reference.inputs if reference else {})
        verdict = _verdict(opened, reference, wanted.precision) if reference else None
        opened.vary({}, request.varied)
        opened.forget_outputs()
        hello = Hello(opened.costs(), verdict, pid=os.getpid())
        serve(opened, hello, commands, replies, opened.recheck)
        opened.close()


def _verdict(opened: OpenSession, reference: Reference, precision: str) -> Verification:
    found = opened.verified(
        lambda within: judge_live(opened.outputs, opened.run_on, reference, within), precision
    )
    cast("Session", opened.session).feed(reference.inputs)
    return found


def _find(request: RerunRequest) -> CapturedModel:
    (item,) = find_inputs([request.script])
    found = find_invocations(item, request.script_args, request.max_depth)
    for subject in found.subjects:
        if subject.record.hash == request.hash:
            return subject
    raise MeasureError("the script did not call the model again when it was rerun")


if __name__ == "__main__":
    main()
