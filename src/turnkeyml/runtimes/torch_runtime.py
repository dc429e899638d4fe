"""What the PyTorch runtimes declare on every device; a device adds name and session."""

from __future__ import annotations

from typing import Any, ClassVar

from turnkeyml.runtimes.contract import LiveModel, Need, Runtime


class EagerTorch(Runtime):
    """Measures a live PyTorch model by calling it."""

    title = "PyTorch eager"
    artifact = "torch"
    needs: ClassVar[tuple[Need, ...]] = (Need(module="torch", install="pip install torch"),)
    library = "torch"
    as_it_is: ClassVar[bool] = True

    def version(self) -> str:
        import torch

        return str(torch.__version__)

    def prepared(self, live: LiveModel) -> Any:
        """The function that a run calls."""
        return live.function


class CompiledTorch(EagerTorch):
    """Measures a live PyTorch model through torch.compile; the first run compiles it."""

    title = "torch.compile"
    as_it_is = False

    def prepared(self, live: LiveModel) -> Any:
        import torch

        return torch.compile(live.function)
