"""The stage that converts an ONNX file to float16."""

from __future__ import annotations

from turnkeyml.build.fp16.search import Conversion, Fp16Search
from turnkeyml.build.stage import ONNX, ONNX_FP32, WIDENED_FROM, BuildContext, Stage
from turnkeyml.nouns import Verdict


class Fp16Conversion(Stage):
    """Convert weights and operators to float16, including graph inputs and outputs.

    Operators that ONNX Runtime does not support in float16 stay in float32. While the result does
    not verify, the search keeps more in float32, one strategy after the other.
    """

    name = "fp16_conversion"
    message = "Converting to FP16"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        source, target = bench.artifacts[ONNX], bench.work / bench.onnx_name("opt", "f16")
        received = bench.received
        conversion = Conversion(
            source,
            target,
            bench.reference,
            bench.threads,
            source_is_trusted=received is None or received.trusted,
            may_specialise=bench.is_specialised,
            source_in_parts=received is not None and received.verdict is Verdict.IN_PARTS,
        )
        found = Fp16Search(conversion).run()
        if bench.facts.get("precision", "fp32") == "fp32" or WIDENED_FROM in bench.facts:
            bench.artifacts[ONNX_FP32] = source
        if str(found.kept):
            bench.facts["kept_in_fp32"] = str(found.kept)
        bench.facts["precision"] = "fp16"
        bench.verdicts[target.name] = bench.with_frozen(found.verdict)
        bench.artifacts[ONNX] = target
