"""The share of a model that depends on no input: a runtime computes it once, at load time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnx
import onnx.inliner

from turnkeyml.build.onnx_files import nested_graphs, read_graph, with_shapes
from turnkeyml.build.precision import INTEGER_PRODUCTS, PRODUCTS
from turnkeyml.errors import describe

HEAVY = (
    PRODUCTS
    | INTEGER_PRODUCTS
    | {"Attention", "DeformConv", "DynamicQuantizeLSTM", "FusedConv", "FusedGemm", "FusedMatMul"}
    | {"GroupQueryAttention", "MatMulNBits", "MultiHeadAttention", "QAttention", "QGemm"}
)
"""Operators that do the work. All others only move or adjust values on their way to one of these,
such as the scale of a quantized weight."""
CONVOLUTIONS = frozenset({"Conv", "ConvInteger", "ConvTranspose", "FusedConv", "QLinearConv"})
MATRIX_PRODUCTS = frozenset({"FusedMatMul", "Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"})
RANDOM = frozenset(
    {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike"}
    | {"RandomUniform", "RandomUniformLike"}
)
"""Operators that no runtime may compute in advance."""

Weights = frozenset[int]
Known = dict[str, Weights | None]
"""For each value of a graph: None if it depends on an input; otherwise the weights that it is made
of without a heavy operator."""


def folded_shares(path: Path) -> dict[str, float]:
    """The shares of the ``weights`` (by bytes) and of the ``work`` (by multiply-accumulates) of an
    ONNX file that depend on no input; without ``work`` where the shapes do not tell it.

    External data is not read.
    """
    model = read_graph(path)
    if model.functions:
        model = _inlined(model)
    walk = _Walk(_static_inputs(model.graph))
    walk.main(model.graph)
    if not walk.depends:
        return {"weights": 1.0, "work": 1.0}
    work = _share_of_work(model, {node.output[0] for node in walk.constant})
    return {"weights": walk.share, **({} if work is None else {"work": work})}


def _inlined(model: Any) -> Any:
    """The model without local functions; as it is where onnx cannot inline them."""
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # noqa: BLE001 - onnx raises what its C++ code throws
        print(f"The functions of the file cannot be inlined: {describe(error)}", flush=True)
        return model


@dataclass
class _Walk:
    """One walk through a graph and its nested graphs, in the order of computation."""

    static: frozenset[str]
    """Inputs whose shapes are constants, although their values are not."""
    sizes: list[int] = field(default_factory=list)
    """The bytes of each weight."""
    folded: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)
    constant: list[Any] = field(default_factory=list)
    """The heavy nodes that depend on no input."""
    depends: bool = False
    """Whether anything depends on an input."""

    @property
    def share(self) -> float:
        """The share of the bytes of the weights in use; a weight in both parts is not folded."""
        alone = sum(self.sizes[weight] for weight in self.folded - self.reached)
        total = sum(self.sizes[weight] for weight in self.folded | self.reached)
        return alone / total if total else 0.0

    def main(self, graph: Any) -> None:
        stored = {tensor.name for tensor in graph.initializer}
        inputs: Known = {v.name: None for v in graph.input if v.name not in stored}
        for made_of in self._walk(graph, inputs):
            self._reach(made_of)

    def _reach(self, made_of: Weights | None) -> None:
        """Note what becomes of the weights of a value that the model returns."""
        self.depends |= made_of is None
        self.folded |= made_of or frozenset()

    def _walk(self, graph: Any, known: Known) -> list[Weights | None]:
        """What the outputs of a graph are made of, given the values around it."""
        for tensor in graph.initializer:
            known[tensor.name] = self._weight(tensor)
        for sparse in graph.sparse_initializer:
            known[sparse.values.name] = self._weight(sparse.values)
        for node in graph.node:
            made_of = self._node(node, known)
            known.update(dict.fromkeys(node.output, made_of))
        return [known.get(output.name) for output in graph.output]

    def _weight(self, tensor: Any) -> Weights:
        self.sizes.append(_tensor_bytes(tensor))
        return frozenset({len(self.sizes) - 1})

    def _node(self, node: Any, known: Known) -> Weights | None:
        """What the outputs of a node are made of."""
        if node.op_type == "Constant":
            tensors = [a.t for a in node.attribute if a.HasField("t")]
            return frozenset[int]().union(*map(self._weight, tensors))
        if node.op_type in ("Shape", "Size") and self.static.issuperset(node.input):
            return frozenset()
        read = node.input[:1] if node.op_type == "CastLike" else node.input  # a type is constant
        names = {name for name in (*read, *_captured(node, known)) if name}
        depends = node.op_type in RANDOM or any(known.get(name) is None for name in names)
        used = frozenset[int]().union(*(known.get(name) or () for name in node.input))
        inner = self._inside(node, known, None if depends else used)
        if depends:
            self.depends = True
            self.reached |= used | inner
            return None
        if node.op_type in HEAVY:
            self.constant.append(node)
            self.folded |= used
            return frozenset()
        return used | inner

    def _inside(self, node: Any, known: Known, passed: Weights | None) -> Weights:
        """The weights that the outputs of the nested graphs of a node are made of."""
        found = frozenset[int]()
        for attribute in node.attribute:
            for body in nested_graphs(attribute):
                inputs = dict.fromkeys((value.name for value in body.input), passed)
                found = found.union(*(m or () for m in self._walk(body, {**known, **inputs})))
        return found


def _static_inputs(graph: Any) -> frozenset[str]:
    return frozenset(
        value.name
        for value in graph.input
        if value.type.tensor_type.HasField("shape")
        and all(d.HasField("dim_value") for d in value.type.tensor_type.shape.dim)
    )


def _captured(node: Any, known: Known) -> Iterator[str]:
    """The values around a node that its nested graphs use."""
    for attribute in node.attribute:
        for body in nested_graphs(attribute):
            for inner in body.node:
                yield from (name for name in inner.input if name in known)
                yield from _captured(inner, known)
            yield from (output.name for output in body.output if output.name in known)


def _tensor_bytes(tensor: Any) -> int:
    """The size of a stored tensor, whose data may be elsewhere."""
    try:
        item = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    except (KeyError, TypeError):  # a type that onnx does not know
        item = 1
    return math.prod(tensor.dims) * item


def _share_of_work(model: Any, constant: set[str]) -> float | None:
    """The share of the multiply-accumulates in the heavy nodes with these outputs; None if the
    shapes of the others are not all known."""
    if not constant:
        return 0.0
    work = {True: 0, False: 0}
    for graph in _all_graphs(with_shapes(model).graph):
        dims = dict(_dimensions(graph))
        for node in graph.node:
            if node.op_type in HEAVY:
                products = _products(node, dims)
                if products is None:
                    return None
                work[node.output[0] in constant] += products
    return work[True] / max(1, sum(work.values()))


def _all_graphs(graph: Any) -> Iterator[Any]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in nested_graphs(attribute):
                yield from _all_graphs(body)


def _dimensions(graph: Any) -> Iterator[tuple[str, list[int]]]:
    """The shape of each value where all of it is known."""
    for tensor in graph.initializer:
        yield tensor.name, list(tensor.dims)
    for value in (*graph.input, *graph.output, *graph.value_info):
        kind = value.type.tensor_type
        if kind.HasField("shape") and all(d.HasField("dim_value") for d in kind.shape.dim):
            yield value.name, [d.dim_value for d in kind.shape.dim]


def _products(node: Any, dims: dict[str, list[int]]) -> int | None:
    """The multiply-accumulates of a matrix product or a convolution; None if they are not known."""
    inputs, output = [dims.get(name) for name in node.input], dims.get(node.output[0])
    is_matrix = node.op_type in MATRIX_PRODUCTS
    at = 0 if is_matrix else 3 if node.op_type == "QLinearConv" else 1
    known = inputs[at] if len(inputs) > at else None
    if not known or output is None or not (is_matrix or node.op_type in CONVOLUTIONS):
        return None
    if is_matrix:
        transposed = any(a.name == "transA" and a.i for a in node.attribute)
        return math.prod(output) * known[0 if transposed else -1]
    spread = inputs[0] if node.op_type == "ConvTranspose" else output
    return None if spread is None else math.prod(spread) * math.prod(known[1:])
