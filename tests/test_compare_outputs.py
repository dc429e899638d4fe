"""What a verdict rests on: the numbers that carry information, each by its own magnitude."""

import numpy as np
import onnx
import pytest
import torch

import turnkeyml
from turnkeyml.cache import BuildFolder
from turnkeyml.nouns import Cause, Verdict
from turnkeyml.runtimes import run_once
from turnkeyml.verify import Reference, compare, load_reference, places_of

RANDOM = np.random.default_rng(0)
LOGITS = RANDOM.standard_normal((8, 50)).astype(np.float32)
HIDDEN = RANDOM.random((8, 50)) < 0.4
LOWEST = float(np.finfo(np.float32).min)


def judged(found, golden, precision="fp32", **others):
    """The verdict on one output; the original in other precisions by keyword."""
    known = {name: {"a": array} for name, array in others.items()}
    return compare({"a": found}, Reference({}, {"a": golden}, compute=known.get), precision)


def noisy(golden, share):
    return golden + share * golden.std() * RANDOM.standard_normal(golden.shape)


@pytest.mark.parametrize("mask", [-np.inf, np.inf, -1e9, -1e4, -1e3, LOWEST])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_mask_hides_nothing(mask, precision):
    golden = np.where(HIDDEN, np.float32(mask), LOGITS)
    assert judged(golden.copy(), golden, precision).verdict == "match"
    negated = np.where(HIDDEN, golden, -golden)
    result = judged(negated, golden, precision)
    assert result.verdict == "mismatch"
    assert result.cosine == pytest.approx(-1)


@pytest.mark.parametrize("mask", [-np.inf, -1e9, -1e4])
def test_a_mask_hides_nothing_from_the_more_exact_original_either(mask):
    golden = np.where(HIDDEN, np.float32(mask), LOGITS)
    exact = np.where(HIDDEN, mask, LOGITS.astype(np.float64))
    negated = np.where(HIDDEN, golden, -golden)
    assert judged(negated, golden, fp64=exact).verdict == "mismatch"


def test_a_mask_hides_nothing_of_logits_that_come_near_it():
    golden = np.where(HIDDEN, np.float32(-1e3), 10 * LOGITS)
    wrong = np.where(HIDDEN, golden, noisy(golden, 0.001)).astype(np.float32)
    assert np.abs(wrong - golden).max() > 1
    assert judged(wrong, golden, "fp16").verdict != "match"


def test_two_masks_that_are_added_are_masks():
    golden = LOGITS.copy()
    golden[:, 10:20] = -1e9
    golden[:, 20:25] = -2e9
    golden[:, 25] = LOWEST
    assert places_of(golden.astype(np.float64)).regular.sum() == 8 * 34


def test_a_mask_at_another_place_is_a_mismatch():
    golden = np.where(HIDDEN, np.float32(-1e9), LOGITS)
    moved = np.where(np.roll(HIDDEN, 1), np.float32(-1e9), LOGITS)
    assert judged(moved, golden).verdict == "mismatch"
    fewer = golden.copy()
    fewer[np.nonzero(HIDDEN)[0][0], np.nonzero(HIDDEN)[1][0]] = 0.0
    assert judged(fewer, golden).cause is Cause.OTHER_PLACES


@pytest.mark.parametrize("held", [-np.inf, -65504.0, -10000.0])
def test_a_mask_beyond_fp16_may_become_another_there(held):
    golden = np.where(HIDDEN, np.float32(-1e9), LOGITS)
    found = np.where(HIDDEN, held, LOGITS).astype(np.float32)
    assert judged(found, golden, "fp16").verdict == "match"
    assert judged(found, golden, "fp32").verdict == "mismatch"
    assert judged(np.where(HIDDEN, -found, found), golden, "fp16").verdict == "mismatch"


def test_one_large_result_is_checked_like_any_other():
    golden = LOGITS.copy()
    golden[0, 0] = 5000
    wrong = golden.copy()
    wrong[0, 0] = 5100
    assert judged(wrong, golden).verdict != "match"
    assert judged(wrong, golden, "fp16").verdict != "match"


def test_a_probability_near_one_is_no_mask():
    golden = np.full((1, 100), 1e-6)
    golden[0, 3] = 1 - 99e-6
    assert places_of(golden).all_regular


@pytest.mark.parametrize("axis", [0, 1])
def test_small_channels_beside_large_ones_count(axis):
    scales = np.where(np.arange(LOGITS.shape[axis]) % 2, 1e4, 1e-3)
    golden = LOGITS * np.expand_dims(scales, 1 - axis).astype(np.float32)
    small = np.broadcast_to(np.expand_dims(scales < 1, 1 - axis), golden.shape)
    wrong = np.where(small, -golden, golden)
    assert judged(golden.copy(), golden, fp64=golden.astype(np.float64)).verdict == "match"
    assert judged(wrong, golden, fp64=golden.astype(np.float64)).verdict != "match"


def test_rows_are_told_apart_within_channels_of_one_magnitude():
    rows, channels = np.logspace(-5, 0, 8), np.where(np.arange(50) % 2, 1e3, 1e-3)
    golden = (LOGITS * rows[:, None] * channels).astype(np.float32)
    wrong = golden.copy()
    wrong[0] *= -1
    exact = golden.astype(np.float64)
    assert judged(golden * np.float32(1 + 1e-7), golden, fp64=exact).verdict == "match"
    assert judged(wrong, golden, fp64=exact).verdict != "match"


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_channel_that_is_smaller_by_many_orders_counts(precision):
    golden = LOGITS * np.logspace(-6, 6, 50).astype(np.float32)
    wrong = golden.copy()
    wrong[:, 0] *= -1
    exact = golden.astype(np.float64)
    assert judged(wrong, golden, precision, fp64=exact, fp16=golden).verdict != "match"


@pytest.mark.parametrize("rows", [1, 4])
def test_a_few_small_numbers_beside_large_ones_count(rows):
    golden = LOGITS[:rows, :9] * np.where(np.arange(9) == 4, 1e-3, 1e3).astype(np.float32)
    wrong = golden.copy()
    wrong[:, 4] *= -1
    exact = golden.astype(np.float64)
    near = (golden + 1e-4).astype(np.float32)
    assert judged(near, golden, fp64=exact).verdict == "match"
    assert judged(wrong, golden, fp64=exact).verdict != "match"


@pytest.mark.parametrize(("factor", "verdict"), [(1.05, "match"), (-1, "close")])
def test_a_number_that_is_the_same_in_all_rows_is_one_number(factor, verdict):
    row = RANDOM.standard_normal(32)
    row[3] = 0.006
    exact = np.tile(row, (24, 1))  # of the same token everywhere
    golden = (exact + 1e-7 * RANDOM.standard_normal(exact.shape)).astype(np.float32)
    original = exact.astype(np.float16).astype(np.float32)
    found = original.copy()
    found[:, 3] *= factor
    assert judged(found, golden, "fp16", fp32=golden, fp16=original).verdict == verdict


@pytest.mark.parametrize(
    ("shape", "precision", "off", "verdict"),
    [
        ((1, 1000), "fp32", 8e-5, "match"),
        ((1, 1000), "fp32", 8e-4, "close"),
        ((1, 1000), "fp16", 8e-3, "match"),
        ((1, 1000), "fp16", 4e-2, "close"),
        ((2, 500), "fp16", 8e-3, "close"),
    ],
)
def test_logits_near_zero_are_as_exact_as_the_others(shape, precision, off, verdict):
    exact = 0.1 + RANDOM.random(1000)
    exact[::25] = 0.005
    noise = np.where(exact == 0.005, 0.1 * off * exact, off * exact)
    wrong = np.where(np.arange(1000) == 25, off * exact, 0)
    arrays = [exact + noise, exact, exact + wrong]
    original, exact, found = (array.reshape(shape) for array in arrays)
    if precision == "fp32":
        seen = judged(found, original, fp64=exact)
    else:
        seen = judged(found, exact, precision, fp16=original)
    assert seen.verdict == verdict


def test_without_a_more_exact_original_a_small_channel_counts_too():
    golden = LOGITS.copy()
    golden[:, 3] *= 1e-4
    wrong = golden.copy()
    wrong[:, 3] *= -1
    assert judged(noisy(golden, 1e-6).astype(np.float32), golden).verdict == "match"
    assert judged(wrong, golden).verdict == "close"


@pytest.mark.parametrize("sign", [1, -1])
def test_what_varies_in_a_channel_that_looks_like_a_mask_counts(sign):
    golden = LOGITS.copy()
    golden[:, :10] = sign * (2500 + 2 * LOGITS[:, :10])
    assert places_of(golden.astype(np.float64)).sentinel.sum() == 80
    half = golden.astype(np.float16).astype(np.float32)
    wrong = golden.copy()
    wrong[:, :10] = sign * (2500 - 2 * LOGITS[:, :10])
    assert judged(half, golden, "fp16", fp16=half).verdict == "match"
    assert judged(wrong, golden, "fp16", fp16=half).verdict == "close"


def test_what_varies_around_a_large_constant_counts():
    golden = 0.5 + 0.01 * LOGITS
    exact, half = golden.astype(np.float64), golden.astype(np.float16).astype(np.float32)
    reference = Reference(
        {}, {"a": golden}, compute={"fp16": {"a": half}, "fp64": {"a": exact}}.get
    )
    assert compare({"a": half}, reference, "fp16").verdict == "match"
    assert compare({"a": 1 - golden}, reference, "fp16").verdict != "match"
    assert compare({"a": noisy(golden, 0.05)}, reference, "fp16").verdict != "match"


def test_the_rounding_of_the_original_is_the_measure():
    exact = LOGITS.astype(np.float64)
    golden = noisy(exact, 3e-4)
    assert judged(noisy(exact, 5e-4), golden, fp64=exact).cause is Cause.AS_EXACT_AS_ORIGINAL
    assert judged(noisy(exact, 5e-3), golden, fp64=exact).verdict == "close"
    precise = noisy(exact, 1e-7)
    assert judged(noisy(exact, 1e-4), precise, fp64=exact).verdict == "close"


def test_a_few_wrong_numbers_among_many_count():
    exact = LOGITS.astype(np.float64)
    golden = noisy(exact, 1e-6)
    wrong = golden.copy()
    wrong[3, 7] += 0.01
    assert judged(wrong, golden, fp64=exact).verdict != "match"


def test_without_a_more_exact_original_a_looser_tolerance_decides_and_says_so():
    result = judged(noisy(LOGITS, 2e-5), LOGITS)
    assert result.verdict == "match"
    assert "how exact the original is in fp32 is not known" in result.reason


def in_a_large_image(numbers):
    """Numbers in a corner of something else that is empty."""
    image = np.zeros((64 * len(numbers), numbers.shape[1]), numbers.dtype)
    image[: len(numbers)] = numbers
    return image


@pytest.mark.parametrize("wrong", [2e-5, 1e-3, 1e-2])
def test_emptiness_around_numbers_changes_no_verdict(wrong):
    """A mask of a small object in a large image: rounding does not depend on the image."""
    found, golden = noisy(LOGITS, wrong), LOGITS
    alone = judged(found, golden)
    within = judged(in_a_large_image(found), in_a_large_image(golden))
    assert within.verdict == alone.verdict


def small_changes():
    yield LOGITS * np.float32(1.001)
    yield np.roll(LOGITS, 1, axis=0)
    yield -LOGITS
    one = LOGITS.copy()
    one[3, 7] += 0.01
    yield one


@pytest.mark.parametrize("changed", [*small_changes()])
def test_what_is_wrong_in_an_empty_image_is_seen(changed):
    golden = in_a_large_image(LOGITS)
    assert judged(in_a_large_image(changed), golden).verdict != "match"


def test_what_is_there_where_nothing_should_be_is_seen():
    found, golden = in_a_large_image(LOGITS), in_a_large_image(LOGITS)
    found[-1, -1] = 1e-3
    assert judged(found, golden).verdict != "match"


def test_an_original_that_is_far_off_itself_leaves_it_to_the_looser_tolerance():
    chaotic = LOGITS[::-1].copy()
    assert judged(noisy(LOGITS, 1e-3), LOGITS, "fp16", fp16=chaotic).verdict == "match"
    wrong = judged(-LOGITS, LOGITS, "fp16", fp16=chaotic)
    assert wrong.cause is Cause.ORIGINAL_UNSTABLE


def test_nothing_of_another_direction_matches_however_small():
    golden = LOGITS * np.float32(1e-12)
    assert judged(-golden, golden).verdict == "mismatch"
    assert judged(golden.copy(), golden).verdict == "match"


def test_the_original_is_computed_more_exactly_only_where_that_decides():
    reference = Reference({}, {"a": LOGITS}, compute=lambda _: {"a": LOGITS.astype(np.float64)})
    assert compare({"a": LOGITS.copy()}, reference, "fp32").verdict == "match"
    assert reference.others == {}
    compare({"a": LOGITS * 1.01}, reference, "fp32")
    assert set(reference.others) == {"fp64"}


def test_a_costly_original_is_computed_again_only_if_the_looser_tolerance_fails():
    reference = Reference({}, {"a": LOGITS}, compute=lambda _: None, costly=True)
    slightly = {"a": LOGITS * np.float32(1 + 5e-5)}
    assert compare(slightly, reference, "fp32").verdict == "match"
    asked = []
    reference = Reference({}, {"a": LOGITS}, compute=asked.append, costly=True)
    compare(slightly, reference, "fp32")
    assert asked == []
    compare({"a": LOGITS * 1.01}, reference, "fp32")
    assert asked == ["fp64"]


def test_errors_are_numbers_where_an_output_has_none():
    broken = LOGITS.copy()
    broken[0, 0], broken[0, 1] = np.nan, np.inf
    result = judged(broken, LOGITS)
    assert result.cause is Cause.NOT_FINITE
    assert result.max_absolute_error == 0
    assert np.isfinite([result.max_relative_error, result.cosine]).all()


def test_complex_numbers_are_judged_by_both_parts():
    golden = (LOGITS + 1j * LOGITS[::-1]).astype(np.complex64)
    pairs = np.stack([golden.real, golden.imag], -1)
    assert judged(pairs, golden).verdict == "match"
    assert judged(pairs * np.array([1, -1], np.float32), golden).verdict == "mismatch"


@pytest.mark.parametrize("value", [3.0, 0.0, np.nan])
def test_a_single_number_is_judged_by_itself(value):
    golden = np.array(value, np.float32)
    assert judged(golden.copy(), golden).verdict == "match"
    assert judged(golden + np.float32(0.5), golden).verdict == (
        "match" if np.isnan(value) else "mismatch"
    )


def picks(found, scores, golden=None, precision="fp32"):
    golden = scores.argmax(-1) if golden is None else golden
    reference = Reference({}, {"picks": golden, "scores": scores})
    return compare({"picks": found, "scores": scores.copy()}, reference, precision).verdict


def test_another_pick_of_the_same_score_matches():
    scores = LOGITS.copy()
    best = scores.argmax(-1)
    rows = np.arange(len(best))
    other = (best + 1) % 50
    scores[rows, other] = scores[rows, best] - 1e-6
    assert picks(other, scores) == "match"
    assert picks((best + 2) % 50, scores) != "match"
    assert picks(np.full_like(best, 99), scores) != "match"
    assert judged(other, best).verdict != "match"


def test_a_ranking_may_swap_ties():
    scores = -np.sort(-LOGITS[:, :5], axis=-1)
    scores[:, 3] = scores[:, 2] - 1e-7
    golden = np.tile(np.array([40, 30, 20, 10, 0]), (8, 1))
    swapped = golden[:, [0, 1, 3, 2, 4]]
    assert picks(swapped, scores, golden) == "match"
    assert picks(golden[:, [1, 0, 2, 3, 4]], scores, golden) != "match"
    assert picks(golden + 1, scores, golden) != "match"


def test_a_mask_may_differ_where_its_score_meets_the_threshold():
    scores = LOGITS.copy()
    scores[0, 0], scores[0, 1] = 0.100001, 1.0
    golden = scores > 0.1
    found = golden.copy()
    found[0, 0] = False
    assert picks(found, scores, golden) == "match"
    found[0, 1] = False
    reference = Reference(
        {}, {"a": golden, "b": scores}, compute=lambda _: {"a": golden, "b": scores}
    )
    assert compare({"a": found, "b": scores}, reference, "fp32").verdict != "match"


def test_a_build_may_turn_as_many_decisions_as_the_original_does():
    golden = RANDOM.integers(0, 50, 400)
    turned, many = golden.copy(), golden.copy()
    turned[:3] += 1
    many[:30] += 1
    assert judged(turned[::1].copy(), golden, "fp16", fp32=golden, fp16=turned).verdict == "match"
    assert judged(many, golden, "fp16", fp32=golden, fp16=turned).verdict != "match"
    assert judged(turned, golden, "fp32", fp64=golden).verdict != "match"


class Masked(torch.nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 20)
        )
        self.mask = mask

    def forward(self, x, hidden):
        return self.body(x).masked_fill(hidden, self.mask)


@pytest.mark.parametrize("sequence", ["optimize-fp32", "optimize-fp16"])
@pytest.mark.parametrize("mask", [-float("inf"), -1e9])
def test_a_masked_build_with_negated_weights_is_a_mismatch(mask, sequence, tmp_path):
    torch.manual_seed(0)
    inputs = {"x": torch.randn(4, 16), "hidden": torch.rand(4, 20) < 0.5}
    state = turnkeyml.build_model(
        Masked(mask).eval(), inputs, build_name="b", cache_dir=str(tmp_path), sequence=sequence
    )
    assert state.verification.verdict is Verdict.MATCH
    folder = BuildFolder(tmp_path, "b")
    reference = load_reference(folder, state.reference)
    path = folder.path / state.artifacts["onnx"]
    model = onnx.load(str(path))
    for tensor in model.graph.initializer:
        if len(tensor.dims) == 2:
            negated = -onnx.numpy_helper.to_array(tensor)
            tensor.CopyFrom(onnx.numpy_helper.from_array(negated, tensor.name))
    onnx.save(model, str(path))
    outputs = run_once(str(path), reference.inputs, 1)
    precision = sequence.removeprefix("optimize-")
    assert compare(outputs, reference, precision).verdict is Verdict.MISMATCH


@pytest.mark.parametrize("precision", ["mixed", "int8"])
def test_mixed_and_quantized_files_are_held_to_the_tolerance_of_fp16(precision):
    exact = LOGITS.astype(np.float64)
    half = LOGITS.astype(np.float16)
    step = np.abs(LOGITS).max() / 127
    quantized = np.round(LOGITS / step) * step
    found = judged(half, LOGITS, precision, fp16=half, fp32=exact)
    assert (found.verdict, f"({precision})" in found.reason) == (Verdict.MATCH, True)
    assert judged(quantized, LOGITS, precision, fp16=half).verdict is Verdict.CLOSE
    assert judged(-half, LOGITS, precision, fp16=half).verdict is Verdict.MISMATCH
    assert judged(quantized, quantized, precision).verdict is Verdict.MATCH


def test_integers_that_double_precision_does_not_hold_are_compared():
    golden = RANDOM.integers(1 << 60, 1 << 62, (4, 9))
    assert judged(golden.copy(), golden).verdict == "match"
    assert judged(golden + 1, golden).verdict != "match"


def test_rounding_does_not_turn_the_decisions_of_one_class_alone():
    golden = RANDOM.random((20, 500)) < 0.5
    scattered, one_class = golden.copy(), golden.copy()
    scattered.flat[RANDOM.choice(golden.size, 8, replace=False)] ^= True
    one_class[:8, 17] ^= True
    assert judged(scattered, golden, "fp16", fp16=golden).verdict == "match"
    assert judged(one_class, golden, "fp16", fp16=golden).verdict == "close"


def test_decisions_that_rounding_turns_on_the_recorded_inputs_may_turn_on_others():
    recorded, held = RANDOM.integers(0, 40, (2, 50))
    rounded, found, wrong = recorded.copy(), held.copy(), held.copy()
    rounded[3] += 1
    found[7] += 1
    wrong[:9] += 1
    known = Reference({}, {"a": recorded}, compute={"fp16": {"a": rounded}}.get)
    kept = Reference({}, {"a": recorded}, compute={"fp16": {"a": rounded}}.get, at_hand=("fp16",))
    known.in_precision("fp16")
    lucky = Reference({}, {"a": held}, compute={"fp16": {"a": held}}.get)
    assert compare({"a": found}, lucky, "fp16", kin=(kept,)).verdict == "match"
    assert compare({"a": found}, lucky, "fp16", kin=(known,)).verdict == "match"
    assert compare({"a": found}, lucky, "fp16").verdict != "match"
    assert compare({"a": wrong}, lucky, "fp16", kin=(known,)).verdict == "mismatch"


def test_what_overflows_in_the_precision_hides_nothing_of_the_rest():
    golden = LOGITS * np.where(np.arange(50) < 10, 1e7, 1.0).astype(np.float32)
    with np.errstate(over="ignore"):
        half = golden.astype(np.float16).astype(np.float32)
    found = np.where(np.isfinite(half), half, golden)
    wrong = np.where(np.abs(golden) < 100, -found, found)
    assert judged(found, golden, "fp16", fp16=half).verdict == "match"
    assert judged(wrong, golden, "fp16", fp16=half).verdict == "close"


def nearly_empty():
    """Masks of small objects in large images; one of them has six pixels of 1e-13."""
    golden = np.zeros((20, 1, 64, 64))
    golden[:19, 0, 8:16, 8:16] = RANDOM.random((19, 8, 8))
    golden[19, 0, 3, :6] = 1e-13 * RANDOM.random(6)
    return golden


def test_a_few_small_numbers_in_an_empty_image_are_no_group_of_their_own():
    golden = nearly_empty()
    found = golden.copy()
    found[19] *= 1 + 3e-4  # the tail of a sigmoid, whose digits are those of a large argument
    assert judged(found, golden, fp64=golden).verdict is Verdict.MATCH
    found[0] *= 1 + 3e-4
    assert judged(found, golden, fp64=golden).verdict is not Verdict.MATCH


@pytest.mark.parametrize(("small", "verdict"), [(5e-8, Verdict.MATCH), (1e-6, Verdict.CLOSE)])
def test_a_faint_mask_may_be_off_by_a_rounding_of_those_that_are_not(small, verdict):
    golden = np.zeros((4, 64, 64), np.float32)
    golden[0, 10:22, 10:22] = np.linspace(0.2, 1, 144).reshape(12, 12)
    found = golden.copy()
    golden[1:, 30:40, 30:40] = small * np.random.default_rng(0).random((3, 10, 10))
    assert compare({"masks": found}, Reference({}, {"masks": golden}), "fp32").verdict is verdict


def test_what_is_empty_must_be_empty():
    golden = nearly_empty()
    found = golden.copy()
    found[:, :, 40] = 1e-7
    assert judged(found, golden, fp64=golden).verdict is not Verdict.MATCH


def test_a_wrong_pixel_is_seen_behind_those_that_rounding_moves_by_one():
    random = np.random.default_rng(0)
    image = random.integers(2, 250, (3, 40, 40)).astype(np.uint8)
    rounded, found = image.copy(), image.copy()
    rounded.flat[random.choice(image.size, 30, replace=False)] += 1
    found.flat[random.choice(image.size, 30, replace=False)] -= 1
    assert judged(found, image, "fp16", fp16=rounded).verdict == "match"
    found[:, -1, -1] = 0
    assert judged(found, image, "fp16", fp16=rounded).verdict == "close"


@pytest.mark.parametrize("precision", ["fp64", "fp32", "fp16"])
def test_how_small_an_output_is_makes_no_error_smaller(precision):
    golden = np.random.default_rng(0).standard_normal((8, 50)) * 1e-10
    assert judged(golden * (1 + 1e-6), golden, precision).verdict == "match"
    assert judged(golden * 1.05, golden, precision).verdict == "close"
