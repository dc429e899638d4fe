"""Verifying a build in a lower precision subgraph by subgraph.

Some models amplify the smallest difference: after a hundred layers of random weights, rounding and
errors look the same. So the graph is split into subgraphs, and the inputs of each subgraph come
from the exact file. Then an error in one subgraph is as visible as in a shallow model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from turnkeyml.build import onnx_graph
from turnkeyml.build.fp16.conversion import CAST_SUFFIX
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import Outputs, Reference, compare

MAX_SUBGRAPHS = 64

MAX_INPUT_BYTES = 1 << 30
"""The most bytes that the inputs of all subgraphs may take together."""

MAX_INPUTS = 512
"""The most inputs of all subgraphs: a session with thousands of inputs takes minutes to open."""

SHOWN = 16
"""How many of the values that are wrong the log names."""

_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)
_ALL_FLOATS = (*_FLOATS, onnx.TensorProto.DOUBLE, onnx.TensorProto.BFLOAT16)


@dataclass(frozen=True)
class Subgraphs:
    """The verdicts on the subgraphs of a file in isolation."""

    count: int
    verdict: Verification
    """The verdict on the worst subgraph."""

    mismatching: tuple[str, ...] = ()
    """The nodes of subgraphs that mismatch in isolation, and the producers of their inputs."""
    inputs: tuple[str, ...] = ()
    """The graph inputs that these subgraphs read. Rounding them may be what makes the difference:
    a coordinate of 1,000 pixels has steps of half a pixel in float16."""


class Exact:
    """What the source file computes inside. Conversions of it mostly ask for the same values."""

    def __init__(self, path: Path, inputs: Outputs, threads: int) -> None:
        self.path = path
        self.inputs = inputs
        self._threads = threads
        self._known: Outputs = {}

    def values(self, names: list[str]) -> Outputs:
        """The outputs of the file and some values inside of it."""
        if not self._known or not {*names} <= {*self._known}:
            model = _with_outputs(self.path, names)
            self._known = _run(model, self.path, self.inputs, self._threads)
        return self._known


def verify_subgraphs(exact: Exact, half: Path, precision: str, threads: int) -> Subgraphs:
    """The verdicts on the subgraphs of ``half``, compared with its source file."""
    inputs = exact.inputs
    model = onnx_graph.with_shapes(onnx_graph.read_graph(half))
    cuts, count = _cuts(model.graph, onnx_graph.read_graph(exact.path).graph)
    golden = exact.values(list(dict.fromkeys(cuts.values())))
    given = {name: golden[same] for name, same in cuts.items()}
    expected = {output.name: golden[output.name] for output in model.graph.output} | given
    whole = onnx.GraphProto()
    whole.CopyFrom(model.graph)
    found = _run(_cut(model, given), half, {**inputs, **given}, threads)
    verdicts = {
        name: compare({name: array}, Reference(inputs, {name: expected[name]}), precision)
        for name, array in zip(expected, found.values(), strict=True)
    }
    wrong = {name for name, verdict in verdicts.items() if verdict.verdict is not Verdict.MATCH}
    for name in sorted(wrong)[:SHOWN]:
        print(f"fp16, wrong in isolation: {name} ({_magnitudes(expected[name])})", flush=True)
    worst = max(verdicts.values(), key=lambda v: (v.verdict.rank, v.max_relative_error or 0.0))
    nodes, read = _producers(whole, wrong, set(given))
    half_inputs = [value.name for value in whole.input if _is_half(value)]
    return Subgraphs(count, worst, nodes, tuple(name for name in half_inputs if name in read))


def _magnitudes(array: np.ndarray) -> str:
    return f"up to {np.abs(array).max(initial=0):.2g}" if array.dtype.kind == "f" else "a decision"


def _is_half(value: onnx.ValueInfoProto) -> bool:
    return bool(value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16)


def _producers(
    graph: onnx.GraphProto, values: set[str], given: set[str]
) -> tuple[tuple[str, ...], set[str]]:
    """The nodes that compute some values from given ones, with the producers of the given ones,
    and everything that is read for these values."""
    names, wanted, used = [], set(values), set[str]()
    for node in reversed(graph.node):
        if wanted & {*node.output}:
            used.update(given & {*node.input})
            wanted.update({*node.input} - given)
        elif not used & {*node.output}:
            continue
        if not _converts(node):
            names.append(node.name)
    return tuple(names), wanted


def _converts(node: onnx.NodeProto) -> bool:
    """Whether a node only converts floats. A cast to integers truncates, which is a computation:
    0.9999 becomes 0, and rounded to float16 before it becomes 1."""
    return node.op_type == "Cast" and node.attribute[0].i in _ALL_FLOATS


def _cuts(half: onnx.GraphProto, exact: onnx.GraphProto) -> tuple[dict[str, str], int]:
    """The inputs of the subgraphs, each with its name in the exact file; how many subgraphs.

    The boundaries are those of the exact file: they stay where they are when more of the graph is
    kept in float32, so that a subgraph that was kept because it mismatched is right the next time.
    """
    available = {name for node in exact.node for name in node.output}
    outputs = {output.name for output in half.output}
    sizes = {
        value.name: 4 * math.prod(max(d.dim_value, 1) for d in value.type.tensor_type.shape.dim)
        for value in half.value_info
        if value.type.tensor_type.elem_type in _FLOATS and value.name not in outputs
    }
    originals = {name: name.removesuffix(CAST_SUFFIX) for name in sizes}
    originals = {name: original for name, original in originals.items() if original in available}
    for count in range(min(MAX_SUBGRAPHS, len(exact.node)), 1, -1):
        boundary = _boundary_values(exact, count)
        chosen = {name for name, original in originals.items() if original in boundary}
        few = 0 < len(chosen) <= MAX_INPUTS
        if few and sum(sizes[name] for name in chosen) <= MAX_INPUT_BYTES:
            return {name: originals[name] for name in sorted(chosen)}, count
    return {}, 1


def _boundary_values(graph: onnx.GraphProto, count: int) -> set[str]:
    """The values that cross subgraph boundaries if the graph is split into ``count`` subgraphs."""
    produced_in: dict[str, int] = {}
    crossing: set[str] = set()
    for position, node in enumerate(graph.node):
        subgraph = position * count // len(graph.node)
        crossing.update(n for n in node.input if produced_in.get(n, subgraph) < subgraph)
        produced_in.update(dict.fromkeys(node.output, subgraph))
    return crossing


def _with_outputs(path: Path, names: list[str]) -> onnx.ModelProto:
    """A model with some inner values as additional outputs, after its own."""
    model = onnx_graph.read_graph(path)
    own = {output.name for output in model.graph.output}
    for name in names:
        if name not in own:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model


def _cut(model: onnx.ModelProto, given: Outputs) -> onnx.ModelProto:
    """The model with the given inner values as inputs, and its own results for them as outputs."""
    types = {value.name: value for value in model.graph.value_info}
    for node in model.graph.node:
        for index, name in enumerate(node.output):
            if name in given:
                node.output[index] = f"{name}_made"
    for name, array in given.items():
        kind = types[name].type.tensor_type.elem_type
        taken = onnx.helper.make_tensor_value_info(name, kind, array.shape)
        model.graph.input.append(taken)
        made = onnx.helper.make_tensor_value_info(f"{name}_made", kind, array.shape)
        model.graph.output.append(made)
    del model.graph.value_info[:]
    return model


def _run(model: onnx.ModelProto, origin: Path, inputs: Outputs, threads: int) -> Outputs:
    """The outputs of a model that was made from ``origin``; its external data is beside it."""
    from turnkeyml.runtimes import run_once

    path = origin.with_name(f"{origin.stem}-subgraphs.onnx")
    try:
        onnx.save(model, str(path))
        return run_once(str(path), inputs, threads)
    finally:
        path.unlink(missing_ok=True)
