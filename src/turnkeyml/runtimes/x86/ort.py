"""ONNX Runtime on the CPU."""

from __future__ import annotations

from turnkeyml.runtimes.contract import Need, Request, Runtime, Session

__all__ = ["Ort"]


class Ort(Runtime):
    """Measures an ONNX file with the CPU execution provider of ONNX Runtime."""

    name = "ort"
    title = "ONNX Runtime"
    default_sequence = "optimize-fp32"
    needs = (Need(module="onnxruntime", install="pip install onnxruntime"),)
    casts = ("fp16",)
    library = "onnxruntime"

    def version(self) -> str:
        import onnxruntime

        return str(onnxruntime.__version__)

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.ort_session import OrtSession

        return OrtSession(request.model, request.threads)
