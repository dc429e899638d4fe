"""The largest magnitudes of the values inside a model when it runs."""

from __future__ import annotations

from pathlib import Path

import onnx

from turnkeyml.verify import Outputs


def largest_magnitudes(
    model: onnx.ModelProto, source: Path, inputs: Outputs, threads: int
) -> dict[str, float]:
    """The largest magnitude of each float32 value when the model runs once on these inputs.

    ``model`` is ``source`` with inferred shapes; its external data files are beside ``source``.
    """
    names = _floats(model.graph)
    return _largest_of_run(_probe(model, names), source, names, inputs, threads)


def _floats(graph: onnx.GraphProto) -> list[str]:
    """The float32 values of a graph in the order in which they are computed.

    Some files describe values that they no longer have (``STALE_VALUE_INFO``).
    """
    values = (*graph.input, *graph.output, *graph.value_info)
    kinds = {value.name: value.type.tensor_type.elem_type for value in values}
    made = [name for node in graph.node for name in node.output]
    names = dict.fromkeys([*(value.name for value in graph.input), *made])
    return [name for name in names if kinds.get(name) == onnx.TensorProto.FLOAT]


def _probe(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    """A copy of a model whose outputs are the largest magnitudes of some values.

    ONNX Runtime begins with what leads to the last outputs of a graph. So the first value comes
    last: every value is reduced to a number as soon as it is there, and its memory is free again.
    """
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    for number in reversed(range(len(names))):
        magnitude, largest = f"turnkey_magnitude_{number}", f"turnkey_largest_{number}"
        probe.graph.node.append(onnx.helper.make_node("Abs", [names[number]], [magnitude]))
        node = onnx.helper.make_node("ReduceMax", [magnitude], [largest], keepdims=0)
        probe.graph.node.append(node)
        output = onnx.helper.make_tensor_value_info(largest, onnx.TensorProto.FLOAT, [])
        probe.graph.output.append(output)
    return probe


def _largest_of_run(
    probe: onnx.ModelProto, source: Path, names: list[str], inputs: Outputs, threads: int
) -> dict[str, float]:
    from turnkeyml.runtimes import run_once

    path = source.with_name(f"{source.stem}-ranges.onnx")
    try:
        onnx.save(probe, str(path))
        found = run_once(str(path), inputs, threads, level="none")
    finally:
        path.unlink(missing_ok=True)
    return {
        name: float(largest) for name, largest in zip(reversed(names), found.values(), strict=True)
    }
