"""Does a build in a lower precision compute the same thing, looked at part by part?

Some models amplify the smallest difference: after a hundred layers of random weights nothing of it
can be seen whether a difference came from rounding or from an error. So the file is cut at results
of multiplications, and every part is given what the file it was made from computes up to there.
What a part adds of its own is then as plain as in a shallow model.
"""

from __future__ import annotations

import math
from pathlib import Path

import onnx

from turnkeyml.build import onnx_files
from turnkeyml.build.half import MULTIPLICATIONS
from turnkeyml.build.reference import Outputs, Reference
from turnkeyml.build.verify import compare
from turnkeyml.records import Verification

__all__ = ["IN_PARTS", "verify_parts"]

IN_PARTS = "in each of"
"""How the reason of such a verdict begins."""

MOST_CUTS = 64
AT_ONCE_BYTES = 1 << 30
"""What the results at all cuts may take, in float32."""


def verify_parts(
    exact: Path, half: Path, inputs: Outputs, precision: str, threads: int
) -> tuple[Verification, int]:
    """The verdict on the parts of a file against the one that it was made from; how many."""
    cuts = _cuts(exact, half)
    golden = _run(_with_outputs(exact, cuts), inputs, threads)
    given = {name: golden[name] for name in cuts}
    found = _run(_cut(half, given), {**inputs, **given}, threads)
    return compare(found, Reference(inputs, golden), precision), len(cuts) + 1


def _cuts(exact: Path, half: Path) -> list[str]:
    """Results that both files have, evenly spread."""
    model = onnx.shape_inference.infer_shapes(onnx_files.read_graph(exact))
    ends = {output.name for output in model.graph.output}
    sizes = {
        value.name: 4 * math.prod(max(d.dim_value, 1) for d in value.type.tensor_type.shape.dim)
        for value in model.graph.value_info
    }
    names = _multiplied(onnx_files.read_graph(half))
    names = [n for n in _multiplied(model) if n in set(names) and n in sizes and n not in ends]
    count = min(len(names), MOST_CUTS)
    while True:
        chosen = [names[i * len(names) // count] for i in range(count)]
        if sum(sizes[name] for name in chosen) <= AT_ONCE_BYTES:
            return chosen
        count -= 1


def _multiplied(model: onnx.ModelProto) -> list[str]:
    return [node.output[0] for node in model.graph.node if node.op_type in MULTIPLICATIONS]


def _with_outputs(path: Path, names: list[str]) -> tuple[onnx.ModelProto, Path]:
    """A model that hands out some inner results too, after its own."""
    model = onnx_files.read_graph(path)
    for name in names:
        model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model, path


def _cut(path: Path, given: Outputs) -> tuple[onnx.ModelProto, Path]:
    """A model that hands out what it makes of some inner results, and is given them to go on."""
    model = onnx_files.read_graph(path)
    made = {name: f"{name}_made" for name in given}
    for node in model.graph.node:
        if node.output and node.output[0] in made:
            node.output[0] = made[node.output[0]]
    for name, array in given.items():
        half, shape = onnx.TensorProto.FLOAT16, list(array.shape)
        model.graph.input.append(onnx.helper.make_tensor_value_info(name, half, shape))
        model.graph.output.append(onnx.helper.make_tensor_value_info(made[name], half, shape))
    return model, path


def _run(made: tuple[onnx.ModelProto, Path], inputs: Outputs, threads: int) -> Outputs:
    """Run a model made from a file, beside which its weights lie."""
    from turnkeyml.runtimes.ort import OrtSession

    model, origin = made
    path = origin.with_name(f"{origin.stem}-parts.onnx")
    try:
        onnx.save(model, str(path))
        return OrtSession(str(path), inputs, threads).outputs()
    finally:
        path.unlink(missing_ok=True)
