"""What is to be built: an invocation with the model that belongs to it, whatever its framework."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from turnkeyml.errors import describe
from turnkeyml.verify.draw import VARIANTS, draw
from turnkeyml.verify.reference import Outputs, Reference

if TYPE_CHECKING:
    from turnkeyml.build.stage import Stage
    from turnkeyml.nouns import InvocationRecord
    from turnkeyml.runtimes.contract import LiveModel

__all__ = ["Subject"]


class Subject(ABC):
    """A model with the arguments of one call. Each framework has a subclass of its own."""

    framework: ClassVar[str]
    """The name of the framework, which is also the kind of live model that runtimes ask for."""
    default_sequence: ClassVar[str | None] = None
    """The named sequence that it is built with unless the user chooses one; None for that of the
    runtime."""
    unusable: ClassVar[str] = "The model does not run again on its recorded inputs"
    """What to say where the original cannot be run for reference."""

    def __init__(self, record: InvocationRecord, script: str | None = None) -> None:
        self.record = record
        self.script = script
        """The script that it came from, where there is one that can be run again."""
        self._reference: Reference | None = None

    def reference(self, threads: int) -> Reference:
        """What the original computes on its recorded inputs; computed once."""
        if self._reference is None:
            self._reference = self.compute_reference(threads)
            if self._reference.deterministic:
                self._reference.held_out = tuple(self._held_out(self._reference))
        return self._reference

    def _held_out(self, recorded: Reference) -> Iterator[Reference]:
        """What the original computes on inputs that no exporter has seen.

        The original is the judge of what is an input: what it refuses is replaced.
        """
        for variants in VARIANTS:
            for variant in variants:
                inputs = draw(recorded.inputs, variant)
                if not _differ(inputs, recorded.inputs):
                    continue
                try:
                    held = self.compute_on(inputs)
                except Exception as error:  # noqa: BLE001 - an input that is none; the log tells
                    print(f"The original refuses {variant} inputs: {describe(error)}", flush=True)
                    continue
                if _tells_something(held.outputs):
                    yield held
                    break

    @property
    @abstractmethod
    def precision(self) -> str:
        """What the original computes in: ``fp32``, ``fp16`` or ``bf16``."""

    @abstractmethod
    def key(self, opset: int) -> dict[str, str]:
        """Everything about the model that a build of it depends on, each part by a name that says
        what has changed."""

    @abstractmethod
    def compute_reference(self, threads: int) -> Reference:
        """Run the original on its recorded inputs."""

    @abstractmethod
    def compute_on(self, inputs: Outputs) -> Reference:
        """Run the original once on other inputs of the same shapes and dtypes, by name."""

    @abstractmethod
    def receiving_stage(self) -> Stage:
        """The first stage of a build: from the model, in whichever form it comes, to ONNX."""

    def live(self) -> AbstractContextManager[LiveModel] | None:
        """The model made ready to be measured in this process; None if it is no live object."""
        return None


def _differ(some: Outputs, others: Outputs) -> bool:
    return any(not np.array_equal(some[name], others[name]) for name in some)


def _tells_something(outputs: Outputs) -> bool:
    """Whether there is a number to compare: nonsense in may give nothing but NaN."""
    floats = [array for array in outputs.values() if array.dtype.kind in "fc"]
    return not floats or any(np.isfinite(array).any() for array in floats)
