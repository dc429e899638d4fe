"""Converting an ONNX model to float16 without ever holding its weights in memory at once.

The graph is converted by ONNX Runtime's own converter, which sees weights that lie in external
files only by name, type and shape; those weights are then converted from file to file in blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import onnx
from onnx.external_data_helper import ExternalDataInfo, set_external_data

from turnkeyml.build import onnx_files
from turnkeyml.records import Verification

__all__ = ["convert_to_float16", "worth_keeping"]

BLOCK = 1 << 24
ALIGNMENT = 4096
RANDOM_OPERATORS = ["RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"]
"""ONNX Runtime draws no random numbers in float16."""


MULTIPLICATIONS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})

_CANNOT_RUN = (
    re.compile(r"while running (\w+) node"),
    re.compile(r"Could not find an implementation for (\w+)\("),
    re.compile(r"of operator \((\w+)\) in node"),
    re.compile(r"of Optype \((\w+)\)"),
)
"""How ONNX Runtime names the operator that it cannot run."""


def worth_keeping(source: Path, verdict: Verification, kept: list[str]) -> list[str]:
    """Operators that should stay in float32 for a better verdict; none if nothing is left to try.

    One that cannot be run in float16 is named by the runtime. Where numbers are too large or too
    small for float16, it is almost always outside of the multiplications.
    """
    if verdict.verdict == "not checked":
        found = (pattern.search(verdict.reason) for pattern in _CANNOT_RUN)
        named = [match.group(1) for match in found if match]
        return [name for name in named[:1] if name not in kept]
    there = {node.op_type for node in onnx_files.read_graph(source).graph.node}
    return sorted(there - MULTIPLICATIONS - {*kept, "Constant"})


def convert_to_float16(source: Path, target: Path, keep: Sequence[str] = ()) -> None:
    """Write ``source`` in float16, inputs and outputs included, as ``target``.

    Operators to ``keep`` stay in float32.
    """
    from onnxruntime.transformers.float16 import DEFAULT_OP_BLOCK_LIST, convert_float_to_float16
    from onnxruntime.transformers.onnx_model import OnnxModel

    model = onnx_files.read_graph(source)
    onnx_files.load_inner_data(model, source.parent)
    model = onnx.shape_inference.infer_shapes(model)
    places = _detach(model)
    blocked = [*DEFAULT_OP_BLOCK_LIST, *RANDOM_OPERATORS, *keep]
    model = convert_float_to_float16(model, disable_shape_infer=True, op_block_list=blocked)
    _drop_repeated_casts(model)
    OnnxModel(model).topological_sort()
    del model.graph.value_info[:]  # shapes inferred from detached weights; runtimes infer their own
    if places:
        _reattach(model, places, source.parent, target.with_name(f"{target.name}.data"))
    onnx.save(model, str(target))


def _drop_repeated_casts(model: onnx.ModelProto) -> None:
    """The converter adds a cast once for each operator that needs it, all of the same name."""
    seen: set[str] = set()
    for node in list(model.graph.node):
        if node.op_type == "Cast" and node.output[0] in seen:
            model.graph.node.remove(node)
        seen.update(node.output)


@dataclass(frozen=True)
class _Place:
    """Where an external weight lies, and what it was before the conversion."""

    location: str
    offset: int
    length: int
    data_type: int
    dims: tuple[int, ...]

    @classmethod
    def of(cls, tensor: Any) -> _Place:
        info = ExternalDataInfo(tensor)
        item = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        length = info.length or int(np.prod(tensor.dims, dtype=np.int64)) * item
        dims = tuple(tensor.dims)
        return cls(info.location, info.offset or 0, int(length), tensor.data_type, dims)


def _detach(model: onnx.ModelProto) -> dict[str, _Place]:
    """Make external weights look like ordinary empty ones; where they really are."""
    places = {}
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            places[tensor.name] = _Place.of(tensor)
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.external_data[:]
            tensor.dims[:] = [0]
    return places


def _reattach(model: onnx.ModelProto, places: dict[str, _Place], folder: Path, data: Path) -> None:
    """Write the weights into a new data file, in the types that the converter chose for them."""
    with data.open("wb") as output:
        for tensor in model.graph.initializer:
            place = places.get(tensor.name)
            if place is None:
                continue
            output.write(b"\0" * (-output.tell() % ALIGNMENT))
            begin = output.tell()
            with (folder / place.location).open("rb") as weights:
                weights.seek(place.offset)
                _copy(weights, output, place.length, tensor.data_type != place.data_type)
            tensor.dims[:] = place.dims
            tensor.raw_data = b""
            set_external_data(tensor, data.name, begin, output.tell() - begin)
            tensor.ClearField("raw_data")


def _copy(weights: BinaryIO, output: BinaryIO, length: int, halve: bool) -> None:
    from onnxruntime.transformers.float16 import convert_np_to_float16

    while length > 0:
        block = weights.read(min(BLOCK, length))
        if not block:
            raise OSError(f"{weights.name} is shorter than the model says")
        length -= len(block)
        if halve:
            block = convert_np_to_float16(np.frombuffer(block, np.float32)).tobytes()
        output.write(block)
