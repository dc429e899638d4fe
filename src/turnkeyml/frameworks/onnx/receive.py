"""The stage that copies an ONNX file into a build."""

from __future__ import annotations

from turnkeyml.build import ONNX, Stage, Workbench, copy_model, opset_of
from turnkeyml.frameworks.onnx.subject import OnnxSubject


class ReceiveOnnx(Stage):
    """Copy an ONNX file into the build, including its external data."""

    name = "receive_onnx"
    message = "Receiving the ONNX file"
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        assert isinstance(bench.subject, OnnxSubject)
        source = bench.subject.path
        target = bench.work / f"{source.stem}.onnx"
        copy_model(source, target)
        bench.opset = bench.facts["onnx_opset"] = opset_of(target)
        bench.facts["precision"] = bench.subject.precision
        bench.facts["dimensions"] = bench.subject.chosen
        if bench.subject.file:
            bench.facts["inputs"] = bench.subject.file
        bench.artifacts[ONNX] = target
