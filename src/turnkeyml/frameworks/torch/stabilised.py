"""Verifying an export with other weights, where those of the model amplify rounding.

An export of a copy with stable weights, by the same exporter, can be compared with that copy. Its
verdict holds for the export itself if both are the same graph and have weights that follow from
each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from turnkeyml.build import Rescaling, Workbench, check_onnx, difference
from turnkeyml.errors import describe
from turnkeyml.frameworks.torch.stable import STEPS, stable_copy
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify import Outputs, Reference, compare

Export = Callable[[Workbench], Path]


def judge_stable(found: Verification, path: Path, bench: Workbench, export: Export) -> Verification:
    """The verdict on an export, with stable weights if the original amplifies rounding.

    It costs as much as the export and its verification did, and an original that is too large to be
    run in fp64 is not known to amplify rounding. So it is the size of the model that bounds it.
    """
    if bench.subject.precision != "fp32" or _stability(bench.reference) in (None, Verdict.MATCH):
        return found
    try:
        twin, rescalings = _stable_twin(bench)
        exported = export(twin)
        other = difference(path, exported, rescalings)
        if other is not None:
            return replace(found, reason=f"{found.reason}; stable weights prove nothing: {other}")
        seen = check_onnx(str(exported), twin.reference, "fp32", bench.threads, may_specialise=True)
    except Exception as error:  # noqa: BLE001 - the verdict on the export remains, and says why
        reason = f"{found.reason}; the check with stable weights failed: {describe(error)}"
        return replace(found, reason=reason)
    print(f"With stable weights: {seen.verdict} ({seen.reason})", flush=True)
    return _concluded(found, seen)


def _stability(reference: Reference) -> Verdict | None:
    """How well the original agrees with itself in fp64; None if that is not known."""
    exact = reference.in_precision("fp64") if reference.deterministic else None
    if exact is None:
        return None
    return compare(reference.outputs, Reference(reference.inputs, exact), "fp32").verdict


def _stable_twin(bench: Workbench) -> tuple[Workbench, Sequence[Rescaling]]:
    """The build of a copy with stable weights, from its reference on, and what changed in it."""
    for layers in STEPS:
        stable = stable_copy(bench.model, bench.args, bench.kwargs, layers)
        if stable is None:
            continue
        twin = _with_model(bench, stable.model)
        stability = _stability(twin.reference)
        changed = f"With {len(stable.rescalings)} modules rescaled"
        says = _says_as_much(twin.reference.outputs, bench.reference.outputs)
        empty = "" if says else ", with nothing to compare"
        print(f"{changed}: {stability} to itself in fp64{empty}", flush=True)
        if stability in (Verdict.MATCH, Verdict.CLOSE) and says:
            return twin, stable.rescalings
    raise ValueError("no weights were found at which the original does not amplify rounding")


def _says_as_much(outputs: Outputs, original: Outputs) -> bool:
    """Whether every output has something to compare, if it had that in the original.

    A detector that finds nothing matches any other that finds nothing.
    """
    pairs = zip(outputs.values(), original.values(), strict=False)
    return len(outputs) == len(original) and all(
        _varies(found) or not _varies(golden) for found, golden in pairs
    )


def _varies(array: np.ndarray) -> bool:
    return array.size > 0 and (array.size == 1 or bool(np.any(array != array.flat[0])))


def _with_model(bench: Workbench, model: object) -> Workbench:
    """The same build of another model, from its reference on."""
    subject = TorchSubject(bench.subject.record, model, bench.args, bench.kwargs)  # type: ignore[arg-type]
    return replace(bench, subject=subject, reference=subject.reference(bench.threads))


def _concluded(found: Verification, seen: Verification) -> Verification:
    """The verdict on an export whose twin with stable weights got a verdict."""
    if seen.trusted or seen.verdict is Verdict.SPECIALISED:
        parts = Verdict.IN_PARTS if seen.trusted else seen.verdict
        reason = f"with stable weights {seen.reason}; with its own {found.reason}"
        cause = Cause.STABLE_WEIGHTS if seen.trusted else seen.cause
        return replace(seen, verdict=parts, cause=cause, reason=reason, stable_weights=True)
    if seen.cause is Cause.ORIGINAL_UNSTABLE:
        return replace(found, reason=f"{found.reason}; stable weights amplify it too")
    reason = f"{found.reason}; with stable weights {seen.reason}"
    return replace(seen, reason=reason, stable_weights=True)
