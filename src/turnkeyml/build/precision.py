"""The precision of an ONNX file, read from its graph."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

from turnkeyml.build.onnx_files import read_graph, with_shapes

DOMINANT_SHARE = 0.95
"""The share of the work that one precision must have; below it the file is ``mixed``."""

PRODUCTS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum", "GRU", "LSTM", "RNN"})
INTEGER_PRODUCTS = frozenset(
    {"ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul", "DynamicQuantizeMatMul"}
)
QUANTIZERS = frozenset({"DequantizeLinear", "DynamicQuantizeLinear", "QuantizeLinear"})
_NAMES = {
    onnx.TensorProto.DOUBLE: "fp64",
    onnx.TensorProto.FLOAT: "fp32",
    onnx.TensorProto.FLOAT16: "fp16",
    onnx.TensorProto.BFLOAT16: "bf16",
}


def precision_of(path: Path) -> str:
    """The precision of a file: ``fp64``, ``fp32``, ``fp16``, ``bf16``, ``int8`` or ``mixed``.

    Matrix products and convolutions decide, because they take the time; each counts by its number
    of weights. In a file without any, all floating-point values count.
    """
    model = with_shapes(read_graph(path))
    found = Counter[str]()
    for graph in _graphs(model.graph):
        found.update(_work(graph))
    if not found:
        found = _values(model.graph)
    total = sum(found.values())
    name, count = max(found.items(), key=lambda item: item[1], default=("fp32", 0))
    return name if not total or count >= DOMINANT_SHARE * total else "mixed"


def _graphs(graph: Any) -> Iterator[Any]:
    """A graph and the nested graphs of its branches and loops."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _graphs(attribute.g)


def _work(graph: Any) -> Counter[str]:
    """The number of weights of the matrix products and convolutions, by precision."""
    types = _types(graph)
    sizes = {tensor.name: math.prod(tensor.dims) for tensor in graph.initializer}
    quantized = {name for node in graph.node if node.op_type in QUANTIZERS for name in node.output}
    work = Counter[str]()
    for node in graph.node:
        size = max((sizes.get(name, 1) for name in node.input), default=1)
        if node.op_type in INTEGER_PRODUCTS or (
            node.op_type in PRODUCTS and quantized & {*node.input}
        ):
            work["int8"] += size
        elif node.op_type in PRODUCTS:
            kinds = [types[name] for name in node.input if types.get(name) in _NAMES]
            work.update({_NAMES[kind]: size for kind in kinds[:1]})
    return work


def _values(graph: Any) -> Counter[str]:
    return Counter(_NAMES[kind] for kind in _types(graph).values() if kind in _NAMES)


def _types(graph: Any) -> dict[str, int]:
    """The element type of each value of a graph, where known."""
    known = {tensor.name: tensor.data_type for tensor in graph.initializer}
    for value in (*graph.input, *graph.output, *graph.value_info):
        known[value.name] = value.type.tensor_type.elem_type
    return known
