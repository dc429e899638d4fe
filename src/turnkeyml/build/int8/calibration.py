"""The inputs on which the ranges of activations are measured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from onnxruntime.quantization import CalibrationDataReader

from turnkeyml.cache.arrays import fed
from turnkeyml.errors import BuildError
from turnkeyml.verify.reference import Outputs

__all__ = ["Inputs"]


class Inputs(CalibrationDataReader):  # type: ignore[misc]
    """Hands the quantizer one set of inputs after the other, in the dtypes of the graph."""

    def __init__(self, model: Path, sets: Iterable[Outputs]) -> None:
        wanted = _dtypes(model)
        self._sets = [fed(inputs, wanted) for inputs in sets]
        self._left = iter(self._sets)

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next set; None after the last."""
        return next(self._left, None)

    def rewind(self) -> None:
        """Start again with the first set."""
        self._left = iter(self._sets)


def _dtypes(model: Path) -> dict[str, str]:
    """The dtype of each input of a graph, by its name."""
    from turnkeyml.build.onnx_files import read_graph

    graph = read_graph(model).graph
    stored = {tensor.name for tensor in graph.initializer}
    return {v.name: _dtype(v) for v in graph.input if v.name not in stored}


def _dtype(value: Any) -> str:
    import onnx

    if not value.type.HasField("tensor_type"):
        raise BuildError(f"int8 needs inputs that are tensors, and {value.name!r} is none")
    return str(onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
