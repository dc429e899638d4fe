"""Ways in which a build can be wrong, done to its ONNX file on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import onnx
from freeze import FROZEN, Arrays
from onnx import helper, numpy_helper
from onnx_edits import FLOATS, crashes, pick, put, replace_result, sizes, weights
from sabotage_operators import OPERATORS

__all__ = ["KINDS", "sabotages"]

OTHER_ACTIVATION = {
    "Relu": "Elu",
    "LeakyRelu": "Relu",
    "Elu": "Relu",
    "Sigmoid": "HardSigmoid",
    "HardSigmoid": "Sigmoid",
    "Tanh": "Softsign",
    "Erf": "Tanh",
    "Gelu": "Relu",
    "HardSwish": "Relu",
    "Softplus": "Relu",
    "Softmax": "Hardmax",
    "Exp": "Softplus",
}


def sabotages(
    model: onnx.ModelProto, kind: str, seed: int, each: int, inputs: Arrays
) -> Iterator[tuple[str, onnx.ModelProto]]:
    """At most so many copies of a model, each with one thing wrong and with what that is."""
    seen = set()
    for number in range(each):
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        rng = random.Random(f"{seed} {kind} {number}")
        what = FROZEN[kind](copy, rng, inputs) if kind in FROZEN else KINDS[kind](copy, rng)
        if what and what not in seen:
            seen.add(what)
            yield what, copy


def weights_negated(model: onnx.ModelProto, _: random.Random) -> str | None:
    """All of them."""
    found = weights(model)
    for tensor in found:
        put(tensor, -numpy_helper.to_array(tensor))
    return "all" if found else None


def layer_negated(model: onnx.ModelProto, rng: random.Random) -> str | None:
    tensor = pick(weights(model), rng)
    return tensor and put(tensor, -numpy_helper.to_array(tensor))


def layer_scaled(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """By 10%."""
    tensor = pick(weights(model), rng)
    return tensor and put(tensor, numpy_helper.to_array(tensor) * 1.1)


def layer_noised(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """By 10% of what its weights vary by."""
    tensor = pick(weights(model), rng)
    if tensor is None:
        return None
    values = numpy_helper.to_array(tensor).astype(np.float64)
    noise = np.random.default_rng(rng.getrandbits(32)).standard_normal(values.shape)
    return put(tensor, values + 0.1 * values.std() * noise)


def channels_swapped(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Two of the outputs of a layer."""
    tensor = pick([t for t in weights(model) if t.dims[0] > 1], rng)
    if tensor is None:
        return None
    values = numpy_helper.to_array(tensor).copy()
    first, second = rng.sample(range(len(values)), 2)
    values[[first, second]] = values[[second, first]]
    return put(tensor, values)


def bias_dropped(model: onnx.ModelProto, rng: random.Random) -> str | None:
    used = {
        node.input[place]
        for node in model.graph.node
        for place in bias_places(node)
        if len(node.input) > place
    }
    found = [t for t in model.graph.initializer if t.name in used and t.data_type in FLOATS]
    tensor = pick([t for t in found if len(t.dims) == 1 and t.dims[0] > 1], rng)
    return tensor and put(tensor, np.zeros(tensor.dims))


def bias_places(node: onnx.NodeProto) -> tuple[int, ...]:
    convolves = ("Conv", "ConvTranspose", "Gemm", "LayerNormalization", "BatchNormalization")
    return (0, 1) if node.op_type == "Add" else (2,) if node.op_type in convolves else ()


def epsilon_changed(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """A hundred times as large: 1e-3 for 1e-5, which another framework has by default."""
    found: list[tuple[str, Callable[[], object]]] = []
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "epsilon":
                change = lambda a=attribute: setattr(a, "f", a.f * 100)  # noqa: E731
                found.append((node.name, change))
    for tensor in model.graph.initializer:
        if tensor.data_type in FLOATS and np.prod(tensor.dims) == 1:
            value = numpy_helper.to_array(tensor)
            if 0 < float(value.reshape(())) <= 1e-4:
                found.append((tensor.name, lambda t=tensor, v=value: put(t, v * 100)))
    chosen = pick(found, rng)
    if chosen is None:
        return None
    chosen[1]()
    return chosen[0]


def weight_transposed(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Of a square matrix, or of square kernels."""
    tensor = pick([t for t in weights(model) if t.dims[-1] == t.dims[-2] > 1], rng)
    return tensor and put(tensor, numpy_helper.to_array(tensor).swapaxes(-1, -2).copy())


def slice_off_by_one(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Of a Slice that leaves room for it, else of all numbers along the last axis of a layer."""
    constants = {t.name: t for t in model.graph.initializer}
    found = []
    for node in model.graph.node:
        ends = [constants.get(name) for name in node.input[1:3]]
        if node.op_type == "Slice" and len(ends) == 2 and None not in ends:
            start, end = (numpy_helper.to_array(t) for t in ends)
            if start.min() > 0 and end.min() > 0:
                found.append((node.name, ends))
    chosen = pick(found, rng)
    if chosen is None:
        return roll_a_result(model, rng)
    for tensor in chosen[1]:
        changed = numpy_helper.from_array(numpy_helper.to_array(tensor) - 1, tensor.name)
        tensor.CopyFrom(changed)
    return str(chosen[0])


def roll_a_result(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Of the results of layers, one whose shape is known."""
    if crashes(model):
        return None
    layers = ("Conv", "MatMul", "Gemm", "LayerNormalization")
    known = {v.name: v for v in onnx.shape_inference.infer_shapes(model).graph.value_info}
    names = [n.output[0] for n in model.graph.node if n.op_type in layers]
    longer = [name for name in names if name in known and sizes(known[name])[-1:] > [1]]
    name = pick(longer, rng)
    return name and f"roll {roll(model, name, -1, sizes(known[name])[-1])}"


def roll(model: onnx.ModelProto, name: str, axis: int, size: int) -> str:
    """Have everybody read a result that is moved by one along an axis."""
    indices = np.roll(np.arange(size, dtype=np.int64), -1)
    model.graph.initializer.append(numpy_helper.from_array(indices, f"{name}_order"))
    replace_result(model, name, "Gather", f"{name}_order", axis=axis)
    return name


def pad_wrong(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """All on one side of what is convolved or pooled; or other numbers in a Pad."""
    found = [
        (node, attribute)
        for node in model.graph.node
        for attribute in node.attribute
        if attribute.name == "pads" and sum(attribute.ints) > 0
    ]
    pads = [(node, None) for node in model.graph.node if node.op_type == "Pad"]
    chosen = pick([*found, *pads], rng)
    if chosen is None:
        return None
    node, attribute = chosen
    if attribute is None:
        return change_pad(node)
    half = len(attribute.ints) // 2
    sums = [attribute.ints[i] + attribute.ints[i + half] for i in range(half)]
    del attribute.ints[:]
    attribute.ints.extend([0] * half + sums)
    return str(node.name)


def change_pad(node: onnx.NodeProto) -> str:
    mode = next((a for a in node.attribute if a.name == "mode"), None)
    before = mode.s if mode is not None else b"constant"
    if mode is not None:
        node.attribute.remove(mode)
    node.attribute.append(
        helper.make_attribute("mode", "edge" if before != b"edge" else "constant")
    )
    return str(node.name)


def activation_replaced(model: onnx.ModelProto, rng: random.Random) -> str | None:
    node = pick([n for n in model.graph.node if n.op_type in OTHER_ACTIVATION], rng)
    if node is None:
        return None
    other = OTHER_ACTIVATION[node.op_type]
    keep = [a for a in node.attribute if a.name == "axis" and other == "Hardmax"]
    kept = [onnx.AttributeProto.FromString(a.SerializeToString()) for a in keep]
    del node.attribute[:]
    node.attribute.extend(kept)
    what = f"{node.op_type} {node.name}"
    node.op_type = other
    return what


def output_permuted(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """One output is moved by one along an axis."""
    output = pick(list(model.graph.output), rng)
    axis = pick([axis for axis, size in enumerate(sizes(output)) if size > 1], rng)
    made = any(output.name in node.output for node in model.graph.node)
    if axis is None or not made or crashes(model):
        return None
    return f"{roll(model, output.name, axis, sizes(output)[axis])} axis {axis}"


def outputs_swapped(model: onnx.ModelProto, rng: random.Random) -> str | None:
    """Two of one shape and type."""
    groups: dict[bytes, list[onnx.ValueInfoProto]] = {}
    for output in model.graph.output:
        groups.setdefault(output.type.SerializeToString(), []).append(output)
    group = pick([g for g in groups.values() if len(g) > 1], rng)
    if group is None:
        return None
    first, second = rng.sample(group, 2)
    first.name, second.name = second.name, first.name
    return f"{first.name} and {second.name}"


KINDS: dict[str, Callable[[onnx.ModelProto, random.Random], str | None]] = {
    "weights negated": weights_negated,
    "one layer negated": layer_negated,
    "one layer scaled by 10%": layer_scaled,
    "one layer noised by 10%": layer_noised,
    "two channels swapped": channels_swapped,
    "one bias dropped": bias_dropped,
    "an epsilon changed": epsilon_changed,
    "a weight transposed": weight_transposed,
    "off by one": slice_off_by_one,
    "a wrong pad": pad_wrong,
    "an activation replaced": activation_replaced,
    "an output permuted": output_permuted,
    "two outputs swapped": outputs_swapped,
    **OPERATORS,
}
