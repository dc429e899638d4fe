"""``benchmark_model`` and ``build_model``: evaluate a live model of the calling process."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.api.plan import plan_of
from turnkeyml.cache import BuildState, check_writable, load_state, safe_name
from turnkeyml.cache import build_name as name_build
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.nouns import InvocationResult, MeasuredPerformance, Plan
from turnkeyml.options import (
    BuildOptions,
    ModelOptions,
    PlanOptions,
    in_keywords,
    settle,
    takes,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from turnkeyml.build import Sequence


@takes(ModelOptions, only_python=True)
def benchmark_model(
    model: Any, inputs: Any, *, build_name: str | None = None, **options: Unpack[ModelOptions]
) -> MeasuredPerformance | None:
    """Build and measure one live model or ONNX file; its performance, or None with ``build_only``.

    ``inputs`` is a dict of keyword arguments, or a tuple or list of positional ones.
    """
    from turnkeyml.display import performance_lines, print_lines

    plan = plan_of(options)
    own = _CallersModel(model, inputs)
    result = own.evaluate(plan, options["sequence"], build_name, add_hash=True)
    if plan.build_only:
        return None
    evaluation = result.evaluations[0]
    if evaluation.performance is None:
        raise TurnkeyError(evaluation.reason or "The measurement failed.")
    lines = performance_lines(result.invocation.class_name, evaluation)
    print_lines(*map(_spoken, lines))
    return evaluation.measured_performance()


@takes(BuildOptions, only_python=True)
def build_model(
    model: Any,
    inputs: Any = None,
    *,
    build_name: str | None = None,
    monitor: bool | None = None,
    **options: Unpack[BuildOptions],
) -> BuildState:
    """Build one live model, or the ONNX file at a path; the state of its build.

    ``monitor`` is whether progress is shown; by default TURNKEY_BUILD_MONITOR decides.
    """
    plan = plan_of({**settle(PlanOptions, {}), **options}, build_only=True)
    own = _CallersModel(model, inputs, monitor)
    result = own.evaluate(plan, options["sequence"], build_name, add_hash=False)
    own.say(
        f"{result.invocation.build_name}: "
        f"{'loaded from the cache' if result.reused else 'successfully built'} "
        f"in {result.build_dir}"
    )
    return load_state(result.invocation.build_name, plan.cache_dir)


class _CallersModel:
    """A live model of the calling process with its inputs; evaluated in that process."""

    def __init__(self, model: Any, inputs: Any, monitor: bool | None = None) -> None:
        from turnkeyml.display import make_monitor

        is_file = isinstance(model, (str, os.PathLike))
        if inputs is None and not is_file:
            raise UsageError(
                "The model's inputs are missing; pass them, as the build needs their shapes."
            )
        inputs = () if inputs is None else inputs
        self._model = model
        self._kwargs: dict[str, Any] = {}
        self._args: tuple[Any, ...] = ()
        if hasattr(inputs, "keys"):
            self._kwargs = dict(inputs)
        elif isinstance(inputs, (tuple, list)):
            self._args = tuple(inputs)
        else:
            self._args = (inputs,)
        self._monitor = make_monitor(monitor)
        self.say = self._monitor.say

    def evaluate(
        self, plan: Plan, sequence: str | Sequence | None, build_name: str | None, add_hash: bool
    ) -> InvocationResult:
        """The result of carrying out the plan; a TurnkeyError if the build fails."""
        from turnkeyml.display import print_errors
        from turnkeyml.evaluate import evaluate
        from turnkeyml.frameworks import framework_of, frameworks
        from turnkeyml.nouns import Sink

        check_writable(Path(plan.cache_dir))
        framework = framework_of(self._model)
        if framework is None:
            *kinds, last = (f.model for f in frameworks())
            known = f"{', '.join(kinds)} or {last}"
            raise UsageError(f"The model must be {known}, not a {type(self._model).__name__}.")
        subject = framework.subject(self._model, self._args, self._kwargs)
        record = subject.record
        default = name_build(_script_name(), record.hash) if add_hash else _script_name()
        name = safe_name(build_name) if build_name else default
        subject.record = replace(record, build_name=name)
        result = evaluate(
            subject,
            plan,
            Sink(listener=lambda event: self._monitor.event(None, event)),
            None if isinstance(sequence, str) else sequence,
        )
        for remark in result.remarks:
            print_errors(f"Warning: {_spoken(remark)}")
        if result.failure or result.skipped:
            raise TurnkeyError(result.failure or f"The model was not built: {result.skipped}.")
        return result


def _spoken(text: str) -> str:
    """A message for those who call a function; ``--precision`` is for files only."""
    from turnkeyml.build import sequence_with

    text = text.replace("--precision fp32", f"--sequence {sequence_with(['fp32'])}")
    return in_keywords(text, ModelOptions)


def _script_name() -> str:
    """The name of the running script, the default name of builds."""
    path = getattr(sys.modules.get("__main__"), "__file__", None) or "interactive"
    return safe_name(Path(path).stem)
