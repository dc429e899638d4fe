"""Measuring a contestant under load: one result per rate or number of clients."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from turnkeyml.cache import safe_name
from turnkeyml.evaluate.entries import Contestant
from turnkeyml.evaluate.progress import Tell
from turnkeyml.evaluate.runner import Outcome, Runner
from turnkeyml.measure import LoadPoint, Rule, grade_of, load_flags
from turnkeyml.nouns import LoadPlan, Verification
from turnkeyml.runtimes import Device
from turnkeyml.system import read_leftovers

Quiet = Callable[[], AbstractContextManager[None]]


def measure_loads(
    contestant: Contestant,
    plan: LoadPlan,
    rule: Rule,
    device: Device,
    threads: int,
    *,
    tell: Tell | None = None,
    quiet: Quiet = contextlib.nullcontext,
) -> list[Outcome]:
    """Load a contestant once and measure it under every load of a plan; a failure is an outcome,
    and costs only what would have followed."""
    runner = Runner(contestant)
    outcomes: list[Outcome] = []
    with contextlib.ExitStack() as stack:
        if not runner.enter(stack, 0):
            return [runner.outcome(rule, device, threads)]
        left = read_leftovers()
        with quiet():
            points, failure = _points(runner, contestant, plan, rule, tell)
        own = None if contestant.place.host else left.until(read_leftovers())
        for point in points:
            runner.note(replace(point.samples, own_load=own), point.observation)
            made = runner.outcome(rule, device, threads)
            outcomes.append(_completed(made, point, contestant.folder))
            runner.forget()
        if failure is not None:
            runner.note(failure)
            outcomes.append(runner.outcome(rule, device, threads))
    return outcomes


def _points(
    runner: Runner, contestant: Contestant, plan: LoadPlan, rule: Rule, tell: Tell | None
) -> tuple[list[LoadPoint], BaseException | None]:
    """What was measured, and what went wrong, if anything."""
    assert runner.entry is not None
    began = time.monotonic()
    found: list[LoadPoint] = []

    def say(doing: str) -> None:
        if tell is not None:
            tell(time.monotonic() - began, f"{runner.label}: {doing}")

    try:
        for point in runner.entry.under_load(plan, rule, contestant.precision, say):
            found.append(point)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
        return found, error
    return found, None


def _completed(outcome: Outcome, point: LoadPoint, folder: Path) -> Outcome:
    """The outcome of one load, with what only that tells."""
    evaluation, load = outcome.evaluation, point.load
    performance = evaluation.performance
    assert performance is not None
    low, high = (None, None) if None in point.median_ends else point.median_ends
    performance = replace(
        performance,
        median_low=low,
        median_high=high,
        throughput=load.answered / (performance.wall_seconds or 1.0),
        flags=load_flags(load, performance),
    )
    evaluation = replace(
        evaluation,
        under_load=load,
        performance=performance,
        grade=grade_of(performance, evaluation.conditions),
        verification=_verdict(evaluation.verification, point.wrong),
    )
    sittings = tuple(replace(s, queueing=point.queueing) for s in outcome.sittings)
    name = folder.name.replace("under-load", load.pattern)
    return Outcome(evaluation, folder.with_name(safe_name(name)), sittings)


def _verdict(alone: Verification | None, wrong: Verification | None) -> Verification | None:
    """That on a single request, unless answers under load are worse."""
    if wrong is None:
        return alone
    reason = f"an answer under load differs from that to a single request: {wrong.reason}"
    return replace(wrong, reason=reason)
