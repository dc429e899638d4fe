"""Checking an ONNX file of a build: run it with ONNX Runtime and compare it with the original."""

from __future__ import annotations

from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify.compare import compare
from turnkeyml.verify.reference import Reference

__all__ = ["check_onnx"]


def check_onnx(path: str, reference: Reference, precision: str, threads: int) -> Verification:
    """The verdict on an ONNX file, on the recorded inputs."""
    from turnkeyml.runtimes.ort_session import named_operator, run_once

    try:
        outputs = run_once(path, reference.inputs, threads)
    except Exception as error:  # noqa: BLE001 - whatever stops it, the verdict says so
        reason = f"ONNX Runtime cannot run it: {describe(error)}"
        operator = named_operator(error)
        return Verification(Verdict.NOT_CHECKED, Cause.CANNOT_RUN, reason, operator=operator)
    return compare(outputs, reference, precision)
