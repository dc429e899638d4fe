"""The PyTorch framework: everything that depends on ``torch.nn.Module``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from turnkeyml.frameworks.framework import Framework

if TYPE_CHECKING:
    from turnkeyml.build import CapturedModel
    from turnkeyml.frameworks.register import Register

__all__ = ["FRAMEWORK"]


class PyTorch(Framework):
    """Discovers instances of ``torch.nn.Module``. Imports torch lazily."""

    name = "torch"
    model = "a torch.nn.Module"
    script_modules = ("turnkeyml.frameworks.torch.recorder",)
    build_modules = ("turnkeyml.frameworks.torch.export",)

    @contextlib.contextmanager
    def watching(self, register: Register, max_depth: int) -> Iterator[dict[str, str]]:
        from turnkeyml.frameworks.torch.recorder import TorchRecorder

        recorder = TorchRecorder(register, max_depth)
        with recorder.watching():
            yield recorder.remarks

    def use_threads(self, threads: int) -> None:
        import torch

        torch.set_num_threads(threads)

    def owns(self, model: Any) -> bool:
        torch = sys.modules.get("torch")
        return torch is not None and isinstance(model, torch.nn.Module)

    def subject(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CapturedModel:
        from turnkeyml.frameworks.torch.subject import subject_of

        return subject_of(model, args, kwargs)


FRAMEWORK = PyTorch()
