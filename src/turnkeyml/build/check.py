"""Verifying an ONNX file of a build: compare its outputs in ONNX Runtime with the original's."""

from __future__ import annotations

from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify.judge import judge
from turnkeyml.verify.reference import Outputs, Reference

__all__ = ["check_onnx"]


def check_onnx(
    path: str,
    reference: Reference,
    precision: str,
    threads: int,
    *,
    may_specialise: bool = False,
) -> Verification:
    """The verdict on an ONNX file, on recorded and held-out inputs."""
    from turnkeyml.runtimes.ort_session import OrtSession, named_operator

    try:
        session = OrtSession(path, threads)

        def run(inputs: Outputs) -> Outputs:
            session.feed(inputs)
            session.run()
            return session.outputs()

        return judge(run, reference, precision, may_specialise=may_specialise)
    except Exception as error:  # noqa: BLE001 - any failure becomes part of the verdict
        reason = f"ONNX Runtime cannot run it: {describe(error)}"
        operator = named_operator(error)
        return Verification(Verdict.NOT_CHECKED, Cause.CANNOT_RUN, reason, operator=operator)
