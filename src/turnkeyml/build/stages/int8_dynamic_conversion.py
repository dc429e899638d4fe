"""The stage that converts an ONNX file to int8, with ranges measured at every run."""

from __future__ import annotations

from turnkeyml.build.int8 import quantize_dynamically
from turnkeyml.build.stage import CONVERTED_TO, ONNX, ONNX_FP32, BuildContext, Stage


class Int8DynamicConversion(Stage):
    """Quantize weights to int8; every run measures the ranges of its activations."""

    name = "int8_dynamic_conversion"
    message = "Converting to INT8 (dynamic)"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        source, target = bench.artifacts[ONNX], bench.work / bench.onnx_name("opt", "int8-dynamic")
        quantize_dynamically(source, target)
        bench.artifacts[ONNX_FP32] = source
        bench.facts |= {"precision": "int8", CONVERTED_TO: "int8"}
        bench.artifacts[ONNX] = target
