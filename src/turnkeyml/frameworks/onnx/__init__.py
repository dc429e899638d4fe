"""The ONNX framework: models that are read from ``.onnx`` files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from turnkeyml.frameworks.framework import Framework

if TYPE_CHECKING:
    from turnkeyml.build import CapturedModel
    from turnkeyml.nouns import Input

__all__ = ["FRAMEWORK"]


class OnnxFiles(Framework):
    """Reads models from ONNX files."""

    name = "onnx"
    model = "an ONNX file"
    suffix = ".onnx"

    def read(
        self, item: Input, input_shape: Mapping[str, tuple[int, ...]], inputs: str | None
    ) -> CapturedModel:
        from turnkeyml.frameworks.onnx.file import read_onnx

        return read_onnx(item, input_shape, inputs)

    def owns(self, model: Any) -> bool:
        return isinstance(model, (str, os.PathLike)) and _is_onnx(os.fspath(model))

    def subject(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CapturedModel:
        from turnkeyml.frameworks.onnx.file import read_onnx
        from turnkeyml.frameworks.onnx.subject import with_inputs
        from turnkeyml.nouns import Input

        return with_inputs(read_onnx(Input(os.fspath(model)), {}, None), args, kwargs)


def _is_onnx(path: str | bytes) -> bool:
    return str(path).lower().endswith(OnnxFiles.suffix)


FRAMEWORK = OnnxFiles()
