"""The one small interface behind which a framework lives."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from turnkeyml.build.subject import Subject
    from turnkeyml.frameworks.register import Register
    from turnkeyml.nouns import Input

__all__ = ["Framework"]


class Framework:
    """A kind of model: how its models are seen in scripts, taken from programs, read from files.

    What it does with one model (reference outputs, export, measuring it live) is in its subclass of
    ``build.subject.Subject``. A framework overrides what applies to it.
    """

    name: ClassVar[str]
    model: ClassVar[str]
    """What one of its models is, in a message: ``a torch.nn.Module``."""
    suffix: ClassVar[str] = ""
    """The suffix of files that are models; empty where models are found by running scripts."""
    script_modules: ClassVar[tuple[str, ...]] = ()
    """What to import before a script runs, so that forked processes have it."""
    build_modules: ClassVar[tuple[str, ...]] = ()
    """What to import as well before many builds."""

    @contextlib.contextmanager
    def watching(self, register: Register, max_depth: int) -> Iterator[dict[str, str]]:
        """Within the block, enter every call of a model into the register.

        The block gets a dict that tells, for classes whose calls could not be looked at, why not.
        """
        yield {}

    def use_threads(self, threads: int) -> None:
        """Let the framework compute with so many threads in this process."""

    def owns(self, model: Any) -> bool:
        """Whether an object of a program is a model of this framework."""
        return False

    def subject(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Subject:
        """A model that a program hands to us, with the arguments of one call."""
        raise NotImplementedError(f"{self.name} has no live models")

    def read(self, item: Input) -> Subject:
        """The model in a file with the framework's suffix."""
        raise NotImplementedError(f"{self.name} has no files")
