"""Does a build in a lower precision compute the same thing, looked at subgraph by subgraph?

Some models amplify the smallest difference: after a hundred layers of random weights nobody can see
whether a difference came from rounding or from an error. So the file is cut into subgraphs, and
each of them is given what the file it was made from computes up to there. Then an error of a
subgraph itself shows as plainly as in a shallow model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import onnx

from turnkeyml.build import onnx_files
from turnkeyml.build.fp16.casts import CAST_SUFFIX
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify.compare import compare
from turnkeyml.verify.reference import Outputs, Reference

__all__ = ["Subgraphs", "verify_subgraphs"]

MOST_SUBGRAPHS = 64

AT_ONCE_BYTES = 1 << 30
"""How many bytes all values that are given to subgraphs may take."""

MOST_GIVEN = 512
"""How many values are given to subgraphs: with thousands of inputs a session takes minutes."""

_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)


@dataclass(frozen=True)
class Subgraphs:
    """What was seen of the subgraphs of a file."""

    count: int
    verdict: Verification
    """The verdict on the worst of them."""

    mismatching: tuple[str, ...] = ()
    """The nodes of those that mismatch in isolation, and the nodes that make their inputs."""


def verify_subgraphs(
    exact: Path, half: Path, inputs: Outputs, precision: str, threads: int
) -> Subgraphs:
    """The verdict on the subgraphs of a file against the one that it was made from."""
    model = onnx.shape_inference.infer_shapes(onnx_files.read_graph(half))
    cuts, count = _cuts(model.graph, onnx_files.read_graph(exact).graph)
    golden = _run(_with_outputs(exact, list(dict.fromkeys(cuts.values()))), exact, inputs, threads)
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
    worst = max(verdicts.values(), key=lambda verdict: verdict.verdict.rank)
    return Subgraphs(count, worst, _makers(whole, wrong, set(given)))


def _makers(graph: onnx.GraphProto, ends: set[str], given: set[str]) -> tuple[str, ...]:
    """The nodes that make some values from the given ones, and those that make these given ones."""
    names, wanted, handed = [], set(ends), set[str]()
    for node in reversed(graph.node):
        if wanted & {*node.output}:
            handed.update(given & {*node.input})
            wanted.update({*node.input} - given)
        elif not handed & {*node.output}:
            continue
        if node.op_type != "Cast":
            names.append(node.name)
    return tuple(names)


def _cuts(half: onnx.GraphProto, exact: onnx.GraphProto) -> tuple[dict[str, str], int]:
    """The values to give to subgraphs, each with its name in the exact file; how many subgraphs."""
    there = {name for node in exact.node for name in node.output}
    ends = {output.name for output in half.output}
    sizes = {
        value.name: 4 * math.prod(max(d.dim_value, 1) for d in value.type.tensor_type.shape.dim)
        for value in half.value_info
        if value.type.tensor_type.elem_type in _FLOATS and value.name not in ends
    }
    originals = {name: name.removesuffix(CAST_SUFFIX) for name in sizes}
    originals = {name: original for name, original in originals.items() if original in there}
    for count in range(min(MOST_SUBGRAPHS, len(half.node)), 1, -1):
        chosen = _frontiers(half, count) & originals.keys()
        few = 0 < len(chosen) <= MOST_GIVEN
        if few and sum(sizes[name] for name in chosen) <= AT_ONCE_BYTES:
            return {name: originals[name] for name in sorted(chosen)}, count
    return {}, 1


def _frontiers(graph: onnx.GraphProto, count: int) -> set[str]:
    """All values that one subgraph hands to later ones if the nodes are cut into so many."""
    made: dict[str, int] = {}
    handed: set[str] = set()
    for position, node in enumerate(graph.node):
        subgraph = position * count // len(graph.node)
        handed.update(name for name in node.input if made.get(name, subgraph) < subgraph)
        made.update(dict.fromkeys(node.output, subgraph))
    return handed


def _with_outputs(path: Path, names: list[str]) -> onnx.ModelProto:
    """A model that returns some inner values too, after its own outputs."""
    model = onnx_files.read_graph(path)
    own = {output.name for output in model.graph.output}
    for name in names:
        if name not in own:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model


def _cut(model: onnx.ModelProto, given: Outputs) -> onnx.ModelProto:
    """Make a model return what it computes for some inner values, and take them as inputs."""
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
    """What a model computes that was made from a file, beside which its weights are."""
    from turnkeyml.runtimes.ort_session import run_once

    path = origin.with_name(f"{origin.stem}-subgraphs.onnx")
    try:
        onnx.save(model, str(path))
        return run_once(str(path), inputs, threads)
    finally:
        path.unlink(missing_ok=True)
