"""Facts about an ONNX file, read from its graph.

They are its operators, the operators that its outputs are the results of, its precision, and the
share of it that depends on no input, which a runtime computes once, at load time.
"""

from __future__ import annotations

import math
import mmap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.inliner
from onnx import numpy_helper

from turnkeyml.build.onnx_graph import nested_graphs, read_graph, with_shapes
from turnkeyml.errors import describe
from turnkeyml.nouns import OutputOperator
from turnkeyml.runtimes import read_nodes
from turnkeyml.verify import FLOORS

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

_MOVING = """
    Identity Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Gather GatherND GatherElements
    Expand Tile Cast Dropout DepthToSpace SpaceToDepth Pad TopK MaxPool ReduceMax ReduceMin
    ReduceMean SplitToSequence SequenceAt
"""

MOVES = frozenset(_MOVING.split())
"""Operators that return numbers of their first input, or means of these: as exact as they are."""

JOINS = frozenset({"Concat", "Max", "Min", "Where"})
"""Operators that return numbers of all their inputs."""

Weights = frozenset[int]

Known = dict[str, Weights | None]
"""For each value of a graph: None if it depends on an input; otherwise the weights that it is made
of without a heavy operator."""


def operators_of(path: Path) -> dict[str, int]:
    """How often each operator occurs in the main graph of a file, the most frequent first.

    The file is mapped, so that its weights are not read.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = Counter(node.op_type for node in read_nodes(content))
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def output_operators(path: Path) -> tuple[OutputOperator, ...]:
    """The operator with a floor that each output of a file is the result of, if it is of one.

    It is followed through what moves numbers without computing. Of several that are joined it is
    the least exact. A name is empty where sums, products or other operators come last.
    """
    graph = read_graph(path).graph
    return tuple(_Origins.of(graph).origin(output.name) for output in graph.output)


@dataclass(frozen=True)
class _Origins:
    """Where the values of a graph come from."""

    producers: dict[str, Any]
    weights: dict[str, Any]
    known: dict[str, OutputOperator] = field(default_factory=dict)
    outer: _Origins | None = None

    @classmethod
    def of(cls, graph: Any, outer: _Origins | None = None) -> _Origins:
        producers = {name: node for node in graph.node for name in node.output}
        return cls(producers, {tensor.name: tensor for tensor in graph.initializer}, outer=outer)

    def origin(self, name: str) -> OutputOperator:
        """The operator that a value is the result of."""
        if name not in self.known:
            self.known[name] = OutputOperator()  # also for what a damaged graph computes of itself
            self.known[name] = self._found(name)
        return self.known[name]

    def _found(self, name: str) -> OutputOperator:
        node = self.producers.get(name)
        if node is None:
            return self.outer.origin(name) if self.outer else OutputOperator()
        if node.op_type in FLOORS:
            return OutputOperator(node.op_type, self._scale(node))
        if node.op_type in MOVES:
            return self.origin(node.input[0]) if node.output[0] == name else OutputOperator()
        return max(self._joined(node, name), key=_floor, default=OutputOperator())

    def _joined(self, node: Any, name: str) -> Iterator[OutputOperator]:
        """Of all inputs of a node that joins them, and of all branches of an If."""
        if node.op_type in JOINS:
            yield from map(self.origin, node.input)
        if node.op_type != "If":
            return
        place = list(node.output).index(name)
        for attribute in node.attribute:
            for branch in nested_graphs(attribute):
                yield _Origins.of(branch, self).origin(branch.output[place].name)

    def _scale(self, node: Any) -> float:
        """The smallest factor of a normalization; 0, so that it has no floor, if it is computed."""
        if node.op_type != "LayerNormalization":
            return 1.0
        tensor = self.weights.get(node.input[1])
        if tensor is None or tensor.external_data:
            return 0.0
        return float(np.abs(numpy_helper.to_array(tensor).astype(np.float64)).min(initial=1.0))


def _floor(found: OutputOperator) -> float:
    known = FLOORS.get(found.name)
    return known.units + known.share if known else 0.0


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
