"""Measure one build in a process of its own: numpy, one runtime, and little else.

It is started with the path of a request. It opens the model, says so, and then does what it is
told, one line of JSON at a time, until its input ends. It may die in any way; its parent can tell
from the exit and from what is missing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from turnkeyml import interpreter
from turnkeyml.cache import BuildFolder, load_arrays
from turnkeyml.errors import MeasureError
from turnkeyml.interpreter import die_with_parent
from turnkeyml.measure.after_timing import Recheck
from turnkeyml.measure.fresh_inputs import varied_inputs
from turnkeyml.measure.interference import Interference
from turnkeyml.measure.meter import NOT_SEEN, ReportedMeter
from turnkeyml.measure.sampler import SamplingProgress, sample
from turnkeyml.measure.session import OpenSession, SessionInfo, open_session
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import (
    Cause,
    LoadPlan,
    OutputErrors,
    ReferenceRecord,
    Verdict,
    Verification,
    from_dict,
    to_dict,
)
from turnkeyml.runtimes import Request, find_runtime
from turnkeyml.system import usable_cores
from turnkeyml.verify import (
    Outputs,
    Reference,
    compare,
    errors_of,
    judge,
    load_reference,
    with_frozen,
)

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session


TELL_SECONDS = 2.0
"""How often we say how far we are."""


@dataclass(frozen=True)
class WorkerRequest:
    """What is to be measured."""

    device: str
    runtime: str
    request: Request
    cache_dir: str
    build_name: str
    reference: ReferenceRecord | None = None
    """What the build holds of its original; None where it cannot be verified."""
    judged_in: str = ""
    """The precision whose tolerance holds; that of the request if empty."""
    files: tuple[str, ...] = ()
    """The files of the model, by their paths in the build folder, for another machine."""
    wants_errors: bool = False
    """Whether to say how far the outputs are from the original's."""
    batch: int = 1
    """How many copies of the recorded inputs make one run."""
    batched: tuple[str, ...] = ()
    """The inputs that are repeated for that, along their first axis."""


@dataclass(frozen=True)
class Hello:
    """The first thing that a worker says: it is ready to measure, and what it computes."""

    costs: SessionInfo
    verification: Verification | None = None
    pid: int = 0
    errors: OutputErrors | None = None


def main() -> None:
    """Serve the request in the file that the first argument names."""
    commands, replies = claim_streams()
    die_with_parent()
    path = Path(sys.argv[1])
    data = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    request = from_dict(WorkerRequest, data)
    runtime = find_runtime(request.runtime, request.device)
    folder = BuildFolder(Path(request.cache_dir), request.build_name)
    threads = request.request.threads or usable_cores()
    try:
        opened = open_session(
            runtime, replace(request.request, threads=threads), load_arrays(folder.inputs)
        )
        verification = NOT_SEEN if runtime.reports_itself else _verify(opened, request, folder)
        errors = _errors(opened, request, folder) if request.wants_errors else None
        if request.batch > 1:
            verification = _feed_batch(opened, request, folder, verification)
        else:
            _vary(opened, request, folder)
    except MeasureError as error:  # the sentence is all that is worth telling
        sys.exit(str(error))
    opened.forget_outputs()

    def recheck() -> Recheck | None:
        if request.reference is None or request.batch > 1:
            return opened.recheck()
        reference = load_reference(folder, request.reference)
        return opened.recheck(reference, _precision(request), verification)

    hello = Hello(opened.costs(), verification, os.getpid(), errors)
    serve(opened, hello, commands, replies, recheck)


def _precision(request: WorkerRequest) -> str:
    return request.judged_in or request.request.precision


def _vary(opened: OpenSession, request: WorkerRequest, folder: BuildFolder) -> None:
    """Let the inputs of the timed runs change, as far as the original has run on others."""
    if request.reference is not None:
        reference = load_reference(folder, request.reference)
        opened.vary(reference.inputs, varied_inputs(reference))


def _verify(opened: OpenSession, request: WorkerRequest, folder: BuildFolder) -> Verification:
    """The verdict on what this runtime has computed here."""
    if request.reference is None:
        reason = "the build does not hold what the original computes; run its script again"
        return Verification(Verdict.NOT_CHECKED, Cause.NO_REFERENCE, reason)
    reference = load_reference(folder, request.reference)

    def run(inputs: Outputs) -> Outputs:
        if inputs is reference.inputs:
            return opened.outputs
        return opened.run_on(inputs)

    known = request.reference

    def judged(precision: str) -> Verification:
        return judge(run, reference, precision, may_specialise=known.specialised)

    verdict = opened.verified(judged, _precision(request))
    opened.session.feed(reference.inputs)
    if known.stable_weights and verdict.verdict is Verdict.IN_PARTS:
        verdict = replace(verdict, stable_weights=True)
    return with_frozen(verdict, known.frozen, specialised=known.specialised)


def _errors(
    opened: OpenSession, request: WorkerRequest, folder: BuildFolder
) -> OutputErrors | None:
    """How far what this runtime computes here is from the original."""
    if request.reference is None:
        return None
    reference = load_reference(folder, request.reference)
    found = errors_of(opened.run_on, reference)
    cast("Session", opened.session).feed(reference.inputs)
    return found


def _feed_batch(
    opened: OpenSession, request: WorkerRequest, folder: BuildFolder, found: Verification
) -> Verification:
    """Feed copies of the recorded inputs; the verdict on the outputs of all of them."""
    if request.reference is None:
        return found
    reference = load_reference(folder, request.reference)
    return feed_batch(
        opened,
        reference,
        batch=request.batch,
        batched=request.batched,
        precision=_precision(request),
        alone=found,
    )


def feed_batch(
    opened: OpenSession,
    reference: Reference,
    *,
    batch: int,
    batched: Collection[str],
    precision: str,
    alone: Verification,
) -> Verification:
    """Feed copies of the recorded inputs; the verdict on the outputs, which must be copies too.

    ``alone`` is the verdict on a single copy, which counts if it is the worse one.
    """
    inputs = {n: _copies(a, batch) if n in batched else a for n, a in reference.inputs.items()}
    outputs = opened.run_on(inputs)
    golden = _expected(reference.outputs, outputs, batch)
    found = compare(outputs, Reference(inputs, golden, precision=reference.precision), precision)
    cast("Session", opened.session).feed(inputs)
    worse = (
        found.verdict.rank > alone.verdict.rank and alone.verdict is not Verdict.NONDETERMINISTIC
    )
    return found if worse else alone


def _expected(golden: Outputs, outputs: Outputs, batch: int) -> Outputs:
    """The outputs of the original, repeated where the model returns more of them."""
    pairs = zip(golden.items(), outputs.values(), strict=False)
    return {
        name: _copies(one, batch) if one.ndim and len(other) != len(one) else one
        for (name, one), other in pairs
        if other.ndim == one.ndim
    }


def _copies(array: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([array] * count) if array.ndim else array


def serve(
    opened: OpenSession,
    hello: Hello,
    commands: IO[str],
    replies: IO[str],
    recheck: Callable[[], Recheck | None] = lambda: None,
) -> None:
    """Do what each line asks for, one reply each."""
    _reply(replies, to_dict(hello))
    for line in commands:
        words = json.loads(line)
        if words["do"] == "recheck":
            _reply(replies, {"recheck": to_dict(recheck())})
        else:
            _reply(replies, _ACTIONS[words.pop("do")](opened, replies, **words))


def claim_streams() -> tuple[IO[str], IO[str]]:
    """Standard input and output for us alone: anyone else reads nothing and prints to the log."""
    commands = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return commands, replies


def _sample(opened: OpenSession, replies: IO[str], rule: dict[str, Any]) -> Any:
    """Measure alone, undisturbed until it is done."""

    def announce(seconds: float) -> None:
        _reply(replies, {"estimate": seconds})

    told = time.monotonic()

    def tell(progress: SamplingProgress) -> None:
        nonlocal told
        if time.monotonic() - told >= TELL_SECONDS:  # whoever reads it wakes up
            told = time.monotonic()
            _reply(replies, {"progress": to_dict(progress)})

    wanted = from_dict(Rule, rule)
    if isinstance(opened.meter, ReportedMeter):
        return to_dict(opened.meter.sample(wanted))
    interference = Interference(wanted.pause_seconds)
    (samples,) = sample(
        [opened.meter], wanted, announce, on_progress=tell, interference=interference
    )
    if isinstance(samples, BaseException):
        raise samples
    return to_dict(samples)


def _warm_up(opened: OpenSession, replies: IO[str], rule: dict[str, Any]) -> Any:
    return to_dict(opened.meter.warm_up(from_dict(Rule, rule)))


def _take(opened: OpenSession, replies: IO[str], samples: int, block: int, recovery: int) -> Any:
    return to_dict(opened.meter.take(samples, block, recovery))


def _under_load(
    opened: OpenSession,
    replies: IO[str],
    plan: dict[str, Any],
    rule: dict[str, Any],
    precision: str,
) -> Any:
    """Every load of a plan; what was measured under each is told as soon as it is known."""

    def tell(doing: str) -> None:
        _reply(replies, {"doing": doing})

    wanted = from_dict(LoadPlan, plan), from_dict(Rule, rule)
    for point in opened.under_load(*wanted, precision, tell):
        _reply(replies, {"point": to_dict(point)})
    return {"done": True}


def _memory_speed(opened: OpenSession, replies: IO[str]) -> Any:
    """In a process of its own, as what it needs would count as the model's memory."""
    command = interpreter.command("turnkeyml.measure.memory", python=sys.executable)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else None


def _costs(opened: OpenSession, replies: IO[str]) -> Any:
    return to_dict(opened.costs())


def _observe(opened: OpenSession, replies: IO[str]) -> Any:
    return {"observation": to_dict(opened.observe())}


def _profile(opened: OpenSession, replies: IO[str], seconds: float) -> Any:
    return {"profile": to_dict(opened.profile(seconds))}


_ACTIONS: dict[str, Callable[..., Any]] = {
    "sample": _sample,
    "warm_up": _warm_up,
    "take": _take,
    "under_load": _under_load,
    "costs": _costs,
    "observe": _observe,
    "profile": _profile,
    "memory_speed": _memory_speed,
}


def _reply(replies: IO[str], reply: Any) -> None:
    replies.write(json.dumps(reply, default=_plain) + "\n")
    replies.flush()


def _plain(value: Any) -> Any:
    """Arrays as lists; anything else is a mistake of ours."""
    return value.tolist()


if __name__ == "__main__":
    main()
