"""The Keras framework: everything that depends on ``keras.Model``, on any backend of Keras 3."""

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


class Keras(Framework):
    """Discovers instances of ``keras.Model``. Keras itself is imported by the script alone."""

    name = "keras"
    model = "a keras.Model"
    script_modules = ("turnkeyml.frameworks.keras.recorder",)
    never_preloaded = ("keras", "tensorflow", "jax")

    @contextlib.contextmanager
    def watching(self, register: Register, max_depth: int) -> Iterator[dict[str, str]]:
        from turnkeyml.frameworks.keras.recorder import KerasRecorder

        recorder = KerasRecorder(register, max_depth)
        with recorder.watching():
            yield recorder.remarks

    def owns(self, model: Any) -> bool:
        """Layers too: on the torch backend they are modules of PyTorch as well."""
        layers = getattr(sys.modules.get("keras"), "layers", None)
        return layers is not None and isinstance(model, layers.Layer)

    def subject(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CapturedModel:
        from turnkeyml.frameworks.keras.subject import subject_of

        return subject_of(model, args, kwargs)


FRAMEWORK = Keras()
