"""Exporting a live Keras model to ONNX with Keras's own ``export``.

The exporters write some nodes that ONNX Runtime cannot run; these are repaired.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from turnkeyml import structure
from turnkeyml.build import MODEL, ONNX, BuildContext, Stage, check_onnx, opset_of
from turnkeyml.errors import BuildError
from turnkeyml.frameworks.keras.models import (
    backend_name,
    from_numpy,
    missing_exporter,
    no_gradients,
    preserved,
)
from turnkeyml.frameworks.keras.subject import KerasSubject

MOST_POOLED = 3
"""The most dimensions that ONNX Runtime pools over."""


class ExportKeras(Stage):
    """Export with the shapes of the call, and verify the file."""

    name = "export_keras"
    message = "Exporting Keras to ONNX"
    needs = frozenset({MODEL})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        subject = bench.subject
        if not isinstance(subject, KerasSubject):
            raise BuildError("export_keras exports Keras models only; leave it out of the sequence")
        if missing := missing_exporter():
            raise BuildError(missing)
        path = bench.work / bench.onnx_name("base")
        with preserved(subject.model), no_gradients():
            _export(subject, str(path), bench.opset)
        repair(path)
        written = opset_of(path)
        if written != bench.opset and bench.opset_was_chosen:
            raise BuildError(f"opset {bench.opset} was requested, but Keras wrote opset {written}")
        bench.artifacts[ONNX] = path
        bench.facts["onnx_opset"] = written
        bench.facts["exporter"] = f"keras ({backend_name()})"
        bench.facts["precision"] = subject.precision
        bench.verdicts[path.name] = check_onnx(
            str(path), bench.reference, subject.precision, bench.threads, may_specialise=True
        )


def _export(subject: KerasSubject, path: str, opset: int) -> None:
    keras = sys.modules["keras"]
    arrays = structure.leaves((subject.args, subject.kwargs)).values()
    flat = _flattened(subject)
    flat([from_numpy(array) for array in arrays])  # only a model that was called can be exported
    specs = [
        keras.InputSpec(shape=array.shape, dtype=str(array.dtype), name=name)
        for name, array in zip(subject.input_names(), arrays, strict=True)
    ]
    flat.export(path, format="onnx", verbose=False, input_signature=[specs], opset_version=opset)


def _flattened(subject: KerasSubject) -> Any:
    """A model around the subject's that takes a list of tensors and returns one.

    A model may take and return keywords, nested dicts and flags. ONNX has only tensors.
    """
    keras = sys.modules["keras"]

    class Flattened(keras.Model):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__(autocast=False)
            self.model = subject.model

        def call(self, tensors: list[Any]) -> list[Any]:
            args, kwargs = subject.arguments(iter(tensors))
            return list(structure.leaves(self.model(*args, **kwargs), "output").values())

    return Flattened()


def repair(path: Path) -> None:
    """Replace the nodes of a file that no runtime has, if there are any."""
    model = onnx.load(str(path), load_external_data=False)
    repaired = [_repaired(node, model.graph) for node in model.graph.node]
    if all(len(nodes) == 1 for nodes in repaired):
        return
    del model.graph.node[:]
    model.graph.node.extend(node for nodes in repaired for node in nodes)
    onnx.save(model, str(path))


def _repaired(node: Any, graph: Any) -> list[Any]:
    """The nodes that compute what a node does; the node itself if it needs no repair."""
    remedy = _REMEDIES.get(node.op_type)
    return (remedy(node, graph) if remedy else None) or [node]


def _erfc(node: Any, graph: Any) -> list[Any]:
    """1 - Erf (``workarounds.keras.ERFC``)."""
    name = node.output[0]
    one = _constant(graph, f"{name}_one", np.float32(1))
    return [
        helper.make_node("Erf", node.input, [f"{name}_erf"]),
        helper.make_node("CastLike", [one, node.input[0]], [f"{name}_like"]),
        helper.make_node("Sub", [f"{name}_like", f"{name}_erf"], node.output),
    ]


def _pooling_of_images(node: Any, graph: Any) -> list[Any] | None:
    """A pooling of images with channels first (``workarounds.keras.POOLING``).

    The given one treats batch, height, width and channels as the dimensions of one large image.
    """
    settings = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    kernel = settings.get("kernel_shape", [])
    rank = len(kernel)
    if rank <= MOST_POOLED or (kernel[0], kernel[-1]) != (1, 1):
        return None
    inner = {n: _without_ends(v, rank) for n, v in settings.items() if isinstance(v, list)}
    if any(values is None for values in inner.values()):
        return None
    name = node.output[0]
    axes = _constant(graph, f"{name}_axes", np.array([0, 1], np.int64))
    first = [0, rank - 1, *range(1, rank - 1)]
    last = [0, *range(2, rank), 1]
    steps = [f"{name}_{step}" for step in ("image", "first", "pooled", "last")]
    return [
        helper.make_node("Squeeze", [node.input[0], axes], steps[:1]),
        helper.make_node("Transpose", steps[:1], steps[1:2], perm=first),
        helper.make_node("MaxPool", steps[1:2], steps[2:3], **{**settings, **inner}),
        helper.make_node("Transpose", steps[2:3], steps[3:], perm=last),
        helper.make_node("Unsqueeze", [steps[3], axes], node.output),
    ]


def _without_ends(values: list[int], rank: int) -> list[int] | None:
    """A setting for height and width alone; None if it does something to the other dimensions."""
    rows = [values[i : i + rank] for i in range(0, len(values), rank)]
    if any(row[0] != row[-1] or row[0] not in (0, 1) for row in rows):
        return None
    return [value for row in rows for value in row[1:-1]]


def _constant(graph: Any, name: str, value: Any) -> str:
    """The name of a new constant of a graph."""
    graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


_REMEDIES: dict[str, Callable[[Any, Any], list[Any] | None]] = {
    "Erfc": _erfc,
    "MaxPool": _pooling_of_images,
}
