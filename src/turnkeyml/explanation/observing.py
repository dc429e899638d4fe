"""The measurements of an explanation: latencies in turns, then one profiled process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.cache import BuildFolder
from turnkeyml.errors import MeasureError
from turnkeyml.evaluate import measure
from turnkeyml.explanation.contestants import Candidate, candidates
from turnkeyml.measure import Rule, Worker
from turnkeyml.nouns import Alternative, Evaluation, Plan, Profile
from turnkeyml.runtimes import Runtime, find_device

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
