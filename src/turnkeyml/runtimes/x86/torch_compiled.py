"""PyTorch with torch.compile and its default backend, TorchInductor."""

from __future__ import annotations

from typing import Any

from turnkeyml.runtimes.contract import LiveModel, Need
from turnkeyml.runtimes.x86.torch_eager import TorchEager

__all__ = ["TorchCompiled"]


class TorchCompiled(TorchEager):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    name = "torch-compiled"
    title = "torch.compile"
    needs = (
        *TorchEager.needs,
        Need(programs=("g++", "clang++", "c++"), install="install a C++ compiler, such as g++"),
    )

    def prepared(self, live: LiveModel) -> Any:
        import torch

        return torch.compile(live.function)
