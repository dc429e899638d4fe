"""Giving a converted model the inputs and outputs of the original.

Converters add what nobody asked for: a list of maps instead of the probabilities, the scores of an
outlier detector, a column where the original returns a list.
"""

from __future__ import annotations

import locale
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from turnkeyml.verify import Outputs

Run = Callable[[onnx.ModelProto], Outputs]


def adapt(model: onnx.ModelProto, inputs: Outputs, wanted: Outputs, run: Run) -> None:
    """Give a model inputs by the names of ``inputs``, and outputs like ``wanted``.

    ``run`` returns what the model computes on the inputs.
    """
    graph = model.graph
    _choose_locale(graph)
    _take_columns(graph, inputs)
    produced = list(dict.fromkeys(_without_map(graph, output.name) for output in graph.output))
    del graph.output[:]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in produced)
    found = run(model)
    del graph.output[:]
    for position, (name, array) in enumerate(wanted.items()):
        source = _source(found, array, position)
        _add_output(graph, source, found[source], name, array)
    _drop_unused(graph)


def _choose_locale(graph: Any) -> None:
    """Have texts normalized in a locale of this machine; en_US, the default, may be missing."""
    normalizers = [node for node in graph.node if node.op_type == "StringNormalizer"]
    for node in normalizers if not _has_locale("en_US.UTF-8") else []:
        if not any(attribute.name == "locale" for attribute in node.attribute):
            node.attribute.append(helper.make_attribute("locale", "C.UTF-8"))


def _has_locale(name: str) -> bool:
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return True


def _take_columns(graph: Any, inputs: Outputs) -> None:
    """Give a model of one matrix an input for each column of a data frame."""
    if len(inputs) < 2 or len(graph.input) != 1:
        return
    matrix = graph.input[0]
    kind = matrix.type.tensor_type.elem_type
    del graph.input[:]
    graph.input.extend(helper.make_tensor_value_info(name, kind, [None, 1]) for name in inputs)
    graph.node.insert(0, helper.make_node("Concat", [*inputs], [matrix.name], axis=1))


def _without_map(graph: Any, output: str) -> str:
    """The tensor behind an output that is a list of maps."""
    for node in graph.node:
        if output in node.output and node.op_type == "ZipMap":
            return str(node.input[0])
    return output


def _source(found: Outputs, wanted: np.ndarray, position: int) -> str:
    """The computed value that an output of the original is: the first that can take its shape."""
    alike = [
        name
        for name, array in found.items()
        if (array.dtype.kind == "f") == (wanted.dtype.kind == "f") and _how(array, wanted)
    ]
    return alike[0] if alike else [*found][min(position, len(found) - 1)]


def _how(array: np.ndarray, wanted: np.ndarray) -> str:
    """How an array takes the shape of another one; empty if it cannot."""
    if array.shape == wanted.shape:
        return "as it is"
    if array.size == wanted.size:
        return "reshaped"
    if wanted.ndim == 1 and array.shape == (*wanted.shape, 2):
        return "second column"  # the probability of the second class is all that it returns
    return ""


def _add_output(graph: Any, source: str, found: np.ndarray, name: str, wanted: np.ndarray) -> None:
    how = _how(found, wanted)
    operand, operator, settings = "", "Identity", {}
    if how == "reshaped":
        operand, operator = f"turnkey_{name}_shape", "Reshape"
        value = np.array([-1, *wanted.shape[1:]], np.int64)
    elif how == "second column":
        operand, operator, settings = f"turnkey_{name}_column", "Gather", {"axis": 1}
        value = np.array(1, np.int64)
    if operand:
        graph.initializer.append(numpy_helper.from_array(value, operand))
    if source == name and not operand:
        operator = ""
    elif source == name or name in {n for node in graph.node for n in (*node.input, *node.output)}:
        _rename(graph, name, f"turnkey_{name}")
        source = f"turnkey_{name}" if source == name else source
    if operator:
        operands = [source, operand] if operand else [source]
        graph.node.append(helper.make_node(operator, operands, [name], **settings))
    kind = helper.np_dtype_to_tensor_dtype(found.dtype) if found.dtype.kind in "biuf" else 8
    shape = [None, *wanted.shape[1:]] if how else None
    graph.output.append(helper.make_tensor_value_info(name, kind, shape))


def _rename(graph: Any, old: str, new: str) -> None:
    """Rename a value of a graph."""
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]


def _drop_unused(graph: Any) -> None:
    """Remove the nodes and constants that no output depends on."""
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed |= set(node.input)
            kept.append(node)
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in reversed(kept)]
    tensors = [t for t in graph.initializer if t.name in needed]
    constants = [onnx.TensorProto.FromString(t.SerializeToString()) for t in tensors]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(constants)
