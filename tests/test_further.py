"""A model that returns nothing on ordinary inputs is judged on further ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

from turnkeyml import benchmark_files, build_model
from turnkeyml.build import check_onnx
from turnkeyml.cache import BuildFolder, BuildState
from turnkeyml.evaluate import measure_again
from turnkeyml.nouns import Cause, Evaluation, Plan, Verdict
from turnkeyml.verify import (
    FURTHER,
    Reference,
    draw_further,
    errors_of,
    is_informative,
    judge,
    judge_live,
    load_reference,
)

THRESHOLD = 100


class Detector(torch.nn.Module):
    """Finds boxes whose score is above a threshold: none, on ordinary inputs."""

    def __init__(self):
        super().__init__()
        self.features = torch.nn.Linear(8, 16)
        self.score, self.boxes = torch.nn.Linear(16, 1), torch.nn.Linear(16, 4)

    def forward(self, x):
        features = torch.relu(self.features(x))
        scores = self.score(features)[:, 0]
        kept = scores > THRESHOLD
        return self.boxes(features)[kept], scores[kept]


class Hasty(Detector):
    """Returns early if there is nothing to find, which an exporter freezes."""

    def forward(self, x):
        scores = self.score(torch.relu(self.features(x)))[:, 0]
        return super().forward(x) if bool((scores > THRESHOLD).any()) else (x[:0], scores[:0])


class Even(Detector):
    """Finds something if the image is even: its contrast is low."""

    def forward(self, x):
        found = self.boxes(torch.relu(self.features(x)))
        return found[(x.std(1) < 0.05) & (x.mean(1) > 0.2)]


class Tied(Detector):
    """Looks at four places, all of which have the same score, so that rounding chooses."""

    def forward(self, x):
        features = torch.relu(self.features(x))
        scores = self.score(features)[:, 0] * 0
        found = self.boxes(features[torch.topk(scores, 4).indices])
        return found[found.abs().sum(1) > THRESHOLD]


def build(model: type[Detector], cache: Path, **settings: str) -> BuildState:
    torch.manual_seed(0)
    inputs = (torch.rand(32, 8),)
    return build_model(
        model().eval(), inputs, build_name="b", cache_dir=str(cache), monitor=False, **settings
    )


def measured(cache: Path) -> Evaluation:
    plan = Plan(str(cache), "x86", ("ort",), iterations=2)
    (evaluation,) = measure_again(BuildFolder(cache, "b"), plan, "none")
    return evaluation


@pytest.mark.parametrize("sequence", ["optimize-fp32", "optimize-fp16"])
def test_a_detector_that_finds_nothing_gets_a_real_verdict(tmp_path, sequence):
    state = build(Detector, tmp_path, sequence=sequence)
    assert not is_informative(outputs(tmp_path, "outputs_original"))
    assert is_informative(outputs(tmp_path, "outputs_held_out_1"))
    assert (state.verification.verdict, state.verification.held_out) == (Verdict.MATCH, 2)
    assert "returns nothing on the recorded ones" in state.verification.reason
    assert state.verification.max_absolute_error is not None  # of a set with something in it
    assert measured(tmp_path).verdict is Verdict.MATCH


def outputs(cache: Path, name: str) -> dict[str, np.ndarray]:
    with np.load(cache / "b" / f"{name}.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_wrong_file_of_such_a_detector_is_caught(tmp_path, precision):
    state = build(Detector, tmp_path, sequence=f"optimize-{precision}")
    folder = BuildFolder(tmp_path, "b")
    path, reference = folder.path / state.artifacts["onnx"], load_reference(folder, state.reference)
    for number in range(3):
        scale_weight(path, number, 1.25)
        found = check_onnx(str(path), reference, precision, 1)
        assert found.verdict is Verdict.MISMATCH, (number, found.reason)
        scale_weight(path, number, 0.8)
    assert check_onnx(str(path), reference, precision, 1).verdict is Verdict.MATCH


def scale_weight(path: Path, number: int, factor: float) -> None:
    """Multiply one of the three matrices of a file."""
    model = onnx.load(str(path))
    weight = [weight for weight in model.graph.initializer if len(weight.dims) == 2][number]
    array = numpy_helper.to_array(weight)
    changed = (array * factor).astype(array.dtype)
    weight.CopyFrom(numpy_helper.from_array(changed, weight.name))
    onnx.save(model, str(path))


def test_inputs_of_little_contrast_are_tried_first(tmp_path):
    state = build(Even, tmp_path)
    assert (state.verification.verdict, state.verification.held_out) == (Verdict.MATCH, 2)
    with np.load(tmp_path / "b" / "inputs_held_out_1.npz") as inputs:
        assert all(array.std() < 0.01 for array in inputs.values())


def test_an_export_that_froze_that_nothing_is_found_is_specialised(tmp_path):
    found = build(Hasty, tmp_path).verification
    assert (found.verdict, found.cause) == (Verdict.SPECIALISED, Cause.HELD_OUT)
    assert any("test_further.py, line" in place for place in found.frozen)


@pytest.mark.parametrize("sequence", ["optimize-fp32", "optimize-fp16"])
def test_ties_among_what_is_found_are_matched_in_parts(tmp_path, sequence):
    found = build(Tied, tmp_path, sequence=sequence).verification
    assert found.verdict is Verdict.IN_PARTS, found.reason
    assert measured(tmp_path).verdict is Verdict.IN_PARTS


INPUT = {"x": np.ones(3, np.float32)}
OTHER = {"x": np.full(3, 1e4, np.float32)}
NOTHING = {"boxes": np.zeros((0, 4), np.float32)}
FOUND = {"boxes": np.random.default_rng(0).random((64, 4)).astype(np.float32)}
UNSTABLE = {"boxes": FOUND["boxes"][::-1].copy()}


@pytest.mark.parametrize(
    ("found", "exact", "verdict", "cause"),
    [
        (FOUND, FOUND, Verdict.MATCH, Cause.WITHIN_TOLERANCE),
        ({"boxes": FOUND["boxes"] * 1.01}, FOUND, Verdict.CLOSE, Cause.SAME_DIRECTION),
        ({"boxes": -FOUND["boxes"]}, FOUND, Verdict.MISMATCH, Cause.BEYOND_TOLERANCE),
        (NOTHING, FOUND, Verdict.MISMATCH, Cause.OTHER_SHAPES),
        ({"boxes": -FOUND["boxes"]}, UNSTABLE, Verdict.MISMATCH, Cause.ORIGINAL_UNSTABLE),
    ],
)
def test_only_the_sets_with_something_to_compare_are_evidence(found, exact, verdict, cause):
    held = Reference(OTHER, FOUND, compute=lambda precision: exact)
    empty = Reference({"x": -INPUT["x"]}, NOTHING)
    reference = Reference(INPUT, NOTHING, held_out=(empty, held))
    seen = judge(lambda inputs: found if inputs is OTHER else NOTHING, reference, "fp32")
    assert (seen.verdict, seen.cause) == (verdict, cause)
    assert "returns nothing on the recorded ones" in seen.reason


def test_without_such_a_set_nothing_is_known():
    empty = Reference(OTHER, NOTHING)
    seen = judge(lambda inputs: NOTHING, Reference(INPUT, NOTHING, held_out=(empty,)), "fp32")
    assert (seen.verdict, seen.cause) == (Verdict.NOT_CHECKED, Cause.NO_OUTPUT)


def test_a_live_model_is_run_on_them_if_it_can_be():
    reference = Reference(INPUT, NOTHING, held_out=(Reference(OTHER, FOUND),))

    def verdict(on_others):
        return judge_live(NOTHING, on_others, reference, "fp32").verdict

    assert verdict(lambda inputs: FOUND) is Verdict.MATCH
    assert verdict(lambda inputs: UNSTABLE) is Verdict.MISMATCH
    assert judge_live(FOUND, dict, Reference(INPUT, FOUND), "fp32").verdict is Verdict.MATCH


SCRIPT = """
import torch


class Detector(torch.nn.Linear):
    def forward(self, x):
        found = super().forward(x)
        return found[found[:, 0] > 100]


torch.manual_seed(0)
Detector(8, 4).eval()(torch.rand(32, 8))
"""


def test_torch_eager_is_judged_where_it_finds_something(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (result,) = benchmark_files(
        str(tmp_path / "script.py"), cache_dir=str(tmp_path), runtime="torch-eager", iterations=2
    )
    (evaluation,) = result.invocations[0].evaluations
    assert evaluation.verdict is Verdict.MATCH
    assert evaluation.verification.held_out == 2


def test_errors_are_those_where_something_is_found():
    held = Reference(OTHER, FOUND)
    reference = Reference(INPUT, NOTHING, held_out=(held,))
    wrong = errors_of(lambda inputs: UNSTABLE if inputs is OTHER else NOTHING, reference)
    assert wrong is not None
    assert wrong.cosine < 0.99
    assert errors_of(lambda inputs: NOTHING, Reference(INPUT, NOTHING)) is None


@pytest.mark.parametrize(
    ("precision", "cause"), [("fp32", Cause.CANNOT_RUN), ("fp16", Cause.ORIGINAL_UNSTABLE)]
)
def test_inputs_beyond_the_range_of_the_precision_prove_nothing(precision, cause):
    large = {"x": np.full(3, 1e7, np.float32)}

    def run(inputs):
        if inputs is large:
            raise RuntimeError("an index is out of range")
        return NOTHING

    reference = Reference(INPUT, NOTHING, held_out=(Reference(large, FOUND),))
    seen = judge(run, reference, precision)
    assert (seen.verdict, seen.cause) == (Verdict.MISMATCH, cause)
    wrong = judge(lambda inputs: UNSTABLE if inputs is large else NOTHING, reference, precision)
    assert not wrong.trusted
    assert (wrong.cause is Cause.ORIGINAL_UNSTABLE) is (precision == "fp16")


def test_what_cannot_be_run_on_them_is_a_mismatch():
    def run(inputs):
        if inputs is OTHER:
            raise ValueError("no")
        return NOTHING

    reference = Reference(INPUT, NOTHING, held_out=(Reference(OTHER, FOUND),))
    seen = judge(run, reference, "fp32")
    assert (seen.verdict, seen.cause) == (Verdict.MISMATCH, Cause.CANNOT_RUN)


def test_a_count_of_nothing_says_nothing():
    counts = {"count": np.zeros(1, np.int64)}
    assert not is_informative({**NOTHING, **counts})
    assert is_informative({**NOTHING, "count": counts["count"] + 2})
    assert is_informative(counts)
    assert is_informative({**FOUND, **counts})


RECORDED = {
    "image": np.random.default_rng(0).random((2, 3, 4)).astype(np.float32),
    "zeros": np.zeros(5, np.float16),
    "input_ids": np.arange(3, 9),
    "bits::bfloat16": np.arange(0, 2**15, 2**12, dtype=np.uint16),
    "empty": np.zeros((0, 3), np.float32),
}


@pytest.mark.parametrize("variant", FURTHER)
def test_further_inputs_have_the_shapes_and_dtypes_of_the_recorded(variant):
    first, again, other = (draw_further(RECORDED, variant, number) for number in (0, 0, 1))
    for name, array in RECORDED.items():
        assert (first[name].shape, first[name].dtype) == (array.shape, array.dtype)
        np.testing.assert_array_equal(first[name], again[name])
    assert not np.array_equal(first["image"], other["image"])


def test_further_inputs_grow_from_variant_to_variant():
    largest = [np.abs(draw_further(RECORDED, variant)["image"]).max() for variant in FURTHER]
    assert largest[0] < 1 < largest[1] < 1001
    assert 1e9 < largest[-1] < 1e11
