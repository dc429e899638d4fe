"""Operators and layers that compute something else than they should: more for sabotage.py."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx_edits import (
    FLOATS,
    add_constant,
    attribute,
    crashes,
    insert,
    pick,
    put,
    replace_result,
    set_attribute,
    shapes,
    weights,
)

__all__ = ["OPERATORS"]


def softmax_along_another_axis(model: onnx.ModelProto, rng: random.Random) -> str | None:
    known = shapes(model)
    softmaxes = ("Softmax", "LogSoftmax")
    found = [node for node in model.graph.node if node.op_type in softmaxes]
    node = pick([node for node in found if len(known.get(node.input[0], [])) > 1], rng)
    if node is None:
        return None
    rank, axis = len(known[node.input[0]]), attribute(node, "axis")
    set_attribute(node, "axis", ((axis.i if axis else -1) - 1) % rank)
    return str(node.name)


def norm_along_another_axis(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Of the same size, so that nothing else shows it."""
    known = shapes(model)
    norms = ("LayerNormalization", "Softmax")
    found = [node for node in model.graph.node if node.op_type in norms]
    square = [n for n in found if len(s := known.get(n.input[0], [])) > 1 and s[-1] == s[-2] > 1]
    node = pick(square, rng)
    if node is None:
        return None
    axes = list(range(len(known[node.input[0]])))
    axes[-1], axes[-2] = axes[-2], axes[-1]
    before, result = node.input[0], node.output[0]
    replace_result(model, result, "Transpose", perm=axes)
    insert(model, node, helper.make_node("Transpose", [before], [f"{result}_turned"], perm=axes))
    node.input[0] = f"{result}_turned"
    return str(node.name)


def scale_dropped(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """A factor, such as one over the root of the size of a head."""
    single = {
        tensor.name: tensor
        for tensor in model.graph.initializer
        if tensor.data_type in FLOATS and np.prod(tensor.dims) == 1
    }
    found = [
        (node, place)
        for node in model.graph.node
        for place, name in enumerate(node.input)
        if node.op_type in ("Mul", "Div") and name in single
    ]
    chosen = pick(found, rng)
    if chosen is None:
        return None
    node, place = chosen
    ones = np.ones_like(numpy_helper.to_array(single[node.input[place]]))
    name = f"{node.output[0]}_one"
    model.graph.initializer.append(numpy_helper.from_array(ones, name))
    node.input[place] = name
    return str(node.name)


def heads_mixed(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Two axes of a Reshape in the wrong order, as of heads and what is in a head."""
    known = shapes(model)
    found = [
        (node, axis)
        for node in model.graph.node
        if node.op_type == "Reshape" and len(sizes := known.get(node.output[0], [])) > 2
        for axis in range(len(sizes) - 1)
        if all(sizes) and sizes[axis] != sizes[axis + 1] and min(sizes[axis : axis + 2]) > 1
    ]
    chosen = pick(found, rng)
    if chosen is None:
        return None
    node, axis = chosen
    axes, result = list(range(len(known[node.output[0]]))), node.output[0]
    axes[axis], axes[axis + 1] = axis + 1, axis
    shape = np.array([known[result][i] for i in axes], np.int64)
    node.input[1] = add_constant(model, f"{result}_shape", shape)
    replace_result(model, result, "Transpose", perm=axes)
    return f"{node.name} axis {axis}"


def dilation_changed(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Of a convolution by 3, padded so that the shape stays."""
    found = [
        node
        for node in model.graph.node
        if node.op_type == "Conv"
        and (kernel := attribute(node, "kernel_shape"))
        and set(kernel.ints) == {3}
    ]
    node = pick(found, rng)
    if node is None:
        return None
    for name, usual in (("pads", 0), ("dilations", 1)):
        now = attribute(node, name)
        places = 4 if name == "pads" else 2
        set_attribute(node, name, [n + 1 for n in (now.ints if now else [usual] * places)])
    return str(node.name)


def pooling_replaced(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Maximum or mean, nearest or linear."""
    pools = {"MaxPool": "AveragePool", "AveragePool": "MaxPool"}
    found = [n for n in model.graph.node if n.op_type in (*pools, "Resize") and len(n.output) == 1]
    node = pick(found, rng)
    if node is None:
        return None
    if node.op_type == "Resize":
        mode = attribute(node, "mode")
        set_attribute(node, "mode", "nearest" if mode and mode.s == b"linear" else "linear")
        return str(node.name)
    keep = [a for a in node.attribute if a.name in ("kernel_shape", "pads", "strides", "ceil_mode")]
    kept = [onnx.AttributeProto.FromString(a.SerializeToString()) for a in keep]
    del node.attribute[:]
    node.attribute.extend(kept)
    node.op_type = pools[node.op_type]
    return str(node.name)


def gelu_approximated(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """By a hyperbolic tangent, as other frameworks do by default."""
    node = pick([n for n in model.graph.node if n.op_type in ("Erf", "Gelu")], rng)
    if node is None:
        return None
    if node.op_type == "Gelu":
        set_attribute(node, "approximate", "tanh")
        return str(node.name)
    x, name = node.input[0], node.output[0]
    outer = add_constant(model, f"{name}_outer", 2 / np.pi**0.5)
    inner = add_constant(model, f"{name}_inner", 0.08943)
    steps = [("Mul", x, x), ("Mul", "", x), ("Mul", "", inner), ("Add", "", x), ("Mul", "", outer)]
    for number, (operator, *reads) in enumerate(steps):
        read = [one or f"{name}_{number - 1}" for one in reads]
        insert(model, node, helper.make_node(operator, read, [f"{name}_{number}"]))
    node.op_type, node.input[0] = "Tanh", f"{name}_{len(steps) - 1}"
    return str(node.name)


def corner_lost(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """The last number of a result of a layer, as a loop that ends too early loses it."""
    if crashes(model):
        return None
    known, layers = shapes(model), ("Conv", "MatMul", "Gemm", "LayerNormalization", "Relu")
    names = [node.output[0] for node in model.graph.node if node.op_type in layers]
    name = pick([n for n in names if len(known.get(n, [])) > 1 and all(known[n])], rng)
    if name is None:
        return None
    kept = np.ones(known[name][-2:])
    kept[-1, -1] = 0
    replace_result(model, name, "Mul", add_constant(model, f"{name}_kept", kept))
    return name


def one_weight_negated(model: onnx.ModelProto, rng: random.Random) -> str | None:
    tensor = pick(weights(model), rng)
    if tensor is None:
        return None
    values = numpy_helper.to_array(tensor).copy()
    place = rng.randrange(values.size)
    values.flat[place] *= -1
    return f"{put(tensor, values)} {place}"


def layer_in_8_bits(model: onnx.ModelProto, rng: random.Random) -> str | None:
    tensor = pick(weights(model), rng)
    if tensor is None:
        return None
    values = numpy_helper.to_array(tensor).astype(np.float64)
    step = np.abs(values).max() / 127
    return put(tensor, np.round(values / step) * step) if step else None


def constant_off(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """A single number that something is scaled, moved, clipped or compared by, by 8%."""
    users = ("Mul", "Div", "Add", "Sub", "Clip", "Max", "Min", "Greater", "Less", "Pow")
    used = {name for node in model.graph.node if node.op_type in users for name in node.input}
    found = [t for t in model.graph.initializer if t.name in used and t.data_type in FLOATS]
    single = [t for t in found if np.prod(t.dims) == 1 and numpy_helper.to_array(t).any()]
    tensor = pick(single, rng)
    return tensor and put(tensor, numpy_helper.to_array(tensor) * 0.92)


OPERATORS: dict[str, Callable[[onnx.ModelProto, random.Random], str | None]] = {
    "a softmax along another axis": softmax_along_another_axis,
    "a norm along another axis": norm_along_another_axis,
    "a scale dropped": scale_dropped,
    "heads mixed": heads_mixed,
    "a dilation changed": dilation_changed,
    "a pooling or resize replaced": pooling_replaced,
    "a GELU approximated": gelu_approximated,
    "a corner lost": corner_lost,
    "one weight negated": one_weight_negated,
    "one layer in 8 bits": layer_in_8_bits,
    "a constant off by 8%": constant_off,
}
