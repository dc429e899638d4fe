"""Reading an ONNX file as an invocation: its hash, its inputs, and generated input values."""

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
    """The single invocation of an ONNX file, with generated inputs of the right shapes."""
    path = Path(os.path.realpath(item.path))  # unlike resolve(), it survives a loop of links
    if not path.is_file():  # reading a pipe may block forever
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
    parameters, parameter_bytes = _count_parameters(graph)
    record = InvocationRecord(
        name=item.stem,
        model_type=MODEL_TYPE,
        class_name="ONNX",
        class_repr="",  # a file has no class
        file=str(path),
        line=0,
        parameters=parameters,
        parameter_bytes=parameter_bytes,
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
    """Generated values for every input.

    Floats are random, integers are 0 or 1 (valid indices for any embedding), masks are ones.
    """
    weights = {tensor.name for tensor in graph.initializer}
    random = np.random.default_rng(0)
    return {
        value.name: _make_input(value, random) for value in graph.input if value.name not in weights
    }


def _make_input(value: Any, random: np.random.Generator) -> np.ndarray:
    kind = value.type.tensor_type
    if not value.type.HasField("tensor_type"):
        raise TurnkeyError(
            f"The input {value.name!r} is not a tensor; only tensor inputs are supported."
        )
    shape = [d.dim_value if d.HasField("dim_value") else 1 for d in kind.shape.dim]
    if kind.elem_type == onnx.TensorProto.UNDEFINED:
        raise TurnkeyError(f"The input {value.name!r} has no dtype; declare one in the file.")
    if kind.elem_type == onnx.TensorProto.BFLOAT16:
        raise TurnkeyError(f"The input {value.name!r} has the unsupported dtype bfloat16.")
    if math.prod(shape) > MOST_ELEMENTS:
        raise TurnkeyError(f"The input {value.name!r} is too large to generate values for it.")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if dtype.kind in "iub":
        ones = dtype.kind == "b" or "mask" in value.name.lower()
        return np.ones(shape, dtype) if ones else random.integers(0, 2, shape).astype(dtype)
    if dtype.kind != "f":
        name = onnx.TensorProto.DataType.Name(kind.elem_type)
        raise TurnkeyError(f"The input {value.name!r} has the unsupported dtype {name}.")
    return random.standard_normal(shape).astype(dtype)


def _count_parameters(graph: Any) -> tuple[int, int]:
    """The number of weights in a graph and their size in bytes."""
    counts = [(int(np.prod(t.dims)), t.data_type) for t in graph.initializer]
    total = sum(n * onnx.helper.tensor_dtype_to_np_dtype(kind).itemsize for n, kind in counts)
    return sum(n for n, _ in counts), total
