"""Measure finished builds again, without the script and, for ONNX builds, without torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from turnkeyml.cache import (
    ABANDONED,
    BuildFolder,
    BuildState,
    LockTimeout,
    PhaseEnd,
    Work,
    add_evaluation,
    begin_work,
    close_work,
    end_held_work,
    evaluations_in,
    read_state,
    read_stats,
    teller,
)
from turnkeyml.evaluate.assignment import SKIP
from turnkeyml.evaluate.contestants import InvocationContestants
from turnkeyml.evaluate.measuring import measure_contestants, planned
from turnkeyml.measure import failed
from turnkeyml.nouns import HERE, TUNED, ContestantKey, Evaluation, Phase, Place, Plan, from_dict
from turnkeyml.runtimes import Runtime, find_device, find_runtime

Warn = Callable[[str], None]


def measure_again(
    folder: BuildFolder, plan: Plan, skip: str, warn: Warn | None = None
) -> list[Evaluation]:
    """Measure a build with every runtime of the plan that the policy does not skip.

    ``warn`` hears of files that are not those that were built, before they are measured.
    """
    try:
        return _measure_locked(folder, plan, skip, warn)
    except LockTimeout as error:  # the other builds are measured
        device = find_device(plan.device)
        runtimes = [find_runtime(name, plan.device) for name in plan.runtimes]
        places = plan.places or (HERE,)
        return [failed(device, r, str(error), place) for r in runtimes for place in places]


def _measure_locked(
    folder: BuildFolder, plan: Plan, skip: str, warn: Warn | None
) -> list[Evaluation]:
    evaluations: list[Evaluation] = []
    with folder.lock(on_wait=teller(warn)):
        end_held_work(folder, ABANDONED)
        before = evaluations_in(read_stats(folder))
        points = [e.get("parameters") or {} for e in before]
        points = [point for point in points if TUNED not in point]  # tuning repeats those
        distinct = [p for i, p in enumerate(points) if p not in points[:i]] or [{}]
        for point in distinct:  # the points of a sweep; one empty point without a sweep
            of_point = [
                e
                for e in before
                if (e.get("parameters") or {}) == point
                and bool(e.get("under_load")) == (plan.load is not None)
            ]
            there = replace(plan, parameters=point)
            evaluations += _measure_point(folder, there, skip, of_point, warn)
    return evaluations


def _measure_point(
    folder: BuildFolder, plan: Plan, skip: str, before: list[dict[str, Any]], warn: Warn | None
) -> list[Evaluation]:
    evaluations: list[Evaluation] = []
    state = read_state(folder)
    own = state.precisions[:1] if state is not None else []
    for (places, precisions), names in _left(plan, skip, before, tuple(own)).items():
        runtimes = [find_runtime(name, plan.device) for name in names]
        chosen = precisions if plan.precisions else ()
        there = replace(plan, places=places, precisions=chosen)
        measured = _measure(folder, there, runtimes, warn)
        for evaluation in measured:
            add_evaluation(folder, evaluation)
        close_work(folder)
        evaluations += measured
    return evaluations


Group = tuple[tuple[Place, ...], tuple[str, ...]]
"""Places, and the precisions to measure there."""


def _left(
    plan: Plan, skip: str, before: list[dict[str, Any]], own: tuple[str, ...]
) -> dict[Group, list[str]]:
    """The runtimes that the policy does not skip, by where and in which precisions they measure.

    ``own`` is the precision that is measured where the plan names none.
    """
    keys = [(ContestantKey.of({**e, "parameters": {}, "under_load": None}), e) for e in before]

    def is_skipped(name: str, place: Place, precision: str) -> bool:
        wanted = ContestantKey(plan.device, name, place.name, place.host_name, precision)
        earlier = [e.get("status") for key, e in keys if key.stands_for(wanted)]
        return bool(earlier) and earlier[-1] in SKIP[skip]

    left: dict[Group, list[str]] = {}
    for name in plan.runtimes:
        at: dict[tuple[Place, ...], list[str]] = {}
        for precision in plan.precisions or own or ("",):
            places = tuple(p for p in plan.places or (HERE,) if not is_skipped(name, p, precision))
            at.setdefault(places, []).append(precision)
        for places, precisions in at.items():
            if places:
                left.setdefault((places, tuple(precisions)), []).append(name)
    return left


def _measure(
    folder: BuildFolder, plan: Plan, runtimes: list[Runtime], warn: Warn | None
) -> tuple[Evaluation, ...]:
    state = read_state(folder)
    reason = None
    if state is None or not state.succeeded:
        why = state.obstacle if state is not None else "there is no state that can be read"
        reason = f"{why}; run its script again"
    elif not _can_be_judged(folder, state):
        reason = "its files were removed or changed; run its script again"
    if reason is not None:
        device = find_device(plan.device)
        return tuple(failed(device, r, reason, place) for r in runtimes for place in plan.places)
    decoder = from_dict(_Decoder, read_stats(folder))
    contestants = InvocationContestants(
        folder, plan, state, phase=decoder.phase, tokens=decoder.tokens
    )
    begin_work(folder, Work(evaluations=planned(folder, plan, runtimes)))
    try:
        evaluations, _ = measure_contestants(contestants, runtimes, warn=warn)
    except BaseException as error:
        end_held_work(folder, PhaseEnd.of(error))
        raise
    return evaluations


def _can_be_judged(folder: BuildFolder, state: BuildState) -> bool:
    """Whether no file is missing, and what the build is judged by is what it was.

    An ONNX file that was changed is measured, and judged by what it computes.
    """
    sizes = folder.file_sizes()
    judges = {name: size for name, size in state.files.items() if name.endswith(".npz")}
    return state.files.keys() <= sizes.keys() and judges.items() <= sizes.items()


@dataclass(frozen=True)
class _Decoder:
    """What the stats of a build say of its decoder."""

    phase: Phase | None = None
    tokens: int = 0
