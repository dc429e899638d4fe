"""An ONNX file as an invocation: its hash, its inputs, and values for them."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from turnkeyml import structure
from turnkeyml.build import onnx_files
from turnkeyml.build.fingerprint import file_digest
from turnkeyml.cache.layout import build_name
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.frameworks.hashes import hash_invocation
from turnkeyml.frameworks.onnx.subject import OnnxSubject
from turnkeyml.nouns import Input, InvocationRecord

__all__ = ["read_onnx"]

MODEL_TYPE = "ONNX File (.onnx)"

MOST_ELEMENTS = 2**31
"""Of one input; more than that is damage, not a size."""


def read_onnx(item: Input) -> OnnxSubject:
    """The one invocation of an ONNX file, with inputs that are valid for it."""
    path = Path(os.path.realpath(item.path))  # which a loop of links does not stop
    if not path.is_file():  # reading a pipe may never end
        raise TurnkeyError(f"{path.name} is not a regular file.")
    try:
        return _read(item, path)
    except (TurnkeyError, OSError):
        raise
    except Exception as error:  # a damaged graph may be wrong in any way
        why = describe(error)
        raise TurnkeyError(f"{path.name} is not a valid ONNX file ({why}).") from error


def _read(item: Input, path: Path) -> OnnxSubject:
    graph = onnx_files.read_graph(path).graph
    data = onnx_files.data_files(path)
    arrays = _make_inputs(graph)
    model_hash = file_digest([path, *data])[:8]
    shapes, dtypes = structure.shapes(arrays), structure.dtypes(arrays)
    digest = hash_invocation(model_hash, None, shapes, dtypes)
    parameters, size = _count(graph)
    record = InvocationRecord(
        name=item.stem,
        model_type=MODEL_TYPE,
        class_name="ONNX",
        class_repr="",  # a file is no instance of a class
        file=str(path),
        line=0,
        parameters=parameters,
        parameter_bytes=size,
        model_hash=model_hash,
        hash=digest,
        parent_hash=None,
        depth=0,
        shapes=shapes,
        dtypes=dtypes,
        build_name=build_name(item.stem, digest),
    )
    return OnnxSubject(record, path, arrays)


def _make_inputs(graph: Any) -> dict[str, np.ndarray]:
    """Values for every input: small random numbers, indices that any table has, masks of ones."""
    weights = {tensor.name for tensor in graph.initializer}
    random = np.random.default_rng(0)
    return {
        value.name: _make_input(value, random) for value in graph.input if value.name not in weights
    }


def _make_input(value: Any, random: np.random.Generator) -> np.ndarray:
    kind = value.type.tensor_type
    if not value.type.HasField("tensor_type"):
        raise TurnkeyError(
            f"The input {value.name!r} is not a tensor, and only tensors can be fed."
        )
    shape = [d.dim_value if d.HasField("dim_value") else 1 for d in kind.shape.dim]
    if kind.elem_type == onnx.TensorProto.UNDEFINED:
        raise TurnkeyError(f"The input {value.name!r} has no element type, so it cannot be fed.")
    if kind.elem_type == onnx.TensorProto.BFLOAT16:
        raise TurnkeyError(f"The input {value.name!r} is bfloat16, which cannot be fed yet.")
    if math.prod(shape) > MOST_ELEMENTS:
        raise TurnkeyError(f"The input {value.name!r} is too large to make up values for it.")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if dtype.kind in "iub":
        ones = dtype.kind == "b" or "mask" in value.name.lower()
        return np.ones(shape, dtype) if ones else random.integers(0, 2, shape).astype(dtype)
    if dtype.kind != "f":
        name = onnx.TensorProto.DataType.Name(kind.elem_type)
        raise TurnkeyError(f"The input {value.name!r} is of type {name}, which cannot be fed.")
    return random.standard_normal(shape).astype(dtype)


def _count(graph: Any) -> tuple[int, int]:
    sizes = [(int(np.prod(t.dims)), t.data_type) for t in graph.initializer]
    total = sum(n * onnx.helper.tensor_dtype_to_np_dtype(kind).itemsize for n, kind in sizes)
    return sum(n for n, _ in sizes), total
