"""What all runtimes of NVIDIA GPUs share: they look for the driver before anything else."""

from __future__ import annotations

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.contract import Monitor, Request, Runtime
from turnkeyml.runtimes.nvidia import DEVICE
from turnkeyml.runtimes.nvidia.nvml import NvmlMonitor, find_gpu, gpu_index, require_gpu

INSTANCES = 2
"""Requests that a GPU executes at the same time, unless the user says how many: one computes while
the other's inputs and outputs are copied."""


def instances_of(request: Request) -> int:
    """How many requests are executed at the same time."""
    return 1 if request.instances is None else request.instances or INSTANCES


class GpuRuntime(Runtime):
    """A runtime that needs a driver and a GPU before its libraries are of any use."""

    device = DEVICE.name

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
