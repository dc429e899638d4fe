"""ONNX files of any size: read, copied and changed, with or without external data."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
from onnx.external_data_helper import ExternalDataInfo, set_external_data

from turnkeyml.errors import BuildError

ONE_FILE_BYTES = 100_000_000
"""The weights of larger models go to an external data file, which needs far less memory."""

LEAST_EXTERNAL_BYTES = 1 << 16
"""Smaller weights stay in the graph."""

ALIGNMENT = 4096
"""The alignment of each external tensor in bytes, so that runtimes can map it into memory."""

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


def input_dtypes(model: Path) -> dict[str, str]:
    """The numpy name of the dtype of each input, by its name."""
    return {value.name: _dtype(value) for value in _inputs(model)}


def batched_inputs(model: Path) -> tuple[str, ...]:
    """The inputs whose first dimension is the batch; none if the batch has a fixed size.

    That is a dimension with a name, which all of them share, and which the outputs have too.
    """
    first = {value.name: _first_dimension(value) for value in _inputs(model)}
    names = [name for name in first.values() if name]
    if not names:
        return ()
    outputs = [_first_dimension(value) for value in read_graph(model).graph.output]
    if not all(outputs):
        return ()
    return tuple(name for name, dimension in first.items() if dimension == names[0])


def _inputs(model: Path) -> list[Any]:
    graph = read_graph(model).graph
    stored = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in stored]


def _dtype(value: Any) -> str:
    if not value.type.HasField("tensor_type"):
        raise BuildError(f"The input {value.name!r} is not a tensor")
    kind = value.type.tensor_type.elem_type
    if kind == onnx.TensorProto.STRING:
        return "string"
    if kind == onnx.TensorProto.BFLOAT16:
        return "bfloat16"
    return str(onnx.helper.tensor_dtype_to_np_dtype(kind))


def _first_dimension(value: Any) -> str:
    """The name of the first dimension; empty if it has a size, or if there is none."""
    dimensions = value.type.tensor_type.shape.dim
    return str(dimensions[0].dim_param) if len(dimensions) else ""


def has_half_precision(path: Path) -> bool:
    """Whether a model has float16 or bfloat16 tensors."""
    half = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
    return any(tensor.data_type in half for tensor in _tensors(read_graph(path)))


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


def copy_model(source: Path, target: Path) -> None:
    """Copy a model and its external data into another folder, with the same relative paths."""
    for file in data_files(source):
        destination = target.parent / file.relative_to(source.parent)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, destination)
    shutil.copyfile(source, target)


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


def settle_external_data(path: Path, source: Path) -> None:
    """Have a file that ONNX Runtime saved refer to the external data of ``source`` where it can.

    Both files will be in one folder, so that large weights need not be stored again. Small ones,
    and shapes (``SIZES_IN_EXTERNAL_DATA``), go into the graph. ONNX Runtime may write another path
    to the data of the source (``SOURCE_DATA``).
    """
    model = read_graph(path)
    is_large = sum(file.stat().st_size for file in data_files(source)) > ONE_FILE_BYTES
    known = {tensor.name: tensor for tensor in read_graph(source).graph.initializer}
    changed = False
    for tensor in filter(_is_external, model.graph.initializer):
        beside = (path.parent / ExternalDataInfo(tensor).location).is_file()
        original = known.get(tensor.name)
        integer = tensor.data_type in (onnx.TensorProto.INT32, onnx.TensorProto.INT64)
        if integer and math.prod(tensor.dims) <= MAX_SHAPE_ELEMENTS:
            _load_external_data(tensor, path.parent if beside else source.parent)
        elif is_large and not beside and original is not None and _is_external(original):
            del tensor.external_data[:]
            tensor.external_data.extend(original.external_data)
        elif not beside:
            _load_external_data(tensor, source.parent)
        else:
            continue
        changed = True
    if changed:
        onnx.save(model, str(path))


def move_weights_out(path: Path) -> None:
    """Move the weights in a graph to an external data file, if they are large together."""
    if path.stat().st_size <= ONE_FILE_BYTES:
        return
    model = read_graph(path)
    data = path.with_name(f"{path.name}.data")
    if data.exists():  # other weights of the model
        data = path.with_name(f"{path.name}.more.data")
    with data.open("wb") as output:
        for tensor in model.graph.initializer:
            if _is_external(tensor) or len(tensor.raw_data) < LEAST_EXTERNAL_BYTES:
                continue
            output.write(b"\0" * (-output.tell() % ALIGNMENT))
            begin = output.tell()
            output.write(tensor.raw_data)
            set_external_data(tensor, data.name, begin, output.tell() - begin)
            tensor.ClearField("raw_data")
    onnx.save(model, str(path))


def _is_external(tensor: Any) -> bool:
    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


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


def _domains(graph: Any) -> set[str]:
    """The domains of the operators in a graph, including nested ones."""
    found = {node.domain for node in graph.node}
    for node in graph.node:
        for attribute in node.attribute:
            for body in nested_graphs(attribute):
                found |= _domains(body)
    return found


def take_out(graph: onnx.GraphProto, wanted: Callable[[onnx.NodeProto], bool]) -> dict[str, bool]:
    """Replace each If node that has a wanted node in one branch by the nodes of that branch.

    Returns what the conditions must be for the graph to mean the same. A branch that uses a name of
    the graph for something else, and one with a constant condition, stay where they are.
    """
    made = {name for node in graph.node for name in node.output}
    conditions: dict[str, bool] = {}
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        branch = _branch(node, wanted)
        if branch is None or node.input[0] not in made or _names(branch[1]) & made:
            nodes.append(node)
            continue
        conditions[node.input[0]] = branch[0]
        made |= _names(branch[1])
        nodes += _contents(node, branch[1])
        graph.initializer.extend(branch[1].initializer)
        graph.value_info.extend(branch[1].value_info)
    if conditions:
        copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(copies)
    return conditions


def _branch(
    node: onnx.NodeProto, wanted: Callable[[onnx.NodeProto], bool]
) -> tuple[bool, onnx.GraphProto] | None:
    """The branch of an If node with a wanted node in it, and when it is taken; None for others."""
    if node.op_type != "If":
        return None
    branches = [(a.name == "then_branch", a.g) for a in node.attribute]
    found = [branch for branch in branches if any(map(wanted, branch[1].node))]
    return found[0] if len(found) == 1 else None


def _names(branch: onnx.GraphProto) -> set[str]:
    """The names that a branch gives to values."""
    computed = {name for node in branch.node for name in node.output}
    return computed | {weight.name for weight in branch.initializer}


def _contents(node: onnx.NodeProto, branch: onnx.GraphProto) -> list[onnx.NodeProto]:
    """The nodes of a branch, with its results under the names of those of the If node."""
    pairs = zip(branch.output, node.output, strict=True)
    named = [onnx.helper.make_node("Identity", [a.name], [b]) for a, b in pairs]
    return [*branch.node, *named]
