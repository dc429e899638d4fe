"""The largest magnitudes of the values inside a model when it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

from turnkeyml.verify.reference import Outputs

__all__ = ["largest_magnitudes"]

AT_ONCE_BYTES = 2 << 30
"""The most bytes of values that one run may keep in memory."""


def largest_magnitudes(
    model: onnx.ModelProto, source: Path, inputs: Outputs, threads: int
) -> dict[str, float]:
    """The largest magnitude of each float32 value when the model runs on these inputs.

    ``model`` is ``source`` with inferred shapes; its external data files are beside ``source``.
    """
    largest: dict[str, float] = {}
    for names in _batches(_floats(model.graph)):
        largest |= _run(_probe(model, names), source, names, inputs, threads)
    return largest


def _floats(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    """The float32 values of a graph, without stale entries (``STALE_VALUE_INFO``)."""
    produced = {name for node in graph.node for name in node.output}
    inner = (value for value in graph.value_info if value.name in produced)
    values = [*graph.input, *graph.output, *inner]
    return [v for v in values if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT]


def _batches(values: list[Any]) -> Iterator[list[str]]:
    """The names of the values, in batches that fit in memory."""
    names: list[str] = []
    total = 0
    for value in values:
        dims = value.type.tensor_type.shape.dim
        size = 4 * math.prod(max(d.dim_value, 1) for d in dims)
        if names and total + size > AT_ONCE_BYTES:
            yield names
            names, total = [], 0
        names.append(value.name)
        total += size
    yield names


def _probe(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    """A copy of a model whose outputs are the largest magnitudes of some values."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    for number, name in enumerate(names):
        magnitude, largest = f"turnkey_magnitude_{number}", f"turnkey_largest_{number}"
        probe.graph.node.append(onnx.helper.make_node("Abs", [name], [magnitude]))
        node = onnx.helper.make_node("ReduceMax", [magnitude], [largest], keepdims=0)
        probe.graph.node.append(node)
        output = onnx.helper.make_tensor_value_info(largest, onnx.TensorProto.FLOAT, [])
        probe.graph.output.append(output)
    return probe


def _run(
    probe: onnx.ModelProto, source: Path, names: list[str], inputs: Outputs, threads: int
) -> dict[str, float]:
    from turnkeyml.runtimes.ort_session import run_once

    path = source.with_name(f"{source.stem}-ranges.onnx")
    try:
        onnx.save(probe, str(path))
        found = run_once(str(path), inputs, threads, level="none")
    finally:
        path.unlink(missing_ok=True)
    return {name: float(largest) for name, largest in zip(names, found.values(), strict=True)}
