"""Reading and copying ONNX files of any size, with or without external data."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import onnx
from onnx.external_data_helper import ExternalDataInfo

from turnkeyml.errors import BuildError

__all__ = [
    "copy_model",
    "data_files",
    "drop_unused_opsets",
    "embed_external_data",
    "has_half_precision",
    "load_inner_data",
    "nested_graphs",
    "opset_of",
    "read_graph",
    "total_bytes",
    "with_shapes",
]

ONE_FILE_BYTES = 100_000_000
"""The weights of larger models go to an external data file, which needs far less memory."""

MAX_SHAPE_ELEMENTS = 100_000
"""Integer tensors with more elements are data, not shapes."""


def read_graph(path: Path) -> onnx.ModelProto:
    """The model in a file, without its external data."""
    if path.is_file() and path.stat().st_size == 0:  # see workarounds.elsewhere.EMPTY_FILE
        raise BuildError(f"{path.name} is not a valid ONNX file (the file is empty)")
    try:
        return onnx.load(str(path), load_external_data=False)
    except Exception as error:
        raise BuildError(
            f"{path.name} is not a valid ONNX file ({type(error).__name__})"
        ) from error


def with_shapes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the inferred shapes and types of its inner values.

    Some files that runtimes accept contradict onnx's own inference; these come back as they are.
    """
    try:
        return onnx.shape_inference.infer_shapes(model)
    except onnx.shape_inference.InferenceError as error:
        print(f"The shapes of inner values are not known: {error}", flush=True)
        return model


def opset_of(path: Path) -> int:
    """The opset of the standard ONNX operators in a file."""
    opsets = {o.domain: o.version for o in read_graph(path).opset_import}
    return int(opsets.get("", 0))


def data_files(path: Path) -> list[Path]:
    """The external data files of a model, which must be in its folder or below.

    A model can come from anyone, and its external data is read and copied: a symbolic link out of
    the folder is refused, as a path out of it is.
    """
    names: set[str] = set()
    for tensor in _tensors(read_graph(path)):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            places = [e.value for e in tensor.external_data if e.key == "location"]
            names.update(places or [""])
    return [_data_file(path, name) for name in sorted(names)]


def _data_file(path: Path, name: str) -> Path:
    outside = BuildError(f"{path.name} refers to external data outside of its folder: {name}")
    missing = BuildError(f"External data file not found: {path.name} needs {name!r} beside it")
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise outside
    file = path.parent / name
    try:
        real = file.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # missing, a loop of links, an impossible name
        raise missing from None
    if not real.is_relative_to(path.parent.resolve()):
        raise outside
    if not real.is_file():
        raise missing
    return file


def load_inner_data(model: onnx.ModelProto, folder: Path) -> None:
    """Load all external data except the weights of the main graph."""
    for tensor in _inner_tensors(model.graph):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            _load_external_data(tensor, folder)


def _load_external_data(tensor: Any, folder: Path) -> None:
    onnx.external_data_helper.load_external_data_for_tensor(tensor, str(folder))
    tensor.data_location = onnx.TensorProto.DEFAULT
    del tensor.external_data[:]


def embed_external_data(path: Path, source: Path) -> None:
    """Move external data that must be in the graph into a file that ONNX Runtime saved.

    These are shapes (``SIZES_IN_EXTERNAL_DATA``), and data that is still in an external file of
    ``source``, from which ONNX Runtime made the file (``SOURCE_DATA``).
    """
    model = read_graph(path)
    external = [
        tensor
        for tensor in model.graph.initializer
        if tensor.data_location == onnx.TensorProto.EXTERNAL
    ]
    changed = False
    for tensor in external:
        beside = (path.parent / ExternalDataInfo(tensor).location).is_file()
        integer = tensor.data_type in (onnx.TensorProto.INT32, onnx.TensorProto.INT64)
        if not beside or (integer and math.prod(tensor.dims) <= MAX_SHAPE_ELEMENTS):
            _load_external_data(tensor, path.parent if beside else source.parent)
            changed = True
    if changed:
        onnx.save(model, str(path))


def drop_unused_opsets(path: Path, source: Path) -> None:
    """Remove the opsets that ONNX Runtime added to a file that it made from ``source``.

    It declares the newest opset of every domain that it knows, also of those that no node uses. An
    older version refuses the file for that.
    """
    model = read_graph(path)
    needed = {*_domains(model.graph), *(o.domain for o in read_graph(source).opset_import)}
    kept = [opset for opset in model.opset_import if opset.domain in needed]
    if len(kept) < len(model.opset_import):
        del model.opset_import[:]
        model.opset_import.extend(kept)
        onnx.save(model, str(path))


def total_bytes(path: Path) -> int:
    """The size of a model on disk, including its external data."""
    return path.stat().st_size + sum(file.stat().st_size for file in data_files(path))


def has_half_precision(path: Path) -> bool:
    """Whether a model has float16 or bfloat16 tensors."""
    half = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
    return any(tensor.data_type in half for tensor in _tensors(read_graph(path)))


def copy_model(source: Path, target: Path) -> None:
    """Copy a model and its external data into another folder, with the same relative paths."""
    for file in data_files(source):
        destination = target.parent / file.relative_to(source.parent)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, destination)
    shutil.copyfile(source, target)


def _domains(graph: Any) -> set[str]:
    """The domains of the operators in a graph, including nested ones."""
    found = {node.domain for node in graph.node}
    for node in graph.node:
        for attribute in node.attribute:
            for body in nested_graphs(attribute):
                found |= _domains(body)
    return found


def nested_graphs(attribute: Any) -> list[Any]:
    """The graphs in an attribute, such as the branches of an If."""
    return [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]


def _tensors(model: onnx.ModelProto) -> list[Any]:
    """Every stored tensor of a model, including those of nested graphs."""
    return [*model.graph.initializer, *_inner_tensors(model.graph)]


def _inner_tensors(graph: Any) -> list[Any]:
    """The tensors of a graph except its own weights: constants, and those of nested graphs."""
    found: list[Any] = []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                found.append(attribute.t)
            for body in nested_graphs(attribute):
                found += [*body.initializer, *_inner_tensors(body)]
    return found
