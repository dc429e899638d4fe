"""The inputs on which the ranges of activations are measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from onnxruntime.quantization import CalibrationDataReader

from turnkeyml.build.onnx_graph import input_dtypes
from turnkeyml.cache import fed
from turnkeyml.verify import Outputs


class Inputs(CalibrationDataReader):  # type: ignore[misc]
    """Hands the quantizer one set of inputs after the other, in the dtypes of the graph."""

    def __init__(self, model: Path, sets: Iterable[Outputs]) -> None:
        wanted = input_dtypes(model)
        self._sets = [fed(inputs, wanted) for inputs in sets]
        self._left = iter(self._sets)

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next set; None after the last."""
        return next(self._left, None)

    def rewind(self) -> None:
        """Start again with the first set."""
        self._left = iter(self._sets)
