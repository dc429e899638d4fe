"""The import path of the stages that sequence files use."""

from turnkeyml.build.stages.fp16_conversion import Fp16Conversion
from turnkeyml.build.stages.optimize_onnx import OptimizeOnnx
from turnkeyml.build.stages.set_success import SetSuccess

__all__ = ["Fp16Conversion", "OptimizeOnnx", "SetSuccess"]
