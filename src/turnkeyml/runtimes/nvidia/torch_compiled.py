"""PyTorch with torch.compile and its default backend, TorchInductor, on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from turnkeyml.errors import UsageError
from turnkeyml.runtimes.contract import Need, Request, Session
from turnkeyml.runtimes.nvidia.torch_eager import TorchEagerGpu
from turnkeyml.runtimes.nvml import gpu_index
from turnkeyml.runtimes.torch_runtime import CompiledTorch


class TorchCompiledGpu(CompiledTorch, TorchEagerGpu):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    name = "torch-compiled"
    needs = (
        *CompiledTorch.needs,
        Need(module="triton", install="pip install triton"),
        Need(programs=("gcc", "clang", "cc"), install="install a C compiler, such as gcc"),
    )

    def check_load(self, arguments: Mapping[str, Any], instances: int) -> None:
        """Raise a usage error for several instances: compiled models are not safe for threads
        (https://github.com/pytorch/pytorch/issues/136833)."""
        if instances > 1:
            raise UsageError(
                "PyTorch does not let several threads call a compiled model; measure "
                "torch-compiled with --instances 1."
            )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_gpu_session import CompiledGpuSession

        if request.instances is not None:
            request = replace(request, instances=1)
        return CompiledGpuSession(self.prepared, request, gpu_index(self.device))
