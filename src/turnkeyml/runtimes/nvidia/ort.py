"""ONNX Runtime on a GPU, with its CUDA provider."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes.contract import Argument, Need, Request, Session, boolean
from turnkeyml.runtimes.gpu_runtime import GpuRuntime, instances_of
from turnkeyml.runtimes.nvml import gpu_index


class OrtGpu(GpuRuntime):
    """Measures an ONNX file with the CUDA execution provider of ONNX Runtime."""

    name = "ort"
    title = "ONNX Runtime"
    default_sequence = "optimize-fp16"
    needs = (Need(module="onnxruntime", install="pip install onnxruntime-gpu"),)
    library = "onnxruntime"
    serves = True
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

    def check_load(self, arguments: Mapping[str, Any], instances: int) -> None:
        """Raise a usage error for CUDA graphs, which belong to the thread that captured them."""
        if arguments.get("cuda_graph"):
            raise UsageError(
                "ONNX Runtime does not let several threads run CUDA graphs; leave out cuda_graph "
                "under load."
            )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.ort_gpu_session import OrtGpuSession

        arguments = request.arguments
        return OrtGpuSession(
            request.model,
            max(1, request.threads // instances_of(request)),
            gpu_index(self.device),
            cuda_graph=bool(arguments.get("cuda_graph", False)),
            tf32=bool(arguments.get("tf32", False)),
            instances=None if request.instances is None else instances_of(request),
        )
