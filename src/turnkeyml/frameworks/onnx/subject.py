"""An ONNX file together with input values for it."""

from __future__ import annotations

import functools
from pathlib import Path

from turnkeyml.build.fingerprint import file_digest
from turnkeyml.build.stage import Stage
from turnkeyml.build.subject import Subject
from turnkeyml.nouns import InvocationRecord
from turnkeyml.system.machine import usable_cores
from turnkeyml.verify.reference import Outputs, Reference, agree

__all__ = ["OnnxSubject"]

RUNS = 8
"""How often a file is run that does not repeat its results."""


class OnnxSubject(Subject):
    """An ONNX file as the subject of a build; by default the build contains it unchanged."""

    framework = "onnx"
    default_sequence = "onnx-fp32"
    cannot_run = (
        "ONNX Runtime cannot run the file on generated inputs (dynamic dimensions are set to 1)"
    )

    def __init__(self, record: InvocationRecord, path: Path, inputs: Outputs) -> None:
        super().__init__(record)
        self.path = path
        self.inputs = inputs

    @functools.cached_property
    def precision(self) -> str:
        from turnkeyml.build.precision import precision_of

        return precision_of(self.path)

    def key(self, opset: int) -> dict[str, str]:
        from turnkeyml.build import onnx_files

        return {"ONNX file": file_digest([self.path, *onnx_files.data_files(self.path)])}

    def compute_reference(self, threads: int) -> Reference:
        """Run the unchanged file with graph optimizations disabled."""
        from turnkeyml.runtimes.ort_session import OrtSession

        session = OrtSession(str(self.path), threads, level="none", prepacking=False)
        session.feed(self.inputs)

        def outputs() -> Outputs:
            session.run()
            return session.outputs()

        first, second = outputs(), outputs()
        if agree(first, second):
            return Reference(self.inputs, first, precision=self.precision)
        repeats = (second, *(outputs() for _ in range(2, RUNS)))
        return Reference(
            self.inputs, first, precision=self.precision, deterministic=False, repeats=repeats
        )

    def compute_on(self, inputs: Outputs) -> Reference:
        from turnkeyml.runtimes.ort_session import run_once

        outputs = run_once(str(self.path), inputs, usable_cores(), level="none", prepacking=False)
        return Reference(inputs, outputs, precision=self.precision)

    def receiving_stage(self) -> Stage:
        from turnkeyml.frameworks.onnx.receive import ReceiveOnnx

        return ReceiveOnnx()
