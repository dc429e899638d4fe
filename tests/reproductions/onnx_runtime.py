"""ONNX Runtime's optimizers, the files that it saves, and its operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper

from tests.reproductions.support import (
    BOOL,
    FLOAT,
    HALF,
    INT64,
    loads,
    make_model,
    make_node,
    open_session,
    random_array,
    reproduction,
    temporary_folder,
    value_info,
)


@reproduction
def ort_pad_fusion() -> bool:
    """Pad_Fusion moves zeros into a MaxPool, whose padding is negative infinity: wrong numbers."""
    model = make_model(
        [
            make_node("Pad", ["x", "pads"], ["padded"]),
            make_node("MaxPool", ["padded"], ["y"], kernel_shape=[3, 3], strides=[2, 2]),
        ],
        [("x", FLOAT, [1, 1, 8, 8])],
        [("y", FLOAT, None)],
        {"pads": np.array([0, 0, 1, 1, 0, 0, 1, 1])},
    )
    feed = {"x": -1 - random_array(1, 1, 8, 8)}
    (right,) = open_session(model, "ORT_DISABLE_ALL").run(None, feed)
    (found,) = open_session(model).run(None, feed)
    (without,) = open_session(model, disabled=["Pad_Fusion"]).run(None, feed)
    assert np.array_equal(right, without), "the fusion has another name, or is not the reason"
    return not np.array_equal(right, found)


def _linear(prefix: str, source: str) -> list[onnx.NodeProto]:
    return [
        make_node("MatMul", [source, "w"], [f"{prefix}_product"]),
        make_node("Add", [f"{prefix}_product", "b"], [prefix]),
    ]


@reproduction
def ort_matmul_add_fusion_names() -> bool:
    """MatMulAddFusion gives values in a branch the names of values around it; the saved model
    violates SSA and ONNX Runtime cannot load it again."""

    def branch(name: str) -> onnx.GraphProto:
        return helper.make_graph(_linear(name, "h"), name, [], [value_info(name, FLOAT, [2, 3, 4])])

    branches = {"then_branch": branch("t"), "else_branch": branch("e")}
    model = make_model(
        [*_linear("h", "x"), make_node("If", ["c"], ["y"], **branches)],
        [("c", BOOL, []), ("x", FLOAT, [2, 3, 4])],
        [("y", FLOAT, [2, 3, 4])],
        {"w": random_array(4, 4), "b": random_array(4)},
    )
    with temporary_folder() as folder:
        path = folder / "optimized.onnx"
        open_session(model, "ORT_ENABLE_BASIC", path, disabled=["MatMulAddFusion"])
        assert loads(path), "the fusion has another name, or is not the reason"
        open_session(model, "ORT_ENABLE_BASIC", path)
        return not loads(path)


@reproduction
def ort_sizes_in_external_data() -> bool:
    """ONNX Runtime saves the sizes of a long Split as external data, and cannot load them again."""
    outputs = [f"part_{i}" for i in range(200)]
    model = make_model(
        [
            make_node("Add", ["x", "w"], ["sum"]),
            make_node("Split", ["sum", "sizes"], outputs, axis=1),
            make_node("Concat", outputs[::-1], ["y"], axis=1),
        ],
        [("x", FLOAT, [2, 200])],
        [("y", FLOAT, [2, 200])],
        {"w": random_array(2, 200), "sizes": np.ones(200, np.int64)},
    )
    with temporary_folder() as folder:
        path = folder / "optimized.onnx"
        open_session(model, "ORT_ENABLE_BASIC", path, "optimized.data")
        return not loads(path)


@reproduction
def ort_saved_model_needs_source_data() -> bool:
    """The saved optimised model refers to the source's external data by a name relative to the
    source's folder; in another folder it cannot be loaded."""
    model = make_model(
        [make_node("MatMul", ["x", "w"], ["y"])],
        [("x", FLOAT, [2, 64])],
        [("y", FLOAT, [2, 64])],
        {"w": random_array(64, 64)},
    )
    with temporary_folder() as source, temporary_folder() as target:
        onnx.save(model, source / "m.onnx", save_as_external_data=True, location="m.data")
        path = target / "optimized.onnx"
        open_session(source / "m.onnx", "ORT_ENABLE_BASIC", path)
        return not loads(path)


@reproduction
def ort_stale_value_info() -> bool:
    """The saved optimised model still describes weights that constant folding removed."""
    model = make_model(
        [make_node("Transpose", ["w"], ["turned"]), make_node("MatMul", ["x", "turned"], ["y"])],
        [("x", FLOAT, [2, 4])],
        [("y", FLOAT, [2, 4])],
        {"w": random_array(4, 4)},
    )
    model.graph.value_info.append(value_info("w", FLOAT, [4, 4]))
    with temporary_folder() as folder:
        path = folder / "optimized.onnx"
        open_session(model, "ORT_ENABLE_BASIC", path)
        graph = onnx.load(path).graph
    there = {t.name for t in graph.initializer} | {o for n in graph.node for o in n.output}
    return any(value.name not in there for value in graph.value_info)


@reproduction
def ort_half_precision_saved_with_casts() -> bool:
    """The saved optimised model of a float16 model computes in float32 between casts: what the CPU
    lacks becomes part of the file, at every optimisation level."""
    model = make_model(
        [make_node("MatMul", ["x", "w"], ["y"])],
        [("x", HALF, [2, 4])],
        [("y", HALF, [2, 4])],
        {"w": random_array(4, 4).astype(np.float16)},
    )
    with temporary_folder() as folder:
        path = folder / "optimized.onnx"
        open_session(model, "ORT_ENABLE_BASIC", path)
        return "Cast" in {node.op_type for node in onnx.load(path).graph.node}


def _draws_in_half(operator: str) -> bool:
    """Whether the CPU provider runs a random operator in float16."""
    like = operator.endswith("Like")
    settings = {} if like else {"shape": [2, 2]}
    node = make_node(operator, ["x"] if like else [], ["y"], dtype=HALF, **settings)
    return loads(make_model([node], [("x", HALF, [2, 2])], [("y", HALF, [2, 2])]))


@reproduction
def ort_random_float16() -> bool:
    """RandomNormal or RandomUniform of float16 has no kernel."""
    return not all(map(_draws_in_half, ("RandomNormal", "RandomUniform")))


def _scatter(operator: str, reduction: str, rows: int, columns: int) -> tuple[Any, Any]:
    """A model that scatters float16 numbers, and inputs for it."""
    axis = {"axis": 0} if operator == "ScatterElements" else {}
    width = columns if operator == "ScatterElements" else 1
    feed = {
        "data": np.zeros((rows, columns), np.float16),
        "places": np.zeros((2 * rows, width), np.int64),
        "updates": np.ones((2 * rows, columns), np.float16),
    }
    node = make_node(operator, list(feed), ["y"], reduction=reduction, **axis)
    kinds = {"data": HALF, "places": INT64, "updates": HALF}
    inputs = [(name, kinds[name], array.shape) for name, array in feed.items()]
    return make_model([node], inputs, [("y", HALF, [rows, columns])]), feed


def _scatters_in_half(operator: str, reduction: str) -> bool:
    model, feed = _scatter(operator, reduction, 4, 4)
    try:
        open_session(model).run(None, feed)
    except Exception:  # noqa: BLE001 - any failure is the bug
        return False
    return True


@reproduction
def ort_scatter_elements_float16() -> bool:
    """ScatterElements of float16 with the reduction add or mul raises when it runs."""
    return not all(_scatters_in_half("ScatterElements", r) for r in ("add", "mul"))


@reproduction
def ort_scatter_nd_float16() -> bool:
    """ScatterND of float16 with a reduction raises when it runs."""
    return not all(_scatters_in_half("ScatterND", r) for r in ("add", "mul", "max", "min"))
