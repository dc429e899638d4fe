"""Decisions of a build that are frozen on purpose, as an exporter would freeze them.

What a graph decides by the values of its inputs becomes a constant: the value that it has on the
recorded inputs. There the build computes the same as before.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

__all__ = ["FROZEN", "Arrays"]

Arrays = dict[str, np.ndarray]
Freeze = Callable[[onnx.ModelProto, random.Random, Arrays], "str | None"]

DECIDING = {
    "If": (0,),
    "Loop": (0,),
    "Where": (0,),
    "Compress": (1,),
    "Slice": (1, 2),
    "Gather": (1,),
    "GatherElements": (1,),
    "GatherND": (1,),
    "Range": (0, 1),
    "Expand": (1,),
    "Reshape": (1,),
    "Pad": (1,),
    "OneHot": (0,),
}
"""Which inputs of an operator decide what it does with the others."""

REDUCED = ("ReduceMax", "ReduceMin", "ReduceMean", "ReduceSum", "ReduceL2", "ArgMax", "ArgMin")
"""Where the result is one number, everything behind it depends on it: a scale, a threshold."""

MOST_ROUNDS = 40


def decision_frozen(model: onnx.ModelProto, rng: random.Random, inputs: Arrays) -> str | None:
    """One value that decides becomes a constant; an If the branch that is taken."""
    made = {name for node in model.graph.node for name in node.output}
    outputs = {output.name for output in model.graph.output}
    found = [
        (node, node.input[place])
        for node in model.graph.node
        for place in DECIDING.get(node.op_type, ())
        if len(node.input) > place and node.input[place] in made - outputs
    ]
    found += [
        (node, node.output[0])
        for node in model.graph.node
        if node.op_type in REDUCED and node.output[0] not in outputs
    ]
    loops = [(node, "") for node in model.graph.node if node.op_type == "Loop"]
    chosen = rng.choice([*found, *loops]) if found or loops else None
    if chosen is None:
        return None
    node, name = chosen
    if not name:
        return freeze_rounds(model, node, inputs)
    value = compute(model, [name], inputs)[0]
    if node.op_type in REDUCED and value.size != 1:
        return None
    if node.op_type == "If" and rng.random() < 0.5:
        return take_branch(model, node, bool(value))
    return f"{node.op_type} {make_constant(model, name, value)}"


def input_frozen(model: onnx.ModelProto, rng: random.Random, inputs: Arrays) -> str | None:
    """One of several inputs is ignored: everybody reads its recorded value."""
    names = [value.name for value in model.graph.input if value.name in inputs]
    if len(names) < 2:
        return None
    name = rng.choice(names)
    constant = f"{name}_frozen"
    for node in model.graph.node:
        read_instead(node, name, constant)
    for value in model.graph.input:
        if value.name == name:
            kind = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    tensor = numpy_helper.from_array(inputs[name].astype(kind), constant)
    model.graph.initializer.append(tensor)
    return name


def read_instead(node: onnx.NodeProto, name: str, other: str) -> None:
    """Have a node, and the graphs inside it, read another value."""
    for place, read in enumerate(node.input):
        if read == name:
            node.input[place] = other
    for attribute in node.attribute:
        for inner in attribute.g.node:
            read_instead(inner, name, other)


def compute(model: onnx.ModelProto, names: list[str], inputs: Arrays) -> list[np.ndarray]:
    """Values inside a model."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return run(copy, inputs)


def run(model: onnx.ModelProto, inputs: Arrays) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.onnx")
        onnx.save(model, path)
        session = onnxruntime.InferenceSession(path, options)
    fed = {
        value.name: inputs[value.name].astype(numpy_type(value.type))
        for value in session.get_inputs()
    }
    return list(session.run(None, fed))


def numpy_type(name: str) -> str:
    """Of a type as ONNX Runtime names it: tensor(float16)."""
    inner = name.removeprefix("tensor(").removesuffix(")")
    return {"float": "float32", "double": "float64"}.get(inner, inner)


def make_constant(model: onnx.ModelProto, name: str, value: np.ndarray) -> str:
    """Everybody reads a constant in the place of a value; nobody reads the value."""
    for node in model.graph.node:
        for place, output in enumerate(node.output):
            if output == name:
                node.output[place] = f"{name}_before"
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def take_branch(model: onnx.ModelProto, node: onnx.NodeProto, condition: bool) -> str:
    """Put the nodes of a branch in the place of its If."""
    wanted = "then_branch" if condition else "else_branch"
    branch = next(attribute.g for attribute in node.attribute if attribute.name == wanted)
    nodes = [onnx.NodeProto.FromString(inner.SerializeToString()) for inner in branch.node]
    nodes += [
        helper.make_node("Identity", [inner.name], [name])
        for inner, name in zip(branch.output, node.output, strict=True)
    ]
    model.graph.initializer.extend(branch.initializer)
    kept = list(model.graph.node)
    at = kept.index(node)
    kept[at : at + 1] = nodes
    copies = [onnx.NodeProto.FromString(one.SerializeToString()) for one in kept]
    del model.graph.node[:]
    model.graph.node.extend(copies)
    return f"If {wanted}"


def freeze_rounds(model: onnx.ModelProto, loop: onnx.NodeProto, inputs: Arrays) -> str | None:
    """A loop that ends by a value runs as many rounds as it does on the recorded inputs."""
    names = [output.name for output in model.graph.output]
    wanted = compute(model, names, inputs)
    body = next(attribute.g for attribute in loop.attribute if attribute.name == "body")
    always, rounds = f"{loop.name}_always", f"{loop.name}_rounds"
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), always))
    body.node.append(helper.make_node("Identity", [always], [f"{always}_again"]))
    body.output[0].name = f"{always}_again"
    loop.input[0], loop.input[1] = rounds, always
    for count in range(MOST_ROUNDS):
        tensor = numpy_helper.from_array(np.array(count, np.int64), rounds)
        known = [t for t in model.graph.initializer if t.name == rounds]
        known[0].CopyFrom(tensor) if known else model.graph.initializer.append(tensor)
        if all(map(np.array_equal, compute(model, names, inputs), wanted)):
            return f"Loop of {count} rounds"
    return None


FROZEN: dict[str, Freeze] = {
    "a decision frozen": decision_frozen,
    "an input frozen": input_frozen,
}
