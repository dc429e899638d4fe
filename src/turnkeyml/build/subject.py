"""What is to be built: an invocation with the model that belongs to it, whatever its framework."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from turnkeyml.build.stage import Stage
    from turnkeyml.nouns import InvocationRecord
    from turnkeyml.runtimes.contract import LiveModel
    from turnkeyml.verify.reference import Reference

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
        return self._reference

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
    def receiving_stage(self) -> Stage:
        """The first stage of a build: from the model, in whichever form it comes, to ONNX."""

    def live(self) -> AbstractContextManager[LiveModel] | None:
        """The model made ready to be measured in this process; None if it is no live object."""
        return None
