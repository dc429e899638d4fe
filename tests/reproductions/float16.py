"""ONNX Runtime's converter to float16."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tests.reproductions.support import (
    BOOL,
    FLOAT,
    loads,
    make_model,
    make_node,
    open_session,
    random_array,
    reproduction,
    temporary_folder,
    value_info,
)


def _convert(model: onnx.ModelProto, **settings: Any) -> onnx.ModelProto:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return convert_float_to_float16(model, **settings)


def _in_order(graph: onnx.GraphProto) -> bool:
    there = {v.name for v in (*graph.input, *graph.initializer)}
    for node in graph.node:
        if not there.issuperset(node.input):
            return False
        there.update(node.output)
    return True


def _with_branches(then: str, otherwise: str) -> onnx.ModelProto:
    """A model whose branches use a result from around them."""

    def branch(name: str, operator: str) -> onnx.GraphProto:
        own = [numpy_helper.from_array(random_array(4, 4), "own")] if operator == "MatMul" else []
        more = {"CumSum": ["axis"], "MatMul": ["own"]}.get(operator, [])
        node = make_node(operator, ["h", *more], [name])
        return helper.make_graph([node], name, [], [value_info(name, FLOAT, [2, 4])], own)

    branches = {"then_branch": branch("t", then), "else_branch": branch("e", otherwise)}
    return make_model(
        [
            make_node("MatMul", ["x", "w"], ["h"], name="product"),
            make_node("If", ["c"], ["chosen"], name="if", **branches),
            make_node("Add", ["chosen", "h"], ["y"], name="sum"),
        ],
        [("c", BOOL, []), ("x", FLOAT, [2, 4])],
        [("y", FLOAT, [2, 4])],
        {"w": random_array(4, 4), "axis": np.array(0)},
    )


@reproduction
def float16_casts_outside_of_bodies() -> bool:
    """If an operator in a branch or loop must stay in float32 (CumSum), its casts are put into the
    graph around it; the result cannot be loaded or sorted."""
    model = _with_branches("CumSum", "Relu")
    assert loads(model)
    return not loads(_convert(model))


@reproduction
def float16_same_names_in_bodies() -> bool:
    """Weights of the same name in two branches, which ONNX allows, fail an assertion."""
    model = _with_branches("MatMul", "MatMul")
    assert loads(model)
    try:
        _convert(model)
    except AssertionError:
        return True
    return False


@reproduction
def float16_blocked_bodies() -> bool:
    """If an If, Loop or Scan as a whole must stay in float32, what its bodies use from around them
    is not cast."""
    from onnxruntime.transformers.float16 import DEFAULT_OP_BLOCK_LIST

    model = _with_branches("Relu", "Relu")
    assert loads(model)
    return not loads(_convert(model, op_block_list=[*DEFAULT_OP_BLOCK_LIST, "If"]))


def _two_sums() -> onnx.ModelProto:
    return make_model(
        [
            make_node("Relu", ["x"], ["h"], name="relu"),
            make_node("CumSum", ["h", "axis"], ["a"], name="first"),
            make_node("CumSum", ["h", "axis"], ["b"], name="second", reverse=1),
            make_node("Add", ["a", "b"], ["y"], name="sum"),
        ],
        [("x", FLOAT, [2, 4])],
        [("y", FLOAT, [2, 4])],
        {"axis": np.array(1)},
    )


@reproduction
def float16_duplicate_casts() -> bool:
    """Two nodes in float32 with the same input get two casts of the same name and output; ONNX
    Runtime refuses the model."""
    names = [node.name for node in _convert(_two_sums()).graph.node]
    return len(names) != len(set(names)) and not loads(_convert(_two_sums()))


def _large_inside() -> onnx.ModelProto:
    return make_model(
        [
            make_node("Mul", ["x", "k"], ["large"], name="up"),
            make_node("Div", ["large", "k"], ["y"], name="down"),
        ],
        [("x", FLOAT, [2, 4])],
        [("y", FLOAT, [2, 4])],
        {"k": np.array(1e6, np.float32)},
    )


@reproduction
def float16_down_and_up() -> bool:
    """Between two nodes in float32 numbers are cast to float16 and back; large ones are lost."""
    half = _convert(_large_inside(), node_block_list=["up", "down"])
    (found,) = open_session(half).run(
        None, {"x": random_array(2, 4).astype(np.float16) + np.float16(1)}
    )
    return not np.isfinite(found).all()


@reproduction
def float16_down_and_up_at_inputs() -> bool:
    """An input that keep_io_types keeps in float32 is cast to float16 and back on its way to a node
    in float32; large numbers are lost."""
    model = make_model(
        [make_node("Div", ["x", "k"], ["y"], name="down")],
        [("x", FLOAT, [2, 4])],
        [("y", FLOAT, [2, 4])],
        {"k": np.array(1e5, np.float32)},
    )
    half = _convert(model, node_block_list=["down"], keep_io_types=["x"])
    (found,) = open_session(half).run(None, {"x": random_array(2, 4) + np.float32(1e5)})
    return not np.isfinite(found).all()


@reproduction
def float16_topological_order() -> bool:
    """Casts are put at the end of the list of nodes, behind the nodes that use them, which the ONNX
    specification and its checker forbid (ONNX Runtime sorts them itself)."""
    model = make_model(
        [
            make_node("CumSum", ["x", "axis"], ["a"], name="first"),
            make_node("Relu", ["a"], ["y"], name="relu"),
        ],
        [("x", FLOAT, [2, 4])],
        [("y", FLOAT, [2, 4])],
        {"axis": np.array(1)},
    )
    return not _in_order(_convert(model).graph)


@reproduction
def float16_operators_without_float16() -> bool:
    """An operator that ONNX defines for float32 only (Celu 12) is converted; ONNX Runtime refuses
    the model."""
    model = make_model(
        [make_node("Celu", ["x"], ["y"])], [("x", FLOAT, [2, 4])], [("y", FLOAT, [2, 4])]
    )
    assert loads(model)
    return not loads(_convert(model))


@reproduction
def float16_external_data() -> bool:
    """A model whose weights are still in their external file cannot be converted."""
    model = make_model(
        [make_node("MatMul", ["x", "w"], ["y"])],
        [("x", FLOAT, [2, 64])],
        [("y", FLOAT, [2, 64])],
        {"w": random_array(64, 64)},
    )
    with temporary_folder() as folder:
        path = folder / "m.onnx"
        onnx.save(model, path, save_as_external_data=True, location="m.data")
        try:
            half = _convert(onnx.load(path, load_external_data=False), disable_shape_infer=True)
            onnx.save(half, path)
        except Exception:  # noqa: BLE001 - any failure is the bug
            return True
        return not loads(path)
