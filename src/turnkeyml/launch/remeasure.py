"""Measuring finished builds again: no script, no model, and no torch for ONNX builds."""

from __future__ import annotations

from dataclasses import replace

from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import read_state
from turnkeyml.cache.stats import add_evaluation, evaluations_in, read_stats
from turnkeyml.launch.entrants import Entrants, measure_entrants
from turnkeyml.measure.record import failed
from turnkeyml.records import Evaluation, Plan
from turnkeyml.runtimes.registry import Runtime, find_device, find_runtime

__all__ = ["SKIP", "measure_again"]

SKIP: dict[str, frozenset[str]] = {
    "attempted": frozenset({"successful", "failed"}),
    "failed": frozenset({"failed"}),
    "successful": frozenset({"successful"}),
    "none": frozenset(),
}
"""For each policy, the outcomes of earlier measurements that are left as they are."""


def measure_again(folder: BuildFolder, plan: Plan, skip: str) -> list[Evaluation]:
    """Measure a build with every runtime of the plan that the policy does not skip."""
    with folder.lock():
        before = evaluations_in(read_stats(folder))
        earlier = {(e.get("device_type"), e.get("runtime")): e.get("status") for e in before}
        if before:  # measured again at the same point of a sweep, if it was part of one
            plan = replace(plan, parameters=before[-1].get("parameters") or {})
        names = [n for n in plan.runtimes if earlier.get((plan.device, n)) not in SKIP[skip]]
        if not names:
            return []
        runtimes = [find_runtime(name, plan.device) for name in names]
        evaluations = list(_measure(folder, plan, runtimes))
        for evaluation in evaluations:
            add_evaluation(folder, evaluation)
    return evaluations


def _measure(folder: BuildFolder, plan: Plan, runtimes: list[Runtime]) -> tuple[Evaluation, ...]:
    state = read_state(folder)
    reason = None
    if state is None or not state.succeeded:
        reason = "there is no finished build; run its script again"
    elif folder.file_sizes() != state.files:
        reason = "its files were removed or changed; run its script again"
    if reason is not None:
        return tuple(failed(find_device(plan.device), runtime, reason) for runtime in runtimes)
    evaluations, _ = measure_entrants(Entrants(folder, plan, state), runtimes)
    return evaluations
