"""What a runtime gives to whoever measures or verifies: one small interface for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OnnxRequest", "Session", "TorchRequest"]


class Session(Protocol):
    """A model that is loaded and ready to run again and again on the same inputs."""

    changes_inputs: bool
    """Whether a run changes its inputs, so that ``prepare`` is needed before the next."""

    settings: dict[str, Any]
    """How the runtime was set up, for the record."""

    def prepare(self) -> None:
        """Restore what a run may have changed; not part of the measured time."""

    def run(self) -> None:
        """One inference, finished when this returns."""

    def outputs(self) -> dict[str, np.ndarray]:
        """What one inference computes, by name and in order."""


@dataclass(frozen=True)
class OnnxRequest:
    """An ONNX file with its inputs, for runtimes that measure files."""

    model: str
    inputs: str
    threads: int
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TorchRequest:
    """A live model with its arguments, for runtimes that measure in the model's process."""

    model: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    threads: int
    arguments: dict[str, Any] = field(default_factory=dict)
