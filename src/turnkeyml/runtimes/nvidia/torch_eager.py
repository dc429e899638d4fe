"""PyTorch in eager mode on a GPU: the live model is moved there for as long as it is measured."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.contract import Request, Session
from turnkeyml.runtimes.gpu_runtime import GpuRuntime
from turnkeyml.runtimes.nvml import gpu_index
from turnkeyml.runtimes.torch_runtime import EagerTorch


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
        from turnkeyml.runtimes.torch_gpu_session import GpuSession

        return GpuSession(self.prepared, request, gpu_index(self.device))


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
