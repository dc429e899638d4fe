"""Interpolations round coordinates in their own way, which is no error; everything else is."""

from __future__ import annotations

import copy

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper

from turnkeyml.build import check_onnx, graph_rounding, interpolates, moved_by_rounding, nearer
from turnkeyml.frameworks import reference_of
from turnkeyml.nouns import Verdict
from turnkeyml.verify import RULES

pytestmark = pytest.mark.slow

SIZE, FOUND = 128, 4
WIDTH = 78
"""Of the masks in the image. Some columns are exactly at a column of the mask for PyTorch, and one
rounding of the coordinate beside it for ONNX Runtime."""


class Wild(torch.nn.Module):
    """One layer that makes every difference fifty times as large."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)

    def forward(self, x):
        return torch.sin(50 * self.linear(x))


@torch.jit.script_if_tracing
def paste(masks, boxes, size):
    """Each mask in an image of its own, as torchvision's export of Mask R-CNN does it."""
    images = torch.zeros(0, int(size), int(size))
    for i in range(masks.size(0)):
        left, top, width, height = boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]
        mask = torch.nn.functional.interpolate(
            masks[i].unsqueeze(0),
            size=(int(height), int(width)),
            mode="bilinear",
            align_corners=False,
        )[0, 0]
        above = torch.zeros(int(top), mask.size(1))
        below = torch.zeros(int(size - top - height), mask.size(1))
        column = torch.cat((above, mask, below), 0)
        before = torch.zeros(column.size(0), int(left))
        after = torch.zeros(column.size(0), int(size - left - width))
        images = torch.cat((images, torch.cat((before, column, after), 1).unsqueeze(0)))
    return images


class Masks(torch.nn.Module):
    """Boxes, scores and masks of what is found, by chaotic layers; the masks are pasted into the
    image. Those of saturated sigmoids are steep: stripes of 0 and 1, and a few numbers between."""

    def __init__(self):
        super().__init__()
        self.rest = torch.nn.Sequential(*(Wild() for _ in range(6)))
        self.box = torch.nn.Linear(16, 4)
        self.score = torch.nn.Linear(16, 1)
        self.mask = torch.nn.Linear(16, 28)
        with torch.no_grad():
            self.box.weight.mul_(0.2)
            self.box.bias.copy_(torch.tensor([10.5, 20.5, WIDTH + 0.5, 60.5]))
            self.mask.bias.copy_(torch.tensor([(-1.0) ** (i + 1) * (i < 20) for i in range(28)]))

    def forward(self, x):
        features = self.rest(x)
        boxes, scores = self.box(features), torch.sigmoid(self.score(features))
        columns = torch.sigmoid(40 * self.mask(features)).reshape(-1, 1, 1, 28)
        masks = columns.expand(-1, 1, 28, 28) * self.kept(scores).reshape(-1, 1, 1, 1)
        masks = torch.nn.functional.pad(self.changed(masks), (1, 1, 1, 1))
        return boxes, scores, paste(masks, self.pasted(boxes), torch.tensor(SIZE))

    def kept(self, scores):
        return (scores > 0.5).float()

    def changed(self, masks):
        return masks

    def pasted(self, boxes):
        return boxes.to(torch.int64)


class Shifted(Masks):
    def changed(self, masks):
        return torch.roll(masks, 1, -1)


class Swapped(Masks):
    def changed(self, masks):
        return masks[torch.tensor([1, 0, 2, 3])]


class Scaled(Masks):
    def changed(self, masks):
        return masks * (1 + 1e-3)


class Moved(Masks):
    def pasted(self, boxes):
        return (boxes + 0.5).to(torch.int64)


class Beside(Masks):
    def pasted(self, boxes):
        return boxes.to(torch.int64) + torch.tensor([1, 0, 0, 0])


class Wider(Masks):
    def pasted(self, boxes):
        return boxes.to(torch.int64) + torch.tensor([0, 0, 1, 0])


class Stricter(Masks):
    def kept(self, scores):
        return (scores > 0.55).float()


@pytest.fixture
def checked(tmp_path):
    """The verdict on the export of one model by the results of another."""

    def check(model, exported):
        x = torch.rand(FOUND, 16, generator=torch.Generator().manual_seed(2))
        path = tmp_path / "model.onnx"
        torch.onnx.export(exported, (x,), str(path), input_names=["x"], dynamo=False)
        return check_onnx(str(path), reference_of(model, (x,), {}, ["x"]), "fp32", 1)

    return check


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Masks().eval()


def test_pasted_masks_match_although_coordinates_are_rounded_otherwise(checked, model):
    found = checked(model, model)
    assert found.verdict is Verdict.IN_PARTS
    assert 1e-7 < found.max_absolute_error < 1e-5  # the errors are as they are


def test_they_would_not_match_by_their_own_magnitude(checked, model, monkeypatch):
    monkeypatch.setattr(graph_rounding, "COORDINATE_ROUNDINGS", 0)
    assert not checked(model, model).trusted


@pytest.mark.parametrize(
    "wrong", [Shifted, Swapped, Scaled, Moved, Beside, Wider, Stricter], ids=lambda c: c.__name__
)
def test_masks_that_are_wrong_do_not_match(checked, model, wrong):
    other = copy.deepcopy(model)
    other.__class__ = wrong
    assert not checked(model, other).trusted


@pytest.mark.parametrize(
    "how",
    [
        lambda head: head.weight.neg_(),
        lambda head: head.weight.mul_(1.1),
        lambda head: head.bias.zero_(),
        lambda head: head.bias[22].add_(0.01),
    ],
    ids=["negated", "scaled by 10%", "bias dropped", "one bias wrong"],
)
def test_wrong_weights_of_the_masks_do_not_match(checked, model, how):
    other = copy.deepcopy(model)
    with torch.no_grad():
        how(other.mask)
    assert not checked(model, other).trusted


def test_coordinates_explain_no_more_than_they_move():
    golden = np.array([0, 1, 0, 1], np.float32)
    found = np.array([2e-6, 1 + 2e-6, 9e-6, 1], np.float32)
    moved = np.array([5e-6, 5e-6, 5e-6, 5e-6], np.float32)
    near = nearer(found, golden, moved, "fp32")
    assert near[:2].tolist() == golden[:2].tolist()
    assert near[2] == pytest.approx(4e-6, abs=2e-7)


def test_faint_pixels_beside_bright_ones_are_rounded_like_these():
    golden = np.array([1e-12, 1, 5e-6, 1], np.float32)
    found = np.array([1e-10, 1, 5e-6 + 1e-6, 1], np.float32)
    near = nearer(found, golden, np.zeros(4, np.float32), "fp32")
    assert near[0] == golden[0]
    assert near[2] - golden[2] > 8e-7


def test_what_is_amplified_is_not_explained_by_coordinates():
    golden = np.array([0, 1, 0, 1], np.float32)
    found = np.array([0.3, 1, 0.3, 1], np.float32)
    near = nearer(found, golden, np.ones(4, np.float32), "fp32")
    assert near[0] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest"])
def test_only_what_lies_between_pixels_has_coordinates(mode):
    node = helper.make_node("Resize", ["x", "", "", "size"], ["y"], mode=mode)
    assert interpolates([node]) is (mode != "nearest")
    loop = helper.make_graph([node], "body", [], [])
    assert interpolates([helper.make_node("Loop", ["n"], ["y"], body=loop)]) is (mode != "nearest")


def test_an_image_moves_by_some_roundings_of_its_size():
    node = helper.make_node("Resize", ["x", "", "", "size"], ["y"], mode="linear")
    edge = np.zeros((1, 1, 4, 8), np.float32)
    edge[..., 4:] = 1
    size = np.array([1, 1, 4, 16])

    def run(nodes):
        inputs = [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, edge.shape),
            helper.make_tensor_value_info("size", TensorProto.INT64, [4]),
        ]
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
        graph = helper.make_graph(nodes, "image", inputs, outputs)
        opsets = [helper.make_opsetid("", 18)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        session = onnxruntime.InferenceSession(made.SerializeToString())
        return {"y": session.run(None, {"x": edge, "size": size})[0]}

    moved = moved_by_rounding([node], run, run([node]), "fp32")["y"][0, 0, 0]
    one = graph_rounding.COORDINATE_ROUNDINGS * RULES["fp32"].unit * edge.shape[-1]
    assert moved[7:9].tolist() == pytest.approx([one, one], rel=0.1)
    assert not moved[:5].any()
    assert not moved[11:].any()
