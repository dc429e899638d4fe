"""Measuring finished builds again: no script, no model, and no torch for ONNX builds."""

from __future__ import annotations

from turnkeyml import events
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import read_state
from turnkeyml.cache.stats import add_evaluation, evaluations_in, read_stats
from turnkeyml.errors import MeasureError
from turnkeyml.launch.evaluate import measure_build
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
    evaluations = []
    with folder.lock():
        earlier = {
            (e.get("device_type"), e.get("runtime")): e.get("status")
            for e in evaluations_in(read_stats(folder))
        }
        for name in plan.runtimes:
            if earlier.get((plan.device, name)) in SKIP[skip]:
                continue
            evaluation = _measure(folder, plan, find_runtime(name, plan.device))
            add_evaluation(folder, evaluation)
            evaluations.append(evaluation)
    return evaluations


def _measure(folder: BuildFolder, plan: Plan, runtime: Runtime) -> Evaluation:
    state = read_state(folder)
    try:
        if state is None or not state.succeeded:
            raise MeasureError("there is no finished build; run its script again")
        if not runtime.needs_onnx:
            raise MeasureError(f"{runtime.title} needs the live model; run its script again")
        if folder.file_sizes() != state.files:
            raise MeasureError("its files were removed or changed; run its script again")
        return measure_build(folder, state, plan, runtime, events.Sink())
    except MeasureError as error:
        return failed(find_device(plan.device), runtime, str(error))
