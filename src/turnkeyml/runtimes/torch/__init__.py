"""PyTorch on CPUs and NVIDIA GPUs: live models, called as they are or through torch.compile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes import x86
from turnkeyml.runtimes.contract import LiveModel, Need, Request, Runtime, Session
from turnkeyml.runtimes.nvidia.nvml import gpu_index
from turnkeyml.runtimes.nvidia.runtime import GpuRuntime


class EagerTorch(Runtime):
    """Measures a live PyTorch model by calling it."""

    title = "PyTorch eager"
    artifact = "torch"
    needs: ClassVar[tuple[Need, ...]] = (Need(module="torch", install="pip install torch"),)
    library = "torch"
    as_it_is: ClassVar[bool] = True

    def version(self) -> str:
        import torch

        return str(torch.__version__)

    def prepared(self, live: LiveModel) -> Any:
        """The function that a run calls."""
        return live.function


class CompiledTorch(EagerTorch):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    title = "torch.compile"
    as_it_is = False

    def prepared(self, live: LiveModel) -> Any:
        import torch

        return torch.compile(live.function)


class TorchEager(EagerTorch):
    """Measures a live PyTorch model by calling it."""

    name = "torch-eager"
    device = x86.DEVICE.name
    serves = True

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch.session import TorchSession

        assert request.live is not None
        return TorchSession(self.prepared(request.live), request)


class TorchCompiled(CompiledTorch):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    name = "torch-compiled"
    device = x86.DEVICE.name
    needs = (
        *CompiledTorch.needs,
        Need(programs=("g++", "clang++", "c++"), install="install a C++ compiler, such as g++"),
    )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch.session import CompiledSession

        assert request.live is not None
        return CompiledSession(self.prepared(request.live), request)


class TorchEagerGpu(GpuRuntime, EagerTorch):
    """Measures a live PyTorch model by calling it, in its own precision or cast to another."""

    name = "torch-eager"
    casts_live_to = ("fp16", "bf16")
    serves = True

    def check(self) -> None:
        """Raise an error without a driver, a GPU, or a PyTorch that is built for it."""
        super().check()
        if not _has_cuda():
            raise MeasureError(
                "this PyTorch is built without CUDA; install one that is, as "
                "https://pytorch.org/get-started says."
            )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch.gpu_session import GpuSession

        return GpuSession(self.prepared, request, gpu_index(self.device))


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
        from turnkeyml.runtimes.torch.gpu_session import CompiledGpuSession

        if request.instances is not None:
            request = replace(request, instances=1)
        return CompiledGpuSession(self.prepared, request, gpu_index(self.device))


def _has_cuda() -> bool:
    """Whether the installed PyTorch is built with CUDA, from the file with its version."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return False
    try:
        text = (Path(spec.origin).parent / "version.py").read_text(encoding="utf-8")
    except OSError:
        return True  # whoever has built it without that file will hear it from torch
    found = re.search(r"^cuda\b[^=]*=\s*(.+)$", text, re.M)
    return found is None or found[1].strip() != "None"
