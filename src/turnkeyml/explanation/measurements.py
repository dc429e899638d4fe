"""The measurements of an explanation: latencies in turns, then one profiled process.

The model is measured as asked for, and so are cheap alternatives to it: fewer threads, other
precisions of the build, one CUDA graph.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from turnkeyml.cache import BuildFolder, BuildState, read_state, read_stats
from turnkeyml.errors import MeasureError
from turnkeyml.evaluate import (
    Contestant,
    Entry,
    FileContestant,
    InvocationContestants,
    RerunRequest,
    measure,
)
from turnkeyml.measure import Rule, Worker
from turnkeyml.nouns import HERE, Alternative, Evaluation, Place, Plan, Profile
from turnkeyml.runtimes import Runtime, find_device
from turnkeyml.system import usable_cores

GRAPH = "cuda_graph"
"""The argument of runtimes that can start a whole run as one CUDA graph."""
RULE = Rule(
    name="explain",
    least_runs=20,
    least_seconds=1.0,
    precision=0.02,
    cap_seconds=6.0,
    warmup_runs=3,
    warmup_seconds=0.3,
    warmup_cap_seconds=3.0,
    warmup_restless_seconds=1.0,
    race_seconds=15.0,
)
"""Shares of a latency need no more precision than this."""
PROFILE_SECONDS = 4.0
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Observed:
    """The latency of a model, its profile, and the latencies of alternatives."""

    evaluation: Evaluation
    """Of the model as asked for, without a profiler."""
    profile: Profile
    threads: int
    alternatives: tuple[Alternative, ...]


def observe(folder: BuildFolder, plan: Plan, runtime: Runtime, work: Path, tell: Tell) -> Observed:
    """Measure a build and its alternatives in turns, then profile it in a process of its own."""
    taking_part = candidates(folder, plan, runtime, work)
    asked, *others = taking_part
    names = ", ".join(one.name for one in taking_part)
    tell(f"Measuring the latency ({names})")
    device = find_device(plan.device)
    outcomes = measure([one.contestant for one in taking_part], RULE, device, asked.threads)
    evaluation, *rest = (outcome.evaluation for outcome in outcomes)
    if evaluation.performance is None:
        raise MeasureError(evaluation.reason or f"{runtime.title} could not run the model.")
    tell(f"Profiling with {runtime.title}")
    profile = _profile(asked, runtime)
    alternatives = [_alternative(*pair) for pair in zip(others, rest, strict=True)]
    return Observed(evaluation, profile, asked.threads, tuple(alternatives))


def _profile(asked: Candidate, runtime: Runtime) -> Profile:
    with asked.contestant.enter(1) as entry:
        assert isinstance(entry.meter, Worker)
        profile = entry.meter.profile(PROFILE_SECONDS)
    if profile is None:
        raise MeasureError(
            f"The runtime {runtime.name} has no profiler that turnkey can use on {runtime.device}."
        )
    return profile


def _alternative(candidate: Candidate, evaluation: Evaluation) -> Alternative:
    found = evaluation.performance
    return Alternative(
        name=candidate.name,
        threads=candidate.threads,
        precision=candidate.precision,
        ms=found.median_latency if found else None,
        reason=evaluation.reason or "",
        verdict=evaluation.verdict,
        setting=candidate.setting,
    )


@dataclass(frozen=True)
class LiveAgain:
    """A live model in a fresh process that runs its script again."""

    runtime: Runtime
    precision: str
    folder: Path
    request: RerunRequest
    place: Place = HERE
    artifact: None = None
    sha256: None = None
    changed: bool = False
    folded: Mapping[str, float] = field(default_factory=dict)
    fresh_processes: bool = True

    @contextlib.contextmanager
    def enter(self, number: int) -> Iterator[Entry]:
        worker = Worker("turnkeyml.evaluate.rerun", self.request, self.folder, self.runtime.name)
        with contextlib.closing(worker):
            yield Entry.of(worker)


@dataclass(frozen=True)
class Candidate:
    """A contestant with what distinguishes it from the others."""

    contestant: Contestant
    threads: int
    precision: str
    setting: str = ""
    """The runtime argument that it differs in, as key=value."""
    on_accelerator: bool = False

    @property
    def name(self) -> str:
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}"
        words = (self.precision, self.setting, "" if self.on_accelerator else threads)
        return ", ".join(filter(None, words)) or threads


def candidates(folder: BuildFolder, plan: Plan, runtime: Runtime, work: Path) -> list[Candidate]:
    """The model as the plan asks for first, then with fewer threads, in other precisions, and as a
    CUDA graph where the runtime has that."""
    threads = plan.threads or usable_cores()
    plan = replace(plan, threads=threads)
    asked = _candidate(folder, plan, runtime, work / "asked")
    found = [asked]
    if _wants_graph(plan, runtime):
        there = replace(plan, rt_args={**plan.rt_args, GRAPH: "true"})
        as_graph = _candidate(folder, there, runtime, work / "graph")
        found.append(replace(as_graph, setting=f"{GRAPH}=true"))
    if not asked.on_accelerator:  # there, threads do not compute
        for fewer in _fewer(threads):
            there = replace(plan, threads=fewer)
            found.append(_candidate(folder, there, runtime, work / f"threads-{fewer}"))
    for precision in _others(folder, runtime, asked.precision):
        there = replace(plan, precisions=(precision,))
        found.append(_candidate(folder, there, runtime, work / precision))
    return found


def _wants_graph(plan: Plan, runtime: Runtime) -> bool:
    """Whether the runtime could run the model as a CUDA graph, and was not asked to."""
    return runtime.complete(plan.rt_args).get(GRAPH) is False


def _others(folder: BuildFolder, runtime: Runtime, asked: str) -> list[str]:
    """The other precisions that the build has files in."""
    state = read_state(folder)
    if state is None or not runtime.measures_files:
        return []
    return [precision for precision in state.precisions if precision != asked]


def _fewer(threads: int) -> list[int]:
    """Fewer threads that are worth a try: one, half of them, and one per core."""
    return sorted({n for n in (1, threads // 2, usable_cores()) if 0 < n < threads})


def _candidate(folder: BuildFolder, plan: Plan, runtime: Runtime, work: Path) -> Candidate:
    work.mkdir(parents=True, exist_ok=True)
    assert plan.threads is not None
    on_accelerator = runtime.monitor() is not None
    if not runtime.measures_files:
        again = _live(folder, plan, runtime, work)
        return Candidate(again, plan.threads, again.precision, on_accelerator=on_accelerator)
    contestants = InvocationContestants(folder, plan, read_state(folder))
    missing = contestants.missing_precisions()
    if missing:
        raise MeasureError(_no_file(folder, contestants.state, missing[0]))
    (contestant,) = contestants.of(runtime)[:1]
    assert isinstance(contestant, FileContestant)
    contestant = replace(contestant, folder=work)
    return Candidate(contestant, plan.threads, contestant.precision, on_accelerator=on_accelerator)


def _no_file(folder: BuildFolder, state: BuildState | None, precision: str) -> str:
    own = state.facts.get("precision", "fp32") if state is not None else "fp32"
    if own == "fp32":
        return (
            f"The build {folder.name} has no file in {precision}; explain its script or model "
            f"with --precision {precision} to build it."
        )
    return (
        f"The build {folder.name} has no file in {precision}: the original is in "
        f"{'mixed precision' if own == 'mixed' else own}, so that it must be exported in "
        f"{precision} first."
    )


def _live(folder: BuildFolder, plan: Plan, runtime: Runtime, work: Path) -> LiveAgain:
    stats = read_stats(folder)
    script, digest = str(stats.get("file", "")), str(stats.get("hash", ""))
    if not script.endswith(".py") or not Path(script).is_file():
        raise MeasureError(
            f"{runtime.title} needs the script of the build {folder.name}, which is not there; "
            "explain the script instead."
        )
    cast_to = next((p for p in plan.precisions if p in runtime.casts_live_to), "")
    request = RerunRequest(
        script=script,
        script_args=plan.script_args,
        max_depth=plan.max_depth,
        hash=digest,
        device=plan.device,
        runtime=runtime.name,
        threads=plan.threads or usable_cores(),
        arguments=runtime.complete(plan.rt_args),
        build_folder=str(folder.path),
        cast_to=cast_to,
        verifies=True,
    )
    return LiveAgain(runtime, cast_to or _precision(stats), work, request)


def _precision(stats: dict[str, Any]) -> str:
    """That of the inputs of a live model; fp32 if they have none."""
    dtypes = {str(dtype) for dtype in (stats.get("input_dtypes") or {}).values()}
    return "fp16" if dtypes == {"float16"} else "bf16" if dtypes == {"bfloat16"} else "fp32"
