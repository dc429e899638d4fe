"""Converting an ONNX model to float16 without ever holding its weights in memory at once.

The graph is converted by ONNX Runtime's own converter, which sees weights that lie in external
files only by name, type and shape; those weights are then converted from file to file in blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import onnx
from onnx.external_data_helper import ExternalDataInfo, set_external_data

from turnkeyml.build import onnx_files
from turnkeyml.nouns import Verification

__all__ = [
    "Kept",
    "all_but_multiplications",
    "cannot_run",
    "convert_to_float16",
    "out_of_range",
]

Arrays = dict[str, np.ndarray]

BLOCK = 1 << 24
_SIZE, _INFINITE = np.uint16(0x7FFF), np.uint16(0x7C00)
ALIGNMENT = 4096
RANDOM_OPERATORS = ["RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"]
"""ONNX Runtime draws no random numbers in float16."""


AT_ONCE_BYTES = 2 << 30
"""What looking at the numbers inside a model may keep in memory of them."""

LARGEST = 30_000
"""Float16 ends at 65,504; what comes near it on one input may pass it on another."""

SMALLEST = 2.0**-14
"""Beneath this float16 has ever fewer digits, and beneath 6e-8 none."""

CONTROL = ["If", "Loop", "Scan"]
"""The converter puts the casts that their bodies need in the wrong place."""

MULTIPLICATIONS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})


@dataclass(frozen=True)
class Kept:
    """What stays in float32: kinds of operators, single nodes, inputs and outputs."""

    operators: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    def __str__(self) -> str:
        nodes = [f"{len(self.nodes)} nodes"] if self.nodes else []
        return ", ".join([*self.operators, *nodes, *self.ends])

    def plus(self, more: Kept) -> Kept | None:
        """Both; None if that is nothing new."""
        both = Kept(
            tuple(dict.fromkeys((*self.operators, *more.operators))),
            tuple(dict.fromkeys((*self.nodes, *more.nodes))),
            tuple(dict.fromkeys((*self.ends, *more.ends))),
        )
        return None if both == self else both


def cannot_run(verdict: Verification) -> Kept:
    """The operator that the runtime names because it cannot run it in float16."""
    return Kept(operators=(verdict.operator,) if verdict.operator else ())


def all_but_multiplications(source: Path) -> Kept:
    """The operators in which little of the time is spent."""
    there = {node.op_type for node in onnx_files.read_graph(source).graph.node}
    return Kept(operators=tuple(sorted(there - MULTIPLICATIONS - {"Constant"})))


def out_of_range(source: Path, inputs: Arrays, threads: int) -> Kept:
    """The nodes that make or take numbers too large for float16, or nothing but too small ones, and
    the inputs and outputs of such numbers, when the model runs on these inputs."""
    model = _named(onnx.shape_inference.infer_shapes(onnx_files.read_graph(source)))
    ends = [*model.graph.input, *model.graph.output]
    made = {name for node in model.graph.node for name in node.output}
    there = [*ends, *(value for value in model.graph.value_info if value.name in made)]
    floats = [v for v in there if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT]
    sizes: dict[str, float] = {}
    for some in _portions(floats):
        sizes |= _sizes(model, source, some, inputs, threads)
    fits = {name for name, size in sizes.items() if size == 0 or SMALLEST <= size <= LARGEST}
    beyond = sizes.keys() - fits
    nodes = [n.name for n in model.graph.node if n.name and beyond & {*n.input, *n.output}]
    return Kept(nodes=tuple(nodes), ends=tuple(e.name for e in ends if e.name in beyond))


def _portions(values: list[Any]) -> Iterator[list[str]]:
    """Names of values that may be in memory at the same time."""
    some: list[str] = []
    total = 0
    for value in values:
        dims = value.type.tensor_type.shape.dim
        size = 4 * math.prod(max(d.dim_value, 1) for d in dims)
        if some and total + size > AT_ONCE_BYTES:
            yield some
            some, total = [], 0
        some.append(value.name)
        total += size
    yield some


def _sizes(
    model: onnx.ModelProto, source: Path, names: list[str], inputs: Arrays, threads: int
) -> dict[str, float]:
    """The largest magnitude of each of some values when the model runs on these inputs."""
    from turnkeyml.runtimes.ort_session import run_once

    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    for number, name in enumerate(names):
        size, largest = f"turnkey_size_{number}", f"turnkey_largest_{number}"
        probe.graph.node.append(onnx.helper.make_node("Abs", [name], [size]))
        probe.graph.node.append(onnx.helper.make_node("ReduceMax", [size], [largest], keepdims=0))
        output = onnx.helper.make_tensor_value_info(largest, onnx.TensorProto.FLOAT, [])
        probe.graph.output.append(output)
    path = source.with_name(f"{source.stem}-ranges.onnx")
    try:
        onnx.save(probe, str(path))
        found = run_once(str(path), inputs, threads, level="none")
    finally:
        path.unlink(missing_ok=True)
    return {name: float(size) for name, size in zip(names, found.values(), strict=True)}


def _named(model: onnx.ModelProto) -> onnx.ModelProto:
    """With a name for every node, the same one each time."""
    for number, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{number}"
    return model


def convert_to_float16(source: Path, target: Path, kept: Kept | None = None) -> None:
    """Write ``source`` in float16, inputs and outputs included, as ``target``."""
    from onnxruntime.transformers.float16 import DEFAULT_OP_BLOCK_LIST, convert_float_to_float16
    from onnxruntime.transformers.onnx_model import OnnxModel

    kept = kept or Kept()
    model = _named(onnx_files.read_graph(source))
    onnx_files.load_inner_data(model, source.parent)
    model = onnx.shape_inference.infer_shapes(model)
    places = _detach(model)
    nodes = [*kept.nodes, *(node.name for node in model.graph.node if _crashes_in_half(node))]
    model = convert_float_to_float16(
        model,
        keep_io_types=list(kept.ends),
        disable_shape_infer=True,
        op_block_list=[*DEFAULT_OP_BLOCK_LIST, *RANDOM_OPERATORS, *CONTROL, *kept.operators],
        node_block_list=nodes,
    )
    _cast_for_bodies(model.graph)
    _tidy_casts(model)
    OnnxModel(model).topological_sort()
    del model.graph.value_info[:]  # shapes inferred from detached weights; runtimes infer their own
    if places:
        _reattach(model, places, source.parent, target.with_name(f"{target.name}.data"))
    onnx.save(model, str(target))


def _cast_for_bodies(graph: onnx.GraphProto) -> None:
    """Branches and loops stay in float32, and so must be what they take from around them, which
    is not among their inputs."""
    values = (*graph.input, *graph.value_info)
    halved = {v.name for v in values if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16}
    halved |= {t.name for t in graph.initializer if t.data_type == onnx.TensorProto.FLOAT16}
    bodies = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    for name in sorted(set().union(*map(_names_inside, bodies), *map(_names_of, bodies)) & halved):
        wide = f"{name}_for_bodies"
        cast = onnx.helper.make_node("Cast", [name], [wide], wide, to=onnx.TensorProto.FLOAT)
        graph.node.append(cast)
        for body in bodies:
            _rename(body, name, wide)


def _names_of(graph: onnx.GraphProto) -> set[str]:
    """What a graph's own nodes use, and what it hands out."""
    used = {name for node in graph.node for name in node.input}
    return used | {output.name for output in graph.output}


def _rename(body: onnx.GraphProto, old: str, new: str) -> None:
    """Another name for what a body takes from outside; not where the body has its own."""
    own = [*body.input, *body.initializer]
    if old in {o for node in body.node for o in node.output} | {value.name for value in own}:
        return
    for node in body.node:
        for index, name in enumerate(node.input):
            if name == old:
                node.input[index] = new
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename(attribute.g, old, new)
    if old in {output.name for output in body.output}:
        body.node.append(onnx.helper.make_node("Identity", [new], [old]))


def _crashes_in_half(node: onnx.NodeProto) -> bool:
    """ONNX Runtime has no float16 for scattering with a reduction, and dies of it now and then."""
    return node.op_type in ("ScatterElements", "ScatterND") and any(
        attribute.name == "reduction" and attribute.s != b"none" for attribute in node.attribute
    )


def _tidy_casts(model: onnx.ModelProto) -> None:
    """The converter adds a cast for each operator that needs it, all of the same name, and casts
    down and up again between two operators in float32, which is where large numbers get lost."""
    halved: dict[str, str] = {}
    seen: set[str] = set()
    for node in list(model.graph.node):
        if node.op_type == "Cast" and node.output[0] in seen:
            model.graph.node.remove(node)
        elif node.op_type == "Cast" and node.input[0] == f"{node.output[0]}_cast_to_fp16":
            halved[node.output[0]] = node.input[0]
        seen.update(node.output)
    for node in model.graph.node:
        back = node.op_type == "Cast" and node.attribute[0].i == onnx.TensorProto.FLOAT
        if back and node.input[0] in halved:
            node.op_type = "Identity"
            node.input[0] = halved[node.input[0]]
            del node.attribute[:]
    _drop_unused_casts(model)


def _drop_unused_casts(model: onnx.ModelProto) -> None:
    graph = model.graph
    while True:
        used = {name for node in graph.node for name in node.input} | {o.name for o in graph.output}
        used |= _names_inside(graph)
        unused = [n for n in graph.node if n.op_type == "Cast" and n.output[0] not in used]
        if not unused:
            return
        for node in unused:
            graph.node.remove(node)


def _names_inside(graph: onnx.GraphProto) -> set[str]:
    """What the bodies of loops and branches use."""
    inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    return set().union(*map(_names_of, inner), *map(_names_inside, inner))


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
    while length > 0:
        block = weights.read(min(BLOCK, length))
        if not block:
            raise OSError(f"{weights.name} is shorter than the model says")
        length -= len(block)
        if halve:
            block = halved(np.frombuffer(block, np.float32)).tobytes()
        output.write(block)


def halved(numbers: np.ndarray) -> np.ndarray:
    """The nearest float16 numbers of the same sign that are neither zero nor infinite.

    Those that are zero or infinite themselves, or no numbers, stay so. The converter's own function
    does the same in twenty passes over the data, which is felt where there is a gigabyte of it.
    """
    with np.errstate(over="ignore"):
        half = numbers.astype(np.float16)
    bits = half.view(np.uint16)
    size = bits & _SIZE
    lost = np.flatnonzero((size == 0) | (size == _INFINITE))
    numbers = numbers[lost]
    bits[lost[np.isfinite(numbers) & (size[lost] == _INFINITE)]] -= 1
    bits[lost[(numbers != 0) & (size[lost] == 0)]] += 1
    return half
