"""ONNX Runtime on a GPU, with its CUDA provider."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.contract import Argument, Need, Request, Session, boolean
from turnkeyml.runtimes.gpu_runtime import GpuRuntime
from turnkeyml.runtimes.nvml import gpu_index

__all__ = ["Ort"]


class Ort(GpuRuntime):
    """Measures an ONNX file with the CUDA execution provider of ONNX Runtime."""

    name = "ort"
    title = "ONNX Runtime"
    default_sequence = "optimize-fp16"
    needs = (Need(module="onnxruntime", install="pip install onnxruntime-gpu"),)
    library = "onnxruntime"
    status_stats = ("CPU nodes",)
    arguments = (
        Argument(
            "cuda_graph",
            "true to run the model as one CUDA graph, which must have no nodes on the CPU",
            boolean,
            False,
        ),
        Argument("tf32", "true to let fp32 models round factors to TF32, or false", boolean, False),
    )

    def version(self) -> str:
        import onnxruntime

        return str(onnxruntime.__version__)

    def check(self) -> None:
        """Raise an error without a driver, a GPU, or the CUDA provider."""
        super().check()
        spec = find_spec("onnxruntime")
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent / "capi"
        if folder.is_dir() and not any(folder.glob("*onnxruntime_providers_cuda*")):
            raise MeasureError(
                "onnxruntime has no CUDA provider here; pip install onnxruntime-gpu."
            )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.ort_gpu_session import OrtGpuSession

        arguments = request.arguments
        return OrtGpuSession(
            request.model,
            request.threads,
            gpu_index(self.device),
            cuda_graph=bool(arguments.get("cuda_graph", False)),
            tf32=bool(arguments.get("tf32", False)),
        )
