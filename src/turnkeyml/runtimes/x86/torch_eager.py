"""PyTorch in eager mode: the unchanged model, without gradients."""

from __future__ import annotations

from typing import Any, ClassVar

from turnkeyml.runtimes.contract import LiveModel, Need, Request, Runtime, Session

__all__ = ["TorchEager"]


class TorchEager(Runtime):
    """Measures a live PyTorch model by calling it."""

    name = "torch-eager"
    title = "PyTorch eager"
    artifact = "torch"
    needs: ClassVar[tuple[Need, ...]] = (Need(module="torch", install="pip install torch"),)
    library = "torch"
    as_it_is: ClassVar[bool] = True

    def version(self) -> str:
        import torch

        return str(torch.__version__)

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.torch_session import TorchSession

        assert request.live is not None
        return TorchSession(self.prepared(request.live), request)

    def prepared(self, live: LiveModel) -> Any:
        """The function that a run calls."""
        return live.function
