"""PyTorch with torch.compile and its default backend, TorchInductor."""

from __future__ import annotations

from typing import Any

from turnkeyml.runtimes.contract import LiveModel, Need, Request, Session
from turnkeyml.runtimes.x86.torch_eager import TorchEager

__all__ = ["TorchCompiled"]


class TorchCompiled(TorchEager):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    name = "torch-compiled"
    title = "torch.compile"
    as_it_is = False
    needs = (
        *TorchEager.needs,
        Need(programs=("g++", "clang++", "c++"), install="install a C++ compiler, such as g++"),
    )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_session import CompiledSession

        assert request.live is not None
        return CompiledSession(self.prepared(request.live), request)

    def prepared(self, live: LiveModel) -> Any:
        import torch

        return torch.compile(live.function)
