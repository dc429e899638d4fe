"""Verifying an ONNX file of a build: compare its outputs in ONNX Runtime with the original's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml.cache import widened
from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify import Outputs, Reference, compare, is_far, judge

if TYPE_CHECKING:
    from turnkeyml.build.submodules import Walk

SUBMODULES = "results of submodules match, and so do the outputs made from them"


def check_onnx(
    path: str,
    reference: Reference,
    precision: str,
    threads: int,
    *,
    may_specialise: bool = False,
) -> Verification:
    """The verdict on an ONNX file, on recorded and held-out inputs."""
    from turnkeyml.build.onnx_facts import output_operators
    from turnkeyml.runtimes import OrtSession, OrtSettings, named_operator

    try:
        session = OrtSession(path, OrtSettings(threads))
        if not reference.operators:  # the first file that is made: no stage has fused it yet
            reference.know(output_operators(Path(path)))

        def run(inputs: Outputs) -> Outputs:
            session.feed(inputs)
            session.run()
            return session.outputs()

        found = judge(run, reference, precision, may_specialise=may_specialise)
    except Exception as error:  # noqa: BLE001 - any failure becomes part of the verdict
        reason = f"ONNX Runtime cannot run it: {describe(error)}"
        operator = named_operator(error)
        return Verification(Verdict.NOT_CHECKED, Cause.CANNOT_RUN, reason, operator=operator)
    if reference.inner is None or not precision == reference.precision == "fp32":
        return found
    if found.cause is Cause.HELD_OUT:
        return _on_other_inputs(Path(path), reference, precision, threads, found)
    if found.verdict not in (Verdict.CLOSE, Verdict.MISMATCH):
        return found
    if not reference.is_informative:
        return _on_other_inputs(Path(path), reference, precision, threads, found)
    return _by_submodules(Path(path), reference, precision, threads, found)


def _on_other_inputs(
    path: Path, reference: Reference, precision: str, threads: int, whole: Verification
) -> Verification:
    """The verdict on a file that matches on the recorded inputs only: did it freeze a decision?

    On other inputs rounding may turn decisions of a right file. Then every submodule matches there.
    """
    from turnkeyml.build.submodules import walk

    values, parts = 0, None
    try:
        for known in (reference, *reference.held_out):
            if _matches(path, known, precision, threads):
                continue
            found = walk(path, known, precision, threads)
            print(f"By submodules, on other inputs: {found}", flush=True)
            if not found.arrived:
                return replace(whole, reason=f"{whole.reason}; {_where(found)}")
            values, parts = values + found.values, found.verdict
    except Exception as error:  # noqa: BLE001 - the verdict on the whole remains, and says why
        reason = f"{whole.reason}; the check of its submodules failed: {describe(error)}"
        return replace(whole, reason=reason)
    if parts is None:
        return whole
    reason = f"on other inputs {values} {SUBMODULES}; the whole is {whole.reason}"
    return replace(
        parts,
        verdict=Verdict.IN_PARTS,
        cause=Cause.IN_PARTS,
        reason=reason,
        held_out=len(reference.held_out),
    )


def _matches(path: Path, known: Reference, precision: str, threads: int) -> bool:
    """Whether a file matches as a whole on a set of inputs."""
    from turnkeyml.runtimes import run_once

    outputs = run_once(str(path), known.inputs, threads)
    pairs = zip(widened(outputs), widened(known.outputs), strict=False)
    if any(is_far(found, golden) for found, golden in pairs):
        return False
    return compare(outputs, known, precision).verdict is Verdict.MATCH


def _by_submodules(
    path: Path, reference: Reference, precision: str, threads: int, whole: Verification
) -> Verification:
    """The verdict on a file whose outputs differ: does every submodule match nevertheless?"""
    from turnkeyml.build.submodules import walk

    try:
        found = walk(path, reference, precision, threads)
        print(f"By submodules: {found}", flush=True)
        if not found.arrived:
            return replace(whole, reason=f"{whole.reason}; {_where(found)}")
        others = []
        for held in reference.held_out:
            others.append(walk(path, held, precision, threads))
            print(f"By submodules, on other inputs: {others[-1]}", flush=True)
    except Exception as error:  # noqa: BLE001 - the verdict on the whole remains, and says why
        reason = f"{whole.reason}; the check of its submodules failed: {describe(error)}"
        return replace(whole, reason=reason)
    held_out = sum(other.arrived for other in others)
    if held_out < len(others):
        wrong = next(other for other in others if not other.arrived)
        reason = f"every submodule matches on the recorded inputs; on others {_where(wrong)}"
        return replace(whole, cause=Cause.HELD_OUT, reason=reason)
    reason = f"{found.values} {SUBMODULES}; the whole is {whole.reason}"
    return replace(
        found.verdict,
        verdict=Verdict.IN_PARTS,
        cause=Cause.IN_PARTS,
        reason=reason,
        held_out=held_out,
    )


def _where(found: Walk) -> str:
    """Where the file departs from the original, as far as that is known."""
    after = f"after the submodule {found.last}" if found.last else "from its inputs on"
    return f"given the results of the original's submodules, it still differs {after}"
