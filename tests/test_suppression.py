"""Which boxes are kept of those that overlap is a decision that rounding may turn."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from turnkeyml.build import take_out, the_same_decision, walk
from turnkeyml.verify import InnerResult, Reference

THRESHOLD = 0.5
MANY = 1000
BOXES = np.array(
    [
        [0, 0, 100, 100],
        [0, 0, 100, 50.0001],  # overlaps the first by 0.5, give or take rounding
        [200, 0, 300, 100],
        [200, 0, 300, 90],  # overlaps the one before by 0.9
        [400, 0, 500, 100],
    ],
    np.float32,
)
SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5], np.float32)
OURS, THEIRS = [0, 2, 4], [0, 1, 2, 4]

NODE = helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "threshold"], ["kept"])


def decided(*others, threshold=THRESHOLD, scores=SCORES, boxes=BOXES, most=MANY, found=OURS):
    values = {
        "boxes": boxes[None],
        "scores": scores[None, None],
        "most": np.array([most]),
        "threshold": np.array([threshold], np.float32),
        "kept": np.array([[0, 0, index] for index in found]),
    }
    results = [InnerResult("__getitem__", np.array(other)) for other in others]
    made = the_same_decision(NODE, values, results, "fp32")
    return made and made[1]["kept"][:, 2].tolist()


def test_an_overlap_at_the_threshold_may_go_either_way():
    assert decided(OURS) == OURS
    assert decided(THEIRS) == THEIRS
    assert decided(OURS, found=THEIRS) == OURS


def test_boxes_of_equal_scores_may_be_in_either_order():
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.7], np.float32)
    assert decided([0, 4, 2], scores=scores) == [0, 4, 2]


@pytest.mark.parametrize(
    "other",
    [[0, 2], [0, 2, 3, 4], [2, 0, 4], [0, 3, 4], [1, 2, 4], [0, 2, 2], [0, 2, 5], [-1, 0, 2], []],
    ids=str,
)
def test_other_boxes_are_another_decision(other):
    assert decided(np.array(other, np.int64)) is None


def test_what_is_wrong_in_the_file_is_no_tie():
    assert decided(THEIRS, threshold=0.45) is None
    assert decided(OURS, threshold=0.55, found=THEIRS) is None
    assert decided(THEIRS, most=3) is None
    assert decided(THEIRS, scores=SCORES[::-1].copy()) is None
    moved = BOXES.copy()
    moved[4, ::2] -= 190
    assert decided(THEIRS, boxes=moved) is None


def detector(threshold=THRESHOLD):
    """A file that keeps boxes in a branch, and returns them a thousand times as large."""
    kept = helper.make_graph(
        [NODE, helper.make_node("Gather", ["kept", "last"], ["list"], axis=1)],
        "some",
        [],
        [helper.make_tensor_value_info("list", TensorProto.INT64, [None])],
    )
    nothing = helper.make_graph(
        [helper.make_node("Identity", ["none"], ["empty"])],
        "none",
        [],
        [helper.make_tensor_value_info("empty", TensorProto.INT64, [None])],
    )
    nodes = [
        helper.make_node("Size", ["boxes"], ["size"]),
        helper.make_node("Equal", ["size", "zero"], ["without"]),
        helper.make_node("If", ["without"], ["list_of"], then_branch=nothing, else_branch=kept),
        helper.make_node("Squeeze", ["boxes", "first"], ["all"]),
        helper.make_node("Gather", ["all", "list_of"], ["found"]),
        helper.make_node("Mul", ["found", "thousand"], ["output"]),
    ]
    weights = {
        "zero": np.array(0),
        "none": np.zeros(0, np.int64),
        "last": np.array(2),
        "first": np.array([0]),
        "most": np.array([MANY]),
        "threshold": np.array([threshold], np.float32),
        "thousand": np.array(1000, np.float32),
    }
    graph = helper.make_graph(
        nodes,
        "detector",
        [
            helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, None, 4]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 1, None]),
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [None, 4])],
        [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize(
    ("threshold", "kept", "arrives"),
    [(0.5, OURS, True), (0.5, THEIRS, True), (0.3, THEIRS, False), (0.95, OURS, False)],
)
def test_a_walk_takes_the_boxes_of_the_original_out_of_a_branch(tmp_path, threshold, kept, arrives):
    path = tmp_path / "model.onnx"
    onnx.save(detector(threshold), str(path))
    inputs = {"boxes": BOXES[None], "scores": SCORES[None, None]}
    outputs = {"output": 1000 * BOXES[kept]}
    results = [InnerResult("__getitem__", np.array(kept))]
    reference = Reference(inputs, outputs, inner=lambda: results)
    assert walk(path, reference, "fp32", 1).arrived is arrives


def test_only_branches_with_what_is_wanted_are_taken_out():
    graph = detector().graph
    assert take_out(graph, lambda node: node.op_type == "TopK") == {}
    assert take_out(graph, lambda node: node.op_type == "NonMaxSuppression") == {"without": False}
    assert "If" not in {node.op_type for node in graph.node}
    assert take_out(detector().graph, lambda node: node.op_type == "Identity") == {"without": True}
