"""PyTorch with torch.compile and its default backend, TorchInductor, on a GPU."""

from __future__ import annotations

from turnkeyml.runtimes.contract import Need, Request, Session
from turnkeyml.runtimes.nvidia.torch_eager import TorchEager
from turnkeyml.runtimes.nvml import gpu_index
from turnkeyml.runtimes.torch_runtime import CompiledTorch

__all__ = ["TorchCompiled"]


class TorchCompiled(CompiledTorch, TorchEager):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    name = "torch-compiled"
    needs = (
        *CompiledTorch.needs,
        Need(module="triton", install="pip install triton"),
        Need(programs=("gcc", "clang", "cc"), install="install a C compiler, such as gcc"),
    )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_gpu_session import CompiledGpuSession

        return CompiledGpuSession(self.prepared, request, gpu_index(self.device))
