"""What all runtimes of NVIDIA GPUs share: they look for the driver before anything else."""

from __future__ import annotations

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.contract import Monitor, Runtime
from turnkeyml.runtimes.nvml import NvmlMonitor, find_gpu, gpu_index, require_gpu

__all__ = ["GpuRuntime"]


class GpuRuntime(Runtime):
    """A runtime that needs a driver and a GPU before its libraries are of any use."""

    def require(self) -> None:
        """Raise an error if anything is missing, the driver first."""
        self.require_ready()

    def check_device(self) -> None:
        """Raise an error without a driver or a GPU."""
        require_gpu(gpu_index(self.device))

    def check(self) -> None:
        """Raise an error without a driver, a GPU, or a library; a subclass adds what it needs.

        It does not load CUDA, as a process that has asked CUDA anything cannot fork any more.
        """
        self.check_device()
        for need in self.missing():
            raise MeasureError(f"it needs {need}, which is not installed.")

    def monitor(self) -> Monitor | None:
        gpu = find_gpu(gpu_index(self.device))
        return None if gpu is None else NvmlMonitor(gpu)
