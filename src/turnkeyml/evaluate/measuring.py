"""Measure the contestants of an invocation, in a race or under load, and keep the evaluations."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from turnkeyml.cache import BuildFolder, safe_name, samples_file
from turnkeyml.errors import TurnkeyError
from turnkeyml.evaluate.contestants import Contestant, InvocationContestants
from turnkeyml.evaluate.race import Announce, Outcome, Quiet, Runner, Tell, changed_warning, measure
from turnkeyml.measure import (
    DEFAULT_RULE,
    QUICK_RULE,
    RIGOROUS_RULE,
    LoadPoint,
    Rule,
    failed,
    grade_of,
    judge,
    load_flags,
    save_evaluation,
    with_token_times,
)
from turnkeyml.nouns import (
    HERE,
    Evaluation,
    LoadPlan,
    Plan,
    RaceResult,
    StopReason,
    UnderLoad,
    Verification,
    answers_to,
)
from turnkeyml.runtimes import Device, Runtime, find_device
from turnkeyml.system import read_leftovers

RULES = {rule.name: rule for rule in (DEFAULT_RULE, QUICK_RULE, RIGOROUS_RULE)}


def rule_of(plan: Plan) -> Rule:
    """The stopping rule of a plan."""
    if plan.iterations is not None:
        return Rule.exactly(plan.iterations)
    rule = RULES[plan.rule]
    return rule if plan.budget is None else rule.within(plan.budget)


def planned(folder: BuildFolder, plan: Plan, runtimes: list[Runtime]) -> tuple[Evaluation, ...]:
    """The records of planned measurements, as they are kept if the process that measures dies."""
    device = find_device(plan.device)
    loads = [None] if plan.load is None else [_nothing_of(one) for one in plan.load.patterns]
    return tuple(
        replace(
            failed(device, runtime, "", place),
            precision=precision,
            build_name=folder.name,
            parameters=plan.parameters,
            under_load=load,
        )
        for runtime in runtimes
        for place in plan.places or (HERE,)
        for precision in plan.precisions or ("",)
        for load in loads
    )


def _nothing_of(pattern: str) -> UnderLoad:
    """What is known of a load under which nothing was measured."""
    return UnderLoad(pattern, requests=0, answered=0, instances=0, threads_per_instance=0)


def measure_contestants(
    contestants: InvocationContestants,
    runtimes: list[Runtime],
    *,
    announce: Announce | None = None,
    quiet: Quiet = nullcontext,
    tell: Tell | None = None,
    warn: Callable[[str], None] | None = None,
) -> tuple[tuple[Evaluation, ...], RaceResult | None]:
    """Measure with each runtime; several contestants race. Needs the build folder's lock.

    ``warn`` hears of files that are not those that were built, before anything is measured.
    """
    plan = contestants.plan
    taking_part, refused = _entrants(contestants, runtimes)
    if warn is not None:
        for warning in dict.fromkeys(changed_warning(c) for c in taking_part if c.changed):
            warn(warning)
    if plan.load is not None:
        measured = _under_load(taking_part, contestants, tell, quiet)
    else:
        baseline = _wanted_baseline(plan, runtimes)
        measured = _in_turns(
            taking_part, contestants, baseline, announce=announce, tell=tell, quiet=quiet
        )
    order = [r.name for r in runtimes]
    outcomes = sorted([*measured, *refused], key=lambda o: order.index(o.evaluation.runtime))
    evaluations = tuple(_keep(outcome, contestants) for outcome in outcomes)
    if plan.load or (len(outcomes) < 2 and len(plan.precisions) < 2 and not plan.races):
        return evaluations, None
    return evaluations, _race(plan, runtimes, outcomes, evaluations)


def _entrants(
    contestants: InvocationContestants, runtimes: list[Runtime]
) -> tuple[list[Contestant], list[Outcome]]:
    """The contestants that can be measured, and what to say of the runtimes that cannot."""
    device = find_device(contestants.plan.device)
    taking_part: list[Contestant] = []
    refused: list[Outcome] = []
    for runtime in runtimes:
        try:
            taking_part += contestants.of(runtime)
        except TurnkeyError as error:  # such as that its ONNX file is damaged
            lost = [failed(device, runtime, str(error), place) for place in contestants.places]
            refused += map(Outcome, lost)
    return taking_part, refused


def _groups(contestants: list[Contestant]) -> list[list[Contestant]]:
    """Those that take turns, together; each one that measures by itself, alone."""
    in_turns = [c for c in contestants if not c.runtime.reports_itself]
    alone = [[c] for c in contestants if c.runtime.reports_itself]
    return [*([in_turns] if in_turns else []), *alone]


def _in_turns(
    taking_part: list[Contestant],
    contestants: InvocationContestants,
    baseline: str,
    *,
    announce: Announce | None,
    tell: Tell | None,
    quiet: Quiet,
) -> list[Outcome]:
    """What each of them does alone, or in turns with the others."""
    device = find_device(contestants.plan.device)
    measured: list[Outcome] = []
    for together in _groups(taking_part):
        measured += measure(
            together,
            rule_of(contestants.plan),
            device,
            contestants.threads,
            announce=announce,
            tell=tell,
            quiet=quiet,
            baseline=baseline,
            strict=contestants.plan.strict,
        )
    return measured


def _under_load(
    taking_part: list[Contestant],
    contestants: InvocationContestants,
    tell: Tell | None,
    quiet: Quiet,
) -> list[Outcome]:
    """What each of them does under the loads of the plan, one after the other."""
    plan, device = contestants.plan, find_device(contestants.plan.device)
    assert plan.load is not None
    measured: list[Outcome] = []
    for one in taking_part:
        measured += measure_loads(
            one, plan.load, rule_of(plan), device, contestants.threads, tell=tell, quiet=quiet
        )
    return measured


def _keep(outcome: Outcome, contestants: InvocationContestants) -> Evaluation:
    """Save an evaluation, completed with the build name and the parameters of the plan."""
    evaluation = replace(
        outcome.evaluation,
        build_name=contestants.folder.name,
        parameters=contestants.plan.parameters,
    )
    evaluation = with_token_times(evaluation, contestants.phase, contestants.tokens)
    if evaluation.performance is None or outcome.folder is None:
        return evaluation
    samples = samples_file(outcome.folder).relative_to(contestants.folder.path).as_posix()
    evaluation = replace(evaluation, samples_file=samples)
    save_evaluation(outcome.folder, outcome.sittings, evaluation)
    return evaluation


def _race(
    plan: Plan,
    runtimes: list[Runtime],
    outcomes: list[Outcome],
    evaluations: tuple[Evaluation, ...],
) -> RaceResult:
    """Who has won. A baseline that was asked for and could not be measured is mentioned."""
    in_turns = [o for o in outcomes if o.sittings and not _is_reported(o)]
    samples = {o.evaluation.label: [s.samples for s in o.sittings] for o in in_turns}
    baseline = _baseline(plan, runtimes, evaluations)
    race = judge(evaluations, samples, baseline, strict=plan.strict)
    chosen = [e for e in evaluations if e.label == baseline]
    if plan.baseline and not any(_answers_to(plan.baseline, e) for e in chosen):
        wanted = plan.baseline.replace(" ", "-")
        race = replace(race, verdict=f"{race.verdict} {wanted} could not be the baseline.")
    return race


def _is_reported(outcome: Outcome) -> bool:
    return any(sitting.samples.stopped == StopReason.SELF_REPORTED for sitting in outcome.sittings)


def _baseline(plan: Plan, runtimes: list[Runtime], evaluations: tuple[Evaluation, ...]) -> str:
    """The label of the baseline: the requested one, else the original model, else the first."""
    measured = [e for e in evaluations if e.ok] or list(evaluations)
    wanted = _wanted_baseline(plan, runtimes)
    for evaluation in measured:
        if _answers_to(wanted, evaluation):
            return evaluation.label
    return measured[0].label


def _wanted_baseline(plan: Plan, runtimes: list[Runtime]) -> str:
    """The one asked for, with or without its precision; else what runs the model as it is."""
    if plan.baseline:
        return plan.baseline.replace(" ", "-")
    live = sorted((r for r in runtimes if not r.measures_files), key=lambda r: not r.as_it_is)
    return live[0].name if live else ""


def _answers_to(wanted: str, evaluation: Evaluation) -> bool:
    one = evaluation
    return answers_to(wanted, one.runtime, one.python, one.precision, one.host)


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
