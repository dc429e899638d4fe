"""Weights that are held back from the optimizer, so that it does not store them twice.

ONNX Runtime folds every node whose inputs are constants. For the transposed table of a language
model that shares it with its last layer, this means a second copy of the largest weight. Such
weights become inputs of the graph while it is optimized, and weights again afterwards.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import onnx

from turnkeyml.build import onnx_files

LEAST_BYTES = 1 << 20
"""Copies of smaller weights do not matter."""


def hold_back(source: Path) -> tuple[Path, list[Any]]:
    """A file beside ``source`` without the weights that would be copied; these weights.

    The file is ``source`` itself if there are none.
    """
    model = onnx_files.read_graph(source)
    held = _foldable(model.graph)
    if not held:
        return source, []
    names = {tensor.name for tensor in held}
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in names]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    declared = {value.name for value in model.graph.input}
    for tensor in (t for t in held if t.name not in declared):
        value = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        model.graph.input.append(value)
    path = source.with_name(f"{source.stem}-held.onnx")
    onnx.save(model, str(path))
    return path, held


def put_back(path: Path, held: list[Any]) -> None:
    """Make the weights that were held back weights of an optimized file."""
    if not held:
        return
    model = onnx_files.read_graph(path)
    names = {tensor.name for tensor in held}
    inputs = [value for value in model.graph.input if value.name not in names]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.graph.initializer.extend(held)
    onnx.save(model, str(path))


def _foldable(graph: Any) -> list[Any]:
    """The large external weights from which some node computes a constant."""
    constant = {tensor.name for tensor in graph.initializer}
    constant |= {n for node in graph.node if node.op_type == "Constant" for n in node.output}
    used: set[str] = set()
    for node in graph.node:
        inputs = [name for name in node.input if name]
        if inputs and all(name in constant for name in inputs):
            used.update(inputs)
            constant.update(node.output)
    return [t for t in graph.initializer if t.name in used and _is_large(t)]


def _is_large(tensor: Any) -> bool:
    item = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    large = math.prod(tensor.dims) * item >= LEAST_BYTES
    return bool(large and tensor.data_location == onnx.TensorProto.EXTERNAL)
