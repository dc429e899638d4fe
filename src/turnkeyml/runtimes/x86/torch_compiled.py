"""PyTorch with torch.compile and its default backend, TorchInductor."""

from __future__ import annotations

from turnkeyml.runtimes.contract import Need, Request, Session
from turnkeyml.runtimes.torch_runtime import CompiledTorch


class TorchCompiled(CompiledTorch):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    name = "torch-compiled"
    needs = (
        *CompiledTorch.needs,
        Need(programs=("g++", "clang++", "c++"), install="install a C++ compiler, such as g++"),
    )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_session import CompiledSession

        assert request.live is not None
        return CompiledSession(self.prepared(request.live), request)
