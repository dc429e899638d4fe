"""The ONNX framework: models that are read from ``.onnx`` files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from turnkeyml.frameworks.framework import Framework

if TYPE_CHECKING:
    from turnkeyml.build.subject import Subject
    from turnkeyml.nouns import Input

__all__ = ["FRAMEWORK"]


class OnnxFiles(Framework):
    """Reads models from ONNX files."""

    name = "onnx"
    model = "an ONNX file"
    suffix = ".onnx"

    def read(
        self, item: Input, input_shape: Mapping[str, tuple[int, ...]], inputs: str | None
    ) -> Subject:
        from turnkeyml.frameworks.onnx.file import read_onnx

        return read_onnx(item, input_shape, inputs)


FRAMEWORK = OnnxFiles()
