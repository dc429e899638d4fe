"""Converting external weights from file to file: to float16, or from bfloat16 to float32.

Converters of graphs need weights in memory. So external weights are detached from the graph before
one runs, and converted in blocks afterwards: memory does not grow with the model. onnx-ir would
load whole tensors instead; benchmarks/external_data.py has the comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import onnx
from onnx.external_data_helper import ExternalDataInfo, set_external_data

from turnkeyml.build.onnx_files import ALIGNMENT
from turnkeyml.cache import widen

Convert = Callable[[bytes], bytes]

BLOCK = 1 << 18
"""The bytes that are converted at a time. Larger blocks cause page faults for every block."""

_MAGNITUDE, _INFINITE = np.uint16(0x7FFF), np.uint16(0x7C00)
"""The bit mask of the magnitude of a float16; the bits of infinity."""


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
