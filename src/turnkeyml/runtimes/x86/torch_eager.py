"""PyTorch in eager mode: the unchanged model, without gradients."""

from __future__ import annotations

from turnkeyml.runtimes.contract import Request, Session
from turnkeyml.runtimes.torch_runtime import EagerTorch


class TorchEager(EagerTorch):
    """Measures a live PyTorch model by calling it."""

    name = "torch-eager"
    serves = True

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_session import TorchSession

        assert request.live is not None
        return TorchSession(self.prepared(request.live), request)
