"""Converting external weights from file to file: to float16, or from bfloat16 to float32.

Converters of graphs need weights in memory. So external weights are detached from the graph before
one runs, and converted in blocks afterwards: memory does not grow with the model. onnx-ir would
load whole tensors instead; benchmarks/external_data.py has the comparison.

A bfloat16 model is widened to float32 for runtimes that do not run bfloat16. Every bfloat16 number
is a float32 number, so that the weights stay what they are. What is computed from them is rounded
less often than in the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.external_data_helper import ExternalDataInfo, set_external_data

from turnkeyml.build import onnx_graph
from turnkeyml.build.onnx_graph import ALIGNMENT
from turnkeyml.cache import widen

Convert = Callable[[bytes], bytes]

BLOCK = 1 << 18
"""The bytes that are converted at a time. Larger blocks cause page faults for every block."""

_MAGNITUDE, _INFINITE = np.uint16(0x7FFF), np.uint16(0x7C00)
"""The bit mask of the magnitude of a float16; the bits of infinity."""

NAMES_A_TYPE = frozenset({"to", "dtype", "output_datatype"})
"""Attributes of nodes that are the type of a tensor, as that of a Cast."""


@dataclass(frozen=True)
class Location:
    """Where an external tensor is stored, and its dtype and shape there."""

    file: str
    offset: int
    length: int
    data_type: int
    dims: tuple[int, ...]

    @classmethod
    def of(cls, tensor: Any) -> Location:
        info = ExternalDataInfo(tensor)
        item = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        length = info.length or int(np.prod(tensor.dims, dtype=np.int64)) * item
        dims = tuple(tensor.dims)
        return cls(info.location, info.offset or 0, int(length), tensor.data_type, dims)


def detach(model: onnx.ModelProto) -> dict[str, Location]:
    """Replace each external weight by an empty tensor; return where the weights are stored."""
    locations = {}
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            locations[tensor.name] = Location.of(tensor)
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.external_data[:]
            tensor.dims[:] = [0]
    return locations


def reattach(
    model: onnx.ModelProto, locations: dict[str, Location], folder: Path, data: Path
) -> None:
    """Write detached weights to a new data file, each in the current dtype of its tensor."""
    with data.open("wb") as output:
        for tensor in model.graph.initializer:
            location = locations.get(tensor.name)
            if location is None:
                continue
            output.write(b"\0" * (-output.tell() % ALIGNMENT))
            begin = output.tell()
            with (folder / location.file).open("rb") as weights:
                weights.seek(location.offset)
                convert = _conversion(location.data_type, tensor.data_type)
                _copy(weights, output, location.length, convert)
            tensor.dims[:] = location.dims
            tensor.raw_data = b""
            set_external_data(tensor, data.name, begin, output.tell() - begin)
            tensor.ClearField("raw_data")


def _conversion(before: int, after: int) -> Convert | None:
    """The function that converts a block; None if the type stays the same."""
    if before == after:
        return None
    return {
        (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16): _halved,
        (onnx.TensorProto.BFLOAT16, onnx.TensorProto.FLOAT): _widened,
    }[before, after]


def _halved(block: bytes) -> bytes:
    return to_float16(np.frombuffer(block, np.float32)).tobytes()


def _widened(block: bytes) -> bytes:
    return widen(np.frombuffer(block, np.uint16)).tobytes()


def _copy(weights: BinaryIO, output: BinaryIO, length: int, convert: Convert | None) -> None:
    while length > 0:
        block = weights.read(min(BLOCK, length))
        if not block:
            raise OSError(f"{weights.name} is truncated: the model needs more data")
        length -= len(block)
        output.write(block if convert is None else convert(block))


def to_float16(numbers: np.ndarray) -> np.ndarray:
    """The numbers rounded to float16 without overflow to infinity or underflow to zero.

    Zeros, infinities and NaNs are preserved. The converter's own function gives the same result
    in twenty passes over the data, which takes seconds per gigabyte.
    """
    with np.errstate(over="ignore"):
        half = numbers.astype(np.float16)
    bits = half.view(np.uint16)
    magnitude = bits & _MAGNITUDE
    lost = np.flatnonzero((magnitude == 0) | (magnitude == _INFINITE))
    numbers = numbers[lost]
    bits[lost[np.isfinite(numbers) & (magnitude[lost] == _INFINITE)]] -= 1
    bits[lost[(numbers != 0) & (magnitude[lost] == 0)]] += 1
    return half


def widen_bfloat16(path: Path) -> bool:
    """Replace an ONNX file by one that computes in float32 where it has bfloat16; whether it has.

    External weights go from file to file in blocks, so that memory does not grow with the model.
    """
    model = onnx_graph.read_graph(path)
    onnx_graph.load_inner_data(model, path.parent)
    found = detach(model)
    old = {path.parent / location.file for location in found.values()}
    if not _widen_graph(model.graph):
        return False
    for function in model.functions:
        _widen_nodes(function.node)
    data = path.with_name(f"{path.name}.fp32.data")
    if found:
        reattach(model, found, path.parent, data)
    onnx.save(model, str(path))
    for file in old:
        file.unlink()
    return True


def _widen_graph(graph: Any) -> bool:
    """Turn every type and tensor of a graph; whether there was anything to turn."""
    changed = [_widen_tensor(tensor) for tensor in graph.initializer]
    for value in (*graph.input, *graph.output, *graph.value_info):
        changed += [_widen_type(kind) for kind in _tensor_types(value.type)]
    return any([*changed, _widen_nodes(graph.node)])


def _widen_nodes(nodes: Any) -> bool:
    changed = False
    for node in nodes:
        for attribute in node.attribute:
            if attribute.name in NAMES_A_TYPE and attribute.i == TensorProto.BFLOAT16:
                attribute.i = TensorProto.FLOAT
                changed = True
            for tensor in (*attribute.tensors, *([attribute.t] if attribute.HasField("t") else [])):
                changed |= _widen_tensor(tensor)
            for body in onnx_graph.nested_graphs(attribute):
                changed |= _widen_graph(body)
    return changed


def _widen_tensor(tensor: Any) -> bool:
    """Turn one tensor; a detached one has no values here, only a type."""
    if tensor.data_type != TensorProto.BFLOAT16:
        return False
    bits = np.frombuffer(tensor.raw_data, np.uint16)
    if not tensor.HasField("raw_data"):
        bits = np.asarray(tensor.int32_data, np.uint16)
    wide = numpy_helper.from_array(widen(bits).reshape(tuple(tensor.dims)), tensor.name)
    tensor.CopyFrom(wide)
    return True


def _widen_type(kind: Any) -> bool:
    if kind.elem_type != TensorProto.BFLOAT16:
        return False
    kind.elem_type = TensorProto.FLOAT
    return True


def _tensor_types(kind: Any) -> Iterator[Any]:
    """The tensor types in a type: itself, or those of the elements of a sequence."""
    if kind.HasField("tensor_type"):
        yield kind.tensor_type
    elif kind.HasField("sequence_type"):
        yield from _tensor_types(kind.sequence_type.elem_type)
    elif kind.HasField("optional_type"):
        yield from _tensor_types(kind.optional_type.elem_type)
