"""The interface that every framework implements, and the frameworks there are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from turnkeyml.build import CapturedModel
    from turnkeyml.frameworks.register import Register
    from turnkeyml.nouns import Input


class Framework:
    """Discovers the models of one framework: in scripts, in programs that use the API, in files.

    The operations on one model (reference outputs, export, live measurement) are in the
    framework's subclass of ``build.CapturedModel``. A framework overrides what applies to it.
    """

    name: ClassVar[str]
    model: ClassVar[str]
    """How messages call one of its models: ``a torch.nn.Module``."""
    suffix: ClassVar[str] = ""
    """The suffix of its model files; empty if models are found by running scripts."""
    script_modules: ClassVar[tuple[str, ...]] = ()
    """Modules to import before forking, so that each input's process starts with them loaded."""
    build_modules: ClassVar[tuple[str, ...]] = ()
    """Further modules to import before forking if the processes will build."""
    never_preloaded: ClassVar[tuple[str, ...]] = ()
    """Libraries that are not imported before forking, however many scripts import them: their
    import starts threads, or depends on the environment of the script."""

    @contextlib.contextmanager
    def watching(self, register: Register, max_depth: int) -> Iterator[dict[str, str]]:
        """Within the block, enter every call to a model into the register.

        Yields a dict that maps each class whose calls could not be recorded to the reason.
        """
        yield {}

    def use_threads(self, threads: int) -> None:
        """Set the number of threads that the framework uses in this process."""

    def owns(self, model: Any) -> bool:
        """Whether an object is a live model of this framework."""
        return False

    def subject(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CapturedModel:
        """A live model passed to the API, with the arguments of one call."""
        raise NotImplementedError(f"{self.name} has no live models")

    def read(
        self, item: Input, input_shape: Mapping[str, tuple[int, ...]], inputs: str | None
    ) -> CapturedModel:
        """The model in a file with the framework's suffix.

        ``input_shape`` has shapes by input and sizes by dimension, ``inputs`` is a file of arrays.
        """
        raise NotImplementedError(f"{self.name} has no files")


FRAMEWORKS = ("torch", "onnx", "keras", "sklearn")
"""The names of the folders. A model that two frameworks own belongs to the later one."""


def frameworks() -> list[Framework]:
    """Every framework. Each imports its library lazily."""
    return [find_framework(name) for name in FRAMEWORKS]


def find_framework(name: str) -> Framework:
    """The framework with this folder name."""
    framework: Framework = import_module(f"turnkeyml.frameworks.{name}").FRAMEWORK
    return framework


def reader_of(path: str) -> Framework | None:
    """The framework that reads this model file, by suffix; None for a script."""
    suffixes = {f.suffix: f for f in frameworks() if f.suffix}
    return next((f for s, f in suffixes.items() if path.lower().endswith(s)), None)


def framework_of(model: Any) -> Framework | None:
    """The framework of a live model; None for an object of no known framework."""
    return next((f for f in reversed(frameworks()) if f.owns(model)), None)
