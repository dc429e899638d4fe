"""PyTorch, eager: the model as the script made it, without gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.cache.arrays import to_numpy
from turnkeyml.runtimes.session import TorchRequest

__all__ = ["LIBRARY", "TorchSession", "open_session", "version"]

LIBRARY = "torch"


def version() -> str:
    """The version of the installed PyTorch."""
    return str(torch.__version__)


def open_session(request: TorchRequest) -> TorchSession:
    """Make a live model ready for measuring."""
    return TorchSession(request.model, request)


class TorchSession:
    """A callable model with its recorded arguments, which a run may use up."""

    def __init__(self, function: Callable[..., Any], request: TorchRequest) -> None:
        torch.set_num_threads(request.threads)
        self._function = function
        self._pristine = (request.args, request.kwargs)
        self._renew_arguments()
        self.changes_inputs = False
        self.settings: dict[str, Any] = {
            "num_threads": torch.get_num_threads(),
            "gradients": False,
            "matmul_precision": torch.get_float32_matmul_precision(),
        }

    def prepare(self) -> None:
        """Give the next run fresh arguments, if runs of this model change theirs."""
        if self.changes_inputs:
            self._renew_arguments()

    def run(self) -> None:
        with torch.no_grad():
            self._function(*self._args, **self._kwargs)

    def outputs(self) -> dict[str, np.ndarray]:
        self._renew_arguments()
        before = _versions((self._args, self._kwargs))
        with torch.no_grad():
            result = self._function(*self._args, **self._kwargs)
        if _versions((self._args, self._kwargs)) != before:
            self.changes_inputs = True
        return dict(to_numpy(n, t) for n, t in structure.leaves(result, "output").items())

    def _renew_arguments(self) -> None:
        self._args, self._kwargs = structure.clone(self._pristine)


def _versions(value: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """Changes whenever a tensor in the value is written to, replaced or added."""
    tensors = structure.leaves(value).values()
    return [(id(t), getattr(t, "_version", 0), tuple(t.shape)) for t in tensors]
