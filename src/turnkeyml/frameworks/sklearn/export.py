"""The stage that converts an estimator to ONNX.

The file is in fp32 first, as such models are deployed. If it does not predict what the original
does, because the original decides by digits that fp32 lacks, the stage converts to fp64.
"""

from __future__ import annotations

import traceback
from pathlib import Path

import onnx

from turnkeyml.build import MODEL, ONNX, Stage, Workbench, check_onnx, opset_of
from turnkeyml.errors import BuildError, describe
from turnkeyml.frameworks.sklearn.convert import convert, converter_of
from turnkeyml.frameworks.sklearn.graph import adapt
from turnkeyml.frameworks.sklearn.subject import SklearnSubject
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import Outputs


class ExportSklearn(Stage):
    """Convert to fp32, or to fp64 if that does not verify."""

    name = "export_sklearn"
    message = "Converting the estimator to ONNX"
    needs = frozenset({MODEL})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        assert isinstance(bench.subject, SklearnSubject)
        converter = converter_of(bench.model)
        attempts: list[_Attempt] = []
        for precision in ("fp32", "fp64") if converter == "skl2onnx" else ("fp32",):
            attempt = _Attempt(precision, bench, bench.subject)
            attempt.make()
            print(f"{converter} in {precision}: {attempt.outcome}", flush=True)
            attempts.append(attempt)
            if attempt.verification is not None and attempt.verification.trusted:
                break
        best = min(attempts, key=lambda a: a.rank)
        if best.verification is None:
            raise BuildError(f"{converter}: {best.outcome}")
        for other in attempts:
            if other is not best:
                other.path.unlink(missing_ok=True)
        bench.artifacts[ONNX] = best.path
        bench.verdicts[best.path.name] = best.verification
        bench.facts["exporter"] = converter
        bench.facts["exporter_reason"] = "; ".join(f"{a.precision} {a.outcome}" for a in attempts)
        bench.facts["precision"] = best.precision
        bench.facts["onnx_opset"] = opset_of(best.path)


class _Attempt:
    """One attempt to convert a model in one precision."""

    def __init__(self, precision: str, bench: Workbench, subject: SklearnSubject) -> None:
        self.precision = precision
        self.verification: Verification | None = None
        self.outcome = ""
        self._bench, self._subject = bench, subject
        self.path: Path = bench.work / bench.onnx_name("base", precision)

    @property
    def rank(self) -> int:
        return self.verification.verdict.rank if self.verification else len(Verdict)

    def make(self) -> None:
        """Convert and verify. A failure becomes the outcome of this attempt; it does not raise."""
        try:
            self._convert()
        except Exception as error:  # noqa: BLE001 - the other precision may do better
            traceback.print_exc()
            self.outcome = f"failed ({describe(error)})"
            return
        bench = self._bench
        self.verification = check_onnx(
            str(self.path), bench.reference, self.precision, bench.threads, may_specialise=True
        )
        self.outcome = f"{self.verification.verdict} ({self.verification.reason})"

    def _convert(self) -> None:
        from turnkeyml.runtimes import run_once

        subject, bench = self._subject, self._bench

        def run(model: onnx.ModelProto) -> Outputs:
            onnx.save(model, str(self.path))
            return run_once(str(self.path), subject.inputs, bench.threads)

        made = convert(subject.model, subject.layout, subject.inputs, self.precision, bench.opset)
        adapt(made, subject.inputs, bench.reference.outputs, run)
        onnx.save(made, str(self.path))
