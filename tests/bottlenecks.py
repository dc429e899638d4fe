"""Small ONNX models whose bottleneck is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, HALF = TensorProto.FLOAT, TensorProto.FLOAT16


def _save(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    shapes: tuple[Sequence[int], Sequence[int]],
    weights: dict[str, np.ndarray] | None = None,
) -> Path:
    """A model from the input ``x`` to the output ``y``."""
    sides = [helper.make_tensor_value_info(n, FLOAT, s) for n, s in zip("xy", shapes, strict=True)]
    constants = [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(list(nodes), "known", sides[:1], sides[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, str(path))
    return path


def cast_storm(path: Path, casts: int = 24, size: int = 512) -> Path:
    """Casts to fp16 and back, with one cheap operator after each pair."""
    nodes, name = [], "x"
    for n in range(casts // 2):
        out = "y" if n == casts // 2 - 1 else f"n{n}"
        nodes.append(helper.make_node("Cast", [name], [f"h{n}"], f"to_half_{n}", to=HALF))
        nodes.append(helper.make_node("Cast", [f"h{n}"], [f"f{n}"], f"to_float_{n}", to=FLOAT))
        nodes.append(helper.make_node("Neg", [f"f{n}"], [out], f"neg_{n}"))
        name = out
    return _save(path, nodes, ([size, size], [size, size]))


def slow_operator(path: Path, size: int = 96) -> Path:
    """A few cheap operators around one cubic Resize."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], "before"),
        helper.make_node("Resize", ["a", "", "scales"], ["b"], "the_slow_one", mode="cubic"),
        helper.make_node("GlobalAveragePool", ["b"], ["y"], "after"),
    ]
    scales = {"scales": np.array([1, 1, 4, 4], np.float32)}
    return _save(path, nodes, ([1, 3, size, size], [1, 3, 1, 1]), scales)


def memory_bound(path: Path, inputs: int = 4096, outputs: int = 8192, layers: int = 1) -> Path:
    """Matrix products with a vector: each weight is read once and used once."""
    generator = np.random.default_rng(0)
    nodes, weights, name, size = [], {}, "x", inputs
    for number in range(layers):
        to = outputs if number % 2 == 0 else inputs
        weights[f"w{number}"] = generator.standard_normal((size, to), np.float32) / 64
        out = "y" if number == layers - 1 else f"h{number}"
        nodes.append(helper.make_node("MatMul", [name, f"w{number}"], [out], f"layer_{number}"))
        name, size = out, to
    return _save(path, nodes, ([1, inputs], [1, size]), weights)


def tiny_operators(path: Path, count: int = 300) -> Path:
    """Many operators with almost no work each."""
    nodes, name = [], "x"
    for number in range(count):
        out = "y" if number == count - 1 else f"t{number}"
        kind = ("Sin", "Cos", "Tanh")[number % 3]
        nodes.append(helper.make_node(kind, [name], [out], f"tiny_{number}"))
        name = out
    return _save(path, nodes, ([4], [4]))


def compute_bound(path: Path, size: int = 768) -> Path:
    """One large matrix product of two inputs' worth of arithmetic."""
    weight = np.random.default_rng(0).standard_normal((size, size), np.float32) / 32
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "first"),
        helper.make_node("MatMul", ["h", "w"], ["y"], "second"),
    ]
    return _save(path, nodes, ([size, size], [size, size]), {"w": weight})
