"""TensorRT on NVIDIA GPUs: an ONNX file is compiled to an engine, which the cache keeps."""

from __future__ import annotations

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.contract import Argument, Need, Request, Session, boolean
from turnkeyml.runtimes.nvidia.nvml import gpu_index, require_gpu
from turnkeyml.runtimes.nvidia.runtime import GpuRuntime


def _mebibytes(text: str) -> int:
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def _level(text: str) -> int:
    if int(text) not in range(6):
        raise ValueError(text)
    return int(text)


class Trt(GpuRuntime):
    """Measures the engine that TensorRT compiles from an ONNX file."""

    name = "trt"
    title = "TensorRT"
    default_sequence = "optimize-fp16"
    needs = (
        Need(
            module="tensorrt", alternatives=("tensorrt_bindings",), install="pip install tensorrt"
        ),
    )
    library = "tensorrt"
    serves = True
    arguments = (
        Argument("workspace", "the MiB of GPU memory that a kernel may use", _mebibytes),
        Argument("builder_level", "the builder's optimization level, 0 to 5", _level),
        Argument("cuda_graph", "true to start a run as one CUDA graph, or false", boolean, False),
        Argument("tf32", "true to compute fp32 operators in TF32, or false", boolean, False),
        Argument(
            "tactic_sources", "none, or names of tactic sources, such as CUBLAS,CUDNN", str, ""
        ),
    )
    status_stats = ("engine",)

    def version(self) -> str:
        from turnkeyml.runtimes.tensorrt.library import load_tensorrt

        return str(load_tensorrt().__version__)

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.tensorrt.session import TrtSession

        number = gpu_index(self.device)
        return TrtSession(request, number, require_gpu(number))

    def check(self) -> None:
        """Raise an error if driver, GPU, CUDA runtime library or TensorRT's library is absent.

        Neither loads CUDA, as the process may fork, nor TensorRT if its library is easily found.
        """
        from turnkeyml.runtimes.nvidia import cuda

        super().check()
        if cuda.library_path() is None:
            raise MeasureError(
                f"the CUDA runtime library ({cuda.NAME}) is not installed; {cuda.INSTALL}."
            )
        if cuda.library_path("libnvinfer.so") is None:
            from turnkeyml.runtimes.tensorrt.library import load_tensorrt

            load_tensorrt()
