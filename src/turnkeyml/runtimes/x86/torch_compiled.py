"""PyTorch 2 compiled by TorchInductor."""

from __future__ import annotations

import torch

from turnkeyml.runtimes.session import TorchRequest
from turnkeyml.runtimes.x86.torch_eager import LIBRARY, TorchSession, version

__all__ = ["LIBRARY", "open_session", "version"]


def open_session(request: TorchRequest) -> TorchSession:
    """Wrap a live model in torch.compile; its first run compiles it."""
    return TorchSession(torch.compile(request.model), request)
