"""Does a build in a lower precision compute the same thing, looked at part by part?

Some models amplify the smallest difference: after a hundred layers of random weights nobody can see
whether a difference came from rounding or from an error. So the file is cut into parts, and each of
them is given what the file it was made from computes up to there. What a part adds of its own is
then as plain as in a shallow model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import onnx

from turnkeyml.build import onnx_files
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify.compare import compare
from turnkeyml.verify.reference import Outputs, Reference

__all__ = ["Parts", "verify_parts"]

MOST_PARTS = 64
AT_ONCE_BYTES = 1 << 30
"""What everything that is given to the parts may take."""

MOST_GIVEN = 512
"""How many results are given to the parts: with thousands of inputs a session takes minutes."""

CAST = "_cast_to_fp16"
"""What the converter adds to the name of a result that stays in float32."""

_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)


@dataclass(frozen=True)
class Parts:
    """What was seen of the parts of a file."""

    count: int
    verdict: Verification
    """That on the worst of them."""

    wrong: tuple[str, ...] = ()
    """The nodes of those that do not match, and the ones that make what is handed to these."""


def verify_parts(exact: Path, half: Path, inputs: Outputs, precision: str, threads: int) -> Parts:
    """The verdict on the parts of a file against the one that it was made from."""
    model = onnx.shape_inference.infer_shapes(onnx_files.read_graph(half))
    cuts, count = _cuts(model.graph, onnx_files.read_graph(exact).graph)
    golden = _run(_with_outputs(exact, list(dict.fromkeys(cuts.values()))), inputs, threads)
    given = {name: golden[same] for name, same in cuts.items()}
    expected = {name: golden[name] for name in (o.name for o in model.graph.output)} | given
    before = onnx.GraphProto()
    before.CopyFrom(model.graph)
    found = _run((_cut(model, given), half), {**inputs, **given}, threads)
    verdicts = {
        name: compare({name: array}, Reference(inputs, {name: expected[name]}), precision)
        for name, array in zip(expected, found.values(), strict=True)
    }
    wrong = {name for name, verdict in verdicts.items() if verdict.verdict is not Verdict.MATCH}
    worst = max(verdicts.values(), key=lambda found: found.verdict.rank)
    return Parts(count, worst, _makers(before, wrong, set(given)))


def _makers(graph: onnx.GraphProto, ends: set[str], given: set[str]) -> tuple[str, ...]:
    """The nodes that make some results from what is given, and those that make the given."""
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
    """The results to give to the parts, each with its name in the exact file; how many parts."""
    there = {name for node in exact.node for name in node.output}
    ends = {output.name for output in half.output}
    sizes = {
        value.name: 4 * math.prod(max(d.dim_value, 1) for d in value.type.tensor_type.shape.dim)
        for value in half.value_info
        if value.type.tensor_type.elem_type in _FLOATS and value.name not in ends
    }
    names = {name: name.removesuffix(CAST) for name in sizes if name.removesuffix(CAST) in there}
    for count in range(min(MOST_PARTS, len(half.node)), 1, -1):
        chosen = _frontiers(half, count) & names.keys()
        few = 0 < len(chosen) <= MOST_GIVEN
        if few and sum(sizes[name] for name in chosen) <= AT_ONCE_BYTES:
            return {name: names[name] for name in sorted(chosen)}, count
    return {}, 1


def _frontiers(graph: onnx.GraphProto, count: int) -> set[str]:
    """All that is handed from one part to later ones if the nodes are cut into so many parts."""
    made: dict[str, int] = {}
    handed: set[str] = set()
    for position, node in enumerate(graph.node):
        part = position * count // len(graph.node)
        handed.update(name for name in node.input if made.get(name, part) < part)
        made.update(dict.fromkeys(node.output, part))
    return handed


def _with_outputs(path: Path, names: list[str]) -> tuple[onnx.ModelProto, Path]:
    """A model that hands out some inner results too, after its own."""
    model = onnx_files.read_graph(path)
    own = {output.name for output in model.graph.output}
    for name in names:
        if name not in own:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model, path


def _cut(model: onnx.ModelProto, given: Outputs) -> onnx.ModelProto:
    """Have a model hand out what it makes of some inner results, and take them from outside."""
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


def _run(made: tuple[onnx.ModelProto, Path], inputs: Outputs, threads: int) -> Outputs:
    """Run a model made from a file, beside which its weights lie."""
    from turnkeyml.runtimes.ort_session import run_once

    model, origin = made
    path = origin.with_name(f"{origin.stem}-parts.onnx")
    try:
        onnx.save(model, str(path))
        return run_once(str(path), inputs, threads)
    finally:
        path.unlink(missing_ok=True)
