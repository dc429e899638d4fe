"""Which contestants there are for an invocation: its runtimes, and the precisions asked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml.build.stage import ONNX, ONNX_FP32
from turnkeyml.cache.layout import BuildFolder, safe_name
from turnkeyml.cache.state import BuildState
from turnkeyml.errors import MeasureError
from turnkeyml.evaluate.contest import File, Live, Machine, Outcome, hold
from turnkeyml.evaluate.rerun import RerunRequest
from turnkeyml.measure import rules
from turnkeyml.measure.race import judge
from turnkeyml.measure.record import SAMPLES, failed, save_evaluation
from turnkeyml.measure.rules import Rule
from turnkeyml.measure.spawn import Worker
from turnkeyml.nouns import Evaluation, Plan, RaceResult, Verification
from turnkeyml.runtimes.registry import Runtime, find_device
from turnkeyml.runtimes.session import OnnxRequest, TorchRequest
from turnkeyml.system import machine

if TYPE_CHECKING:
    from turnkeyml.build.subject import Subject

__all__ = ["Entrants", "measure_entrants", "rule_of", "sequence_for"]

RULES = {rule.name: rule for rule in (rules.DEFAULT, rules.QUICK, rules.RIGOROUS)}


def rule_of(plan: Plan) -> Rule:
    """How long the plan wants to measure."""
    return RULES[plan.rule] if plan.iterations is None else Rule.exactly(plan.iterations)


def sequence_for(precisions: tuple[str, ...], cached: BuildState | None) -> str:
    """The build that has a file of each precision; the one in the cache, if it has."""
    if "fp16" in precisions or (cached is not None and ONNX_FP32 in cached.artifacts):
        return "optimize-fp16"
    return "optimize-fp32"


@dataclass(frozen=True)
class Entrants:
    """An invocation with all that contestants can be made of."""

    folder: BuildFolder
    plan: Plan
    state: BuildState | None
    subject: Subject | None = None

    @property
    def threads(self) -> int:
        return self.plan.threads or machine.usable_cores()

    def of(self, runtime: Runtime) -> list[File | Live]:
        """What a runtime can measure here; an error in words where it is nothing."""
        if not runtime.needs_onnx:
            return [self._live(runtime)]
        if self.state is None or ONNX not in self.state.artifacts:
            raise MeasureError(f"{runtime.title} needs an ONNX file, and the sequence made none.")
        return [self._file(runtime, precision) for precision in self._precisions()]

    def _precisions(self) -> list[str]:
        """Those that were asked for and that there are; that of the build where it is none."""
        there = [p for p in dict.fromkeys(self.plan.precisions) if self._kind(p)]
        return there or [self._own_precision()]

    def missing_precisions(self) -> list[str]:
        """Those that were asked for and that a model in another precision cannot have."""
        built = self.state is not None and ONNX in self.state.artifacts
        return [p for p in self.plan.precisions if not self._kind(p)] if built else []

    def _own_precision(self) -> str:
        assert self.state is not None
        return str(self.state.facts.get("precision", "fp32"))

    def _kind(self, precision: str) -> str | None:
        """The name of the artifact of a precision."""
        assert self.state is not None
        kind = ONNX if precision == self._own_precision() else f"{ONNX}_{precision}"
        return kind if kind in self.state.artifacts else None

    def _file(self, runtime: Runtime, precision: str) -> File:
        assert self.state is not None
        kind = self._kind(precision)
        assert kind is not None
        is_own = kind == ONNX
        artifact = self.state.artifacts[kind]
        request = OnnxRequest(
            model=str(self.folder.path / artifact),
            inputs=str(self.folder.inputs),
            threads=self.threads,
            arguments=self.plan.rt_args,
        )
        return File(
            runtime=runtime,
            precision=precision,
            folder=self._benchmark(runtime, "" if is_own else precision),
            request=request,
            artifact=artifact,
            sha256=self.state.facts.get("sha256", {}).get(kind),
            verification=self.state.verification if is_own else self._verify(request, precision),
        )

    def _verify(self, request: OnnxRequest, precision: str) -> Verification | None:
        """The verdict on a file that is not the build's last, which has one already."""
        if self.subject is None:
            return None
        from turnkeyml.verify.compare import verify_onnx

        reference = self.subject.reference(self.threads)
        return verify_onnx(request.model, reference, precision, self.threads)

    def _live(self, runtime: Runtime) -> Live:
        subject, plan = self.subject, self.plan
        if subject is None:
            raise MeasureError(f"{runtime.title} needs the live model; run its script again.")
        if subject.model is None:
            raise MeasureError(f"{runtime.title} needs a PyTorch model; this is an ONNX file.")
        from turnkeyml.frameworks.torch.export import precision_of

        folder = self._benchmark(runtime)
        request = TorchRequest(
            subject.model, subject.args, subject.kwargs, self.threads, plan.rt_args
        )
        rerun = self._rerun(runtime, subject, folder) if subject.script else None
        return Live(runtime, precision_of(subject.model), folder, subject, request, rerun)

    def _rerun(self, runtime: Runtime, subject: Subject, folder: Path) -> Callable[[], Worker]:
        assert subject.script is not None
        request = RerunRequest(
            script=subject.script,
            script_args=self.plan.script_args,
            max_depth=self.plan.max_depth,
            hash=subject.record.hash,
            device=self.plan.device,
            runtime=runtime.name,
            threads=self.threads,
            arguments=self.plan.rt_args,
        )
        return lambda: Worker("turnkeyml.evaluate.rerun", request, folder, runtime.name)

    def _benchmark(self, runtime: Runtime, precision: str = "") -> Path:
        name = f"{runtime.name}-{precision}" if precision else runtime.name
        point = ",".join(f"{key}={value}" for key, value in self.plan.parameters.items())
        return self.folder.benchmark(
            self.plan.device, safe_name(f"{name}@{point}") if point else name
        )


def measure_entrants(
    entrants: Entrants,
    runtimes: list[Runtime],
    announce: Callable[[float], None] | None = None,
    machine: Machine = nullcontext,
) -> tuple[tuple[Evaluation, ...], RaceResult | None]:
    """Measure with each runtime; several contestants race. Needs the build folder's lock."""
    plan, device = entrants.plan, find_device(entrants.plan.device)
    contestants: list[File | Live] = []
    refused: list[Outcome] = []
    for runtime in runtimes:
        try:
            contestants += entrants.of(runtime)
        except MeasureError as error:
            refused.append(Outcome(failed(device, runtime, str(error))))
    held = hold(
        contestants, rule_of(plan), device, entrants.threads, announce=announce, machine=machine
    )
    order = [r.name for r in runtimes]
    outcomes = sorted([*held, *refused], key=lambda o: order.index(o.evaluation.runtime))
    evaluations = tuple(_keep(outcome, entrants) for outcome in outcomes)
    if len(outcomes) < 2 and not plan.precisions:
        return evaluations, None
    measured = {o.evaluation.label: [s.samples for s in o.sittings] for o in outcomes if o.sittings}
    baseline = _baseline(plan, evaluations)
    race = judge(evaluations, measured, baseline)
    wanted = plan.baseline.replace(" ", "-") if plan.baseline else None
    if wanted and wanted not in (baseline.replace(" ", "-"), baseline.split()[0]):
        race = replace(race, verdict=f"{race.verdict} {wanted} could not be the baseline.")
    return evaluations, race


def _keep(outcome: Outcome, entrants: Entrants) -> Evaluation:
    """Save what was measured, with what only the build and the plan know."""
    evaluation = replace(outcome.evaluation, parameters=entrants.plan.parameters)
    if evaluation.performance is None or outcome.folder is None:
        return evaluation
    samples = (outcome.folder / SAMPLES).relative_to(entrants.folder.path).as_posix()
    performance = replace(evaluation.performance, build_name=entrants.folder.name)
    evaluation = replace(evaluation, performance=performance, samples_file=samples)
    save_evaluation(outcome.folder, outcome.sittings, evaluation)
    return evaluation


def _baseline(plan: Plan, evaluations: tuple[Evaluation, ...]) -> str:
    """The label of what the others are compared with: the one asked for, else eager PyTorch."""
    measured = [e for e in evaluations if e.ok] or list(evaluations)
    wanted = (plan.baseline or "torch-eager").replace(" ", "-")
    for evaluation in measured:
        if wanted in (evaluation.runtime, evaluation.label.replace(" ", "-")):
            return evaluation.label
    return measured[0].label
