"""How far rounding the coordinates of an interpolation moves what is computed from it.

What lies between two pixels is a weighted sum of them. The weights come from a coordinate, which
every implementation rounds in its own way: at pixel 30 one rounding is two millionths of a pixel.
Beside an edge that is two millionths of the edge, also where the result itself is zero or far
smaller than that. So an error there is no matter of the result's own magnitude. It is rounding if
coordinates that are off by a few roundings make as large a difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import onnx
from onnx import helper

from turnkeyml.build.onnx_graph import nested_graphs
from turnkeyml.verify import RULES, Outputs, magnitude_of

COORDINATE_ROUNDINGS = 4
"""How many roundings a coordinate may be off by: two in each of the two that are compared."""

AXES = (-1, -2)
"""The axes of an image along which it is moved."""

_LAST = np.iinfo(np.int64).max

Nodes = list[onnx.NodeProto]


def interpolates(nodes: Iterable[onnx.NodeProto]) -> bool:
    """Whether some nodes, or nodes in their nested graphs, compute coordinates between pixels."""
    return any(_is_interpolation(node) or any(map(interpolates, _bodies(node))) for node in nodes)


def moved_by_rounding(
    nodes: Nodes, run: Callable[[Nodes], Outputs], made: Outputs, precision: str
) -> Outputs:
    """How far the floats that nodes compute move if coordinates are off by some roundings.

    ``run`` computes the outputs of nodes, and ``made`` are those of the nodes as they are. Between
    two pixels both ways together make the difference that the coordinate makes: the nearer pixel
    most of it in one way, and the other one the rest.
    """
    share = COORDINATE_ROUNDINGS * RULES[precision].unit
    found = {name: np.zeros_like(array) for name, array in made.items() if array.dtype.kind == "f"}
    for axis, way in itertools.product(AXES, (1, -1)):
        moved = run([*_moved(nodes, axis, way * share)])
        for name in found:
            if moved[name].shape == made[name].shape:
                found[name] += np.abs(moved[name] - made[name])
    return found


def nearer(array: np.ndarray, golden: np.ndarray, moved: np.ndarray, precision: str) -> np.ndarray:
    """An array as near to what is expected as moved coordinates may bring it.

    Beside bright pixels there may be some that are fainter than a rounding of the brightest, and
    each of the two may have rounded those, as a sigmoid does. Both explain no more than the looser
    tolerance: more than that is not rounding but a model that amplifies it.
    """
    rules = RULES[precision]
    allowed = rules.loose * (np.abs(golden) + magnitude_of(golden))
    faint = 2 * rules.unit * np.abs(golden).max(initial=0.0)
    most = np.minimum(moved + faint, allowed)
    error = array - golden
    return np.asarray(golden + (error - np.clip(error, -most, most)), dtype=array.dtype)


def _is_interpolation(node: onnx.NodeProto) -> bool:
    if node.op_type != "Resize":
        return node.op_type in ("GridSample", "RoiAlign")
    return any(a.name == "mode" and a.s in (b"linear", b"cubic") for a in node.attribute)


def _bodies(node: onnx.NodeProto) -> Iterator[list[onnx.NodeProto]]:
    for attribute in node.attribute:
        yield from ([*body.node] for body in nested_graphs(attribute))


def _moved(nodes: Iterable[onnx.NodeProto], axis: int, share: float) -> Iterator[onnx.NodeProto]:
    """The nodes, with every image that is interpolated moved along an axis by a share of its size.

    A share of less than zero moves it the other way.
    """
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        for attribute in copy.attribute:
            for body in nested_graphs(attribute):
                inner = [*_moved(body.node, axis, share)]
                del body.node[:]
                body.node.extend(inner)
        if _is_interpolation(node):
            yield from _movement(node.input[0], f"{node.output[0]}_moved", axis, share)
            copy.input[0] = f"{node.output[0]}_moved"
        yield copy


def _movement(image: str, result: str, axis: int, share: float) -> Iterator[onnx.NodeProto]:
    """Nodes that mix every pixel with a little of the next one; the last one stays as it is."""

    def node(operator: str, inputs: list[str], name: str, **attributes: int) -> onnx.NodeProto:
        return helper.make_node(operator, inputs, [name], **attributes)

    def constant(name: str, numbers: np.ndarray) -> onnx.NodeProto:
        value = onnx.numpy_helper.from_array(numbers)
        return helper.make_node("Constant", [], [f"{result}_{name}"], value=value)

    begin, end, rest = (1, _LAST, (-1, _LAST)) if share > 0 else (0, -1, (0, 1))
    for name, number in {
        "begin": begin,
        "end": end,
        "edge_begin": rest[0],
        "edge_end": rest[1],
        "axis": axis,
    }.items():
        yield constant(name, np.array([number], np.int64))
    yield constant("share", np.array([abs(share)], np.float32))
    inner, edge = f"{result}_inner", f"{result}_edge"
    bounds = [f"{result}_begin", f"{result}_end", f"{result}_axis"]
    yield node("Slice", [image, *bounds], inner)
    bounds = [f"{result}_edge_begin", f"{result}_edge_end", f"{result}_axis"]
    yield node("Slice", [image, *bounds], edge)
    parts = [inner, edge] if share > 0 else [edge, inner]
    yield node("Concat", parts, f"{result}_next", axis=axis)
    yield node("Sub", [f"{result}_next", image], f"{result}_step")
    yield node("Shape", [image], f"{result}_shape")
    yield node("Gather", [f"{result}_shape", f"{result}_axis"], f"{result}_length", axis=0)
    yield node("Cast", [f"{result}_length"], f"{result}_pixels", to=onnx.TensorProto.FLOAT)
    yield node("Mul", [f"{result}_pixels", f"{result}_share"], f"{result}_far")
    yield node("Mul", [f"{result}_step", f"{result}_far"], f"{result}_by")
    yield node("Add", [image, f"{result}_by"], result)
