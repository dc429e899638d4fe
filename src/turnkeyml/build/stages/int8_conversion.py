"""The stage that converts an ONNX file to int8, with ranges measured in advance."""

from __future__ import annotations

from turnkeyml.build.int8 import quantize_statically
from turnkeyml.build.stage import CONVERTED_TO, ONNX, ONNX_FP32, BuildContext, Stage
from turnkeyml.verify import alike


class Int8Conversion(Stage):
    """Quantize weights and activations to int8.

    The ranges of the activations are those on the recorded inputs and on held-out inputs of the
    same magnitude.
    """

    name = "int8_conversion"
    message = "Converting to INT8"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        source, target = bench.artifacts[ONNX], bench.work / bench.onnx_name("opt", "int8")
        sets = alike(bench.reference)
        print(f"Ranges from {len(sets)} sets of inputs.", flush=True)
        quantize_statically(source, target, [known.inputs for known in sets])
        bench.artifacts[ONNX_FP32] = source
        bench.facts |= {"precision": "int8", CONVERTED_TO: "int8", "calibration_sets": len(sets)}
        bench.artifacts[ONNX] = target
