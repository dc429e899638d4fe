"""PyTorch in eager mode on a GPU: the live model is moved there for as long as it is measured."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.contract import LiveModel, Monitor, Need, Request, Runtime, Session
from turnkeyml.runtimes.nvml import NvmlMonitor, find_gpu, gpu_index, require_gpu

__all__ = ["TorchEager"]


class TorchEager(Runtime):
    """Measures a live PyTorch model by calling it, in its own precision or cast to another."""

    name = "torch-eager"
    title = "PyTorch eager"
    artifact = "torch"
    needs: ClassVar[tuple[Need, ...]] = (Need(module="torch", install="pip install torch"),)
    library = "torch"
    as_it_is: ClassVar[bool] = True
    casts_live_to = ("fp16", "bf16")

    def version(self) -> str:
        import torch

        return str(torch.__version__)

    def require(self) -> None:
        """Raise an error if anything is missing, the driver first."""
        self.require_ready()

    def check(self) -> None:
        """Raise an error without a driver, a GPU, or a PyTorch that is built for it.

        It does not import torch, as a process that has asked CUDA anything cannot fork any more.
        """
        require_gpu(gpu_index(self.device))
        for need in self.missing():
            raise MeasureError(f"it needs {need}, which is not installed.")
        if not _has_cuda():
            raise MeasureError(
                "this PyTorch is built without CUDA; install one that is, as "
                "https://pytorch.org/get-started says."
            )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_gpu_session import GpuSession

        return GpuSession(self.prepared, request, gpu_index(self.device))

    def prepared(self, live: LiveModel) -> Any:
        """The function that a run calls."""
        return live.function

    def monitor(self) -> Monitor | None:
        gpu = find_gpu(gpu_index(self.device))
        return None if gpu is None else NvmlMonitor(gpu)


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
