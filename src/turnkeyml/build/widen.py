"""Widening bfloat16 models to float32, for runtimes that do not run bfloat16.

Every bfloat16 number is a float32 number, so that the weights stay what they are. What is computed
from them is rounded less often than in the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from turnkeyml.build import onnx_files, weights
from turnkeyml.cache import widen

NAMES_A_TYPE = frozenset({"to", "dtype", "output_datatype"})
"""Attributes of nodes that are the type of a tensor, as that of a Cast."""


def widen_bfloat16(path: Path) -> bool:
    """Replace an ONNX file by one that computes in float32 where it has bfloat16; whether it has.

    External weights go from file to file in blocks, so that memory does not grow with the model.
    """
    model = onnx_files.read_graph(path)
    onnx_files.load_inner_data(model, path.parent)
    found = weights.detach(model)
    old = {path.parent / location.file for location in found.values()}
    if not _widen_graph(model.graph):
        return False
    for function in model.functions:
        _widen_nodes(function.node)
    data = path.with_name(f"{path.name}.fp32.data")
    if found:
        weights.reattach(model, found, path.parent, data)
    onnx.save(model, str(path))
    for file in old:
        file.unlink()
    return True


def _widen_graph(graph: Any) -> bool:
    """Turn every type and tensor of a graph; whether there was anything to turn."""
    changed = [_widen_tensor(tensor) for tensor in graph.initializer]
    for value in (*graph.input, *graph.output, *graph.value_info):
        changed += [_widen_type(kind) for kind in _tensor_types(value.type)]
    return any([*changed, _widen_nodes(graph.node)])


def _widen_nodes(nodes: Any) -> bool:
    changed = False
    for node in nodes:
        for attribute in node.attribute:
            if attribute.name in NAMES_A_TYPE and attribute.i == TensorProto.BFLOAT16:
                attribute.i = TensorProto.FLOAT
                changed = True
            for tensor in (*attribute.tensors, *([attribute.t] if attribute.HasField("t") else [])):
                changed |= _widen_tensor(tensor)
            for body in onnx_files.nested_graphs(attribute):
                changed |= _widen_graph(body)
    return changed


def _widen_tensor(tensor: Any) -> bool:
    """Turn one tensor; a detached one has no values here, only a type."""
    if tensor.data_type != TensorProto.BFLOAT16:
        return False
    bits = np.frombuffer(tensor.raw_data, np.uint16)
    if not tensor.HasField("raw_data"):
        bits = np.asarray(tensor.int32_data, np.uint16)
    wide = numpy_helper.from_array(widen(bits).reshape(tuple(tensor.dims)), tensor.name)
    tensor.CopyFrom(wide)
    return True


def _widen_type(kind: Any) -> bool:
    if kind.elem_type != TensorProto.BFLOAT16:
        return False
    kind.elem_type = TensorProto.FLOAT
    return True


def _tensor_types(kind: Any) -> Iterator[Any]:
    """The tensor types in a type: itself, or those of the elements of a sequence."""
    if kind.HasField("tensor_type"):
        yield kind.tensor_type
    elif kind.HasField("sequence_type"):
        yield from _tensor_types(kind.sequence_type.elem_type)
    elif kind.HasField("optional_type"):
        yield from _tensor_types(kind.optional_type.elem_type)
